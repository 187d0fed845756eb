"""What does a query for goods ask of pages? Chips, as parts of a question.

First a page must be all that was asked for. If none is, other words are no longer asked for, and
pages that do not say what their heel, size or colour is will do; if there is still none, one of the
things asked for is enough. A page that says another size, price or colour never will do.
"""

from collections.abc import Iterator, Mapping, Sequence

from byway.core.model import Chip
from byway.core.model.query import AnyOf, Filter, Part, Question, Reading, Word
from byway.core.text import terms, words

PRODUCTS = Filter("is", "product")
HARD = ("colour",)
"""Attributes that are never overlooked, besides those that are measured."""
TELLING = "kind"
"""What a page must say, to come near: who looks for boots has no use for who knows what."""


def questions_of(
    chips: Sequence[Chip], rest: Question, languages: Sequence[str]
) -> Iterator[Question]:
    """What chips and the rest of a query ask for: all of it, what comes near, and some of it.

    Where no word was understood there is nothing that goods could come near to.
    """
    said = [part for chip in chips for part in _parts(chip, languages, near=False)]
    yield Question((*map(_or_brand, rest.parts), *said, PRODUCTS))
    if not chips:
        return
    others = tuple(map(_optional, rest.parts))
    near = [part for chip in chips for part in _parts(chip, languages, near=True)]
    yield Question((*others, *near, PRODUCTS))
    loose = [chip for chip in chips if not is_hard(chip)]
    if len(loose) > 1:
        hard = [part for chip in chips if is_hard(chip) for part in _parts(chip, languages, True)]
        some = AnyOf(tuple(_filter(chip) for chip in loose))
        words = [_optional(_word(chip, languages)) for chip in loose]
        yield Question((*others, *hard, some, *words, PRODUCTS))


def is_hard(chip: Chip) -> bool:
    """Does a page that says otherwise never do?"""
    return chip.measured or chip.attribute in HARD


def kept_of(chips: Sequence[Chip], filters: Mapping[str, object]) -> int:
    """How many of the chips a product keeps, by what it can be filtered by."""
    return sum(_keeps(filters.get(chip.attribute), chip) for chip in chips)


def _keeps(value: object, chip: Chip) -> bool:
    values = value if isinstance(value, list | tuple) else [value]
    if chip.measured:
        numbers = (one for one in values if isinstance(one, int | float))
        return any(chip.least <= one <= chip.most for one in numbers)
    return chip.value in values


def _parts(chip: Chip, languages: Sequence[str], near: bool) -> list[Part]:
    wanted, said = _filter(chip), _word(chip, languages)
    unsaid = Filter("lacks", chip.attribute.partition("_")[0])
    if chip.soft:
        ways: tuple[Part, ...] = (wanted, Word(said.text, said.readings, "title"))
        may_lack = near and chip.attribute != TELLING
        return [AnyOf((*ways, unsaid) if may_lack else ways), _optional(said)]
    parts: list[Part] = [AnyOf((wanted, unsaid)) if near else wanted]
    if chip.currency and not (near and chip.assumed):
        parts.append(Filter("currency", chip.currency.lower()))
    return parts if chip.measured else [*parts, _optional(said)]


def _optional(part: Part) -> Part:
    """The same, not asked for: but a page that has the word comes first."""
    return AnyOf((part, PRODUCTS)) if isinstance(part, Word) else part


def _or_brand(part: Part) -> Part:
    """The same, and a page whose brand it is need not say it."""
    if not isinstance(part, Word) or not part.loose:
        return part
    return AnyOf((part, Filter("brand", " ".join(words(part.text)))))


def _filter(chip: Chip) -> Filter:
    name = "_".join(words(chip.attribute))
    if chip.measured:
        value = chip.meaning if chip.least == chip.most else ""
        return Filter(name, value, chip.least, chip.most)
    return Filter(name, " ".join(words(chip.value)))


def _word(chip: Chip, languages: Sequence[str]) -> Word:
    """The words of a chip as they were typed, to be found one behind the other."""
    each = [terms(chip.typed, language) for language in languages or ("",)]
    found = dict.fromkeys(map(tuple, each))
    return Word(chip.typed, tuple(Reading(one) for one in found if one))
