"""What does a query for goods ask of pages? Chips, as parts of a question.

First a page must be all that was asked for. If none is, other words are no longer asked for, and
pages that do not say what their heel, size or colour is will do. A page that says otherwise never
will.
"""

from collections.abc import Iterator, Sequence

from byway.model import AnyOf, Chip, Filter, Part, Question, Reading, Word
from byway.text import terms, words

PRODUCTS = Filter("is", "product")


def questions_of(
    chips: Sequence[Chip], rest: Question, languages: Sequence[str]
) -> Iterator[Question]:
    """What chips and the rest of a query ask for: all of it, and what comes near."""
    for near in (False, True):
        others = map(_optional if near else _or_brand, rest.parts)
        parts = [part for chip in chips for part in _parts(chip, languages, near)]
        yield Question((*others, *parts, PRODUCTS))


def _parts(chip: Chip, languages: Sequence[str], near: bool) -> list[Part]:
    wanted, said = _filter(chip), _word(chip, languages)
    unsaid = Filter("lacks", chip.attribute.partition("_")[0])
    if chip.soft:
        ways: tuple[Part, ...] = (wanted, Word(said.text, said.readings, "title"))
        return [AnyOf((*ways, unsaid) if near else ways), _optional(said)]
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
