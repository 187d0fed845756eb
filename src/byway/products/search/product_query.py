"""What does a query for goods ask of pages? Chips, as parts of a question.

First a page must be all that was asked for. If none is, other words are no longer asked for, and
pages that do not say what their heel, size or colour is will do; if there is still none, one of the
things asked for is enough. A page that says another size, price or colour never will do.
"""

from collections.abc import Iterator, Mapping, Sequence

from byway.core.model import Chip
from byway.core.model.query import AnyOf, Clause, Filter, ParsedQuery, TermAnalysis, TermClause
from byway.core.text import terms, tokenize

IS_PRODUCT_FILTER = Filter("is", "product")
STRICT_ATTRIBUTES = ("colour",)
"""Attributes that are never overlooked, besides those that are measured."""
REQUIRED_ATTRIBUTE = "kind"
"""What a page must say, to come near: who looks for boots has no use for who knows what."""


def product_queries(
    chips: Sequence[Chip], remaining_query: ParsedQuery, languages: Sequence[str]
) -> Iterator[ParsedQuery]:
    """What chips and the rest of a query ask for: all of it, what comes near, and some of it.

    Where no word was understood there is nothing that goods could come near to.
    """
    said = [part for chip in chips for part in _parts(chip, languages, near=False)]
    yield ParsedQuery((*map(_or_brand, remaining_query.clauses), *said, IS_PRODUCT_FILTER))
    if not chips:
        return
    others = tuple(map(_optional, remaining_query.clauses))
    near = [part for chip in chips for part in _parts(chip, languages, near=True)]
    yield ParsedQuery((*others, *near, IS_PRODUCT_FILTER))
    loose = [chip for chip in chips if not is_strict(chip)]
    if len(loose) > 1:
        hard = [part for chip in chips if is_strict(chip) for part in _parts(chip, languages, True)]
        some = AnyOf(tuple(_filter(chip) for chip in loose))
        words = [_optional(_word(chip, languages)) for chip in loose]
        yield ParsedQuery((*others, *hard, some, *words, IS_PRODUCT_FILTER))


def is_strict(chip: Chip) -> bool:
    """Does a page that says otherwise never do?"""
    return chip.is_numeric or chip.attribute in STRICT_ATTRIBUTES


def count_matched_chips(chips: Sequence[Chip], filters: Mapping[str, object]) -> int:
    """How many of the chips a product keeps, by what it can be filtered by."""
    return sum(_keeps(filters.get(chip.attribute), chip) for chip in chips)


def _keeps(value: object, chip: Chip) -> bool:
    values = value if isinstance(value, list | tuple) else [value]
    if chip.is_numeric:
        numbers = (one for one in values if isinstance(one, int | float))
        return any(chip.minimum <= one <= chip.maximum for one in numbers)
    return chip.value in values


def _parts(chip: Chip, languages: Sequence[str], near: bool) -> list[Clause]:
    wanted, said = _filter(chip), _word(chip, languages)
    unsaid = Filter("lacks", chip.attribute.partition("_")[0])
    if chip.allow_title_match:
        ways: tuple[Clause, ...] = (wanted, TermClause(said.text, said.analyses, "title"))
        may_lack = near and chip.attribute != REQUIRED_ATTRIBUTE
        return [AnyOf((*ways, unsaid) if may_lack else ways), _optional(said)]
    parts: list[Clause] = [AnyOf((wanted, unsaid)) if near else wanted]
    if chip.currency and not (near and chip.currency_assumed):
        parts.append(Filter("currency", chip.currency.lower()))
    return parts if chip.is_numeric else [*parts, _optional(said)]


def _optional(part: Clause) -> Clause:
    """The same, not asked for: but a page that has the word comes first."""
    return AnyOf((part, IS_PRODUCT_FILTER)) if isinstance(part, TermClause) else part


def _or_brand(part: Clause) -> Clause:
    """The same, and a page whose brand it is need not say it."""
    if not isinstance(part, TermClause) or not part.is_optional:
        return part
    return AnyOf((part, Filter("brand", " ".join(tokenize(part.text)))))


def _filter(chip: Chip) -> Filter:
    name = "_".join(tokenize(chip.attribute))
    if chip.is_numeric:
        value = chip.filter_value if chip.minimum == chip.maximum else ""
        return Filter(name, value, chip.minimum, chip.maximum)
    return Filter(name, " ".join(tokenize(chip.value)))


def _word(chip: Chip, languages: Sequence[str]) -> TermClause:
    """The words of a chip as they were typed, to be found one behind the other."""
    each = [terms(chip.typed_text, language) for language in languages or ("",)]
    found = dict.fromkeys(map(tuple, each))
    return TermClause(chip.typed_text, tuple(TermAnalysis(one) for one in found if one))
