"""What does a query for goods ask of pages? Chips, as parts of a question."""

from collections.abc import Sequence

from byway.model import AnyOf, Chip, Filter, Part, Question, Reading, Word
from byway.text import terms, words

PRODUCTS = Filter("is", "product")


def question_of(
    chips: Sequence[Chip], rest: Question, languages: Sequence[str], strict: bool = True
) -> Question:
    """The question that chips and the rest of a query are.

    Strict, a page must be all that the chips say. Otherwise what is only soft, or guessed, is as
    good as words of the query: it is not asked for, but pages that have it come first.
    """
    parts: list[Part] = [*rest.parts]
    for chip in chips:
        if strict or not chip.soft:
            parts += _parts(chip, languages, strict)
        else:
            parts.append(_word(chip, languages))
    return Question((*parts, PRODUCTS))


def _parts(chip: Chip, languages: Sequence[str], strict: bool) -> list[Part]:
    wanted = _filter(chip)
    if chip.soft:
        titled = _word(chip, languages)
        return [AnyOf((wanted, Word(titled.text, titled.readings, "title")))]
    if chip.currency and (strict or not chip.assumed):
        return [wanted, Filter("currency", chip.currency.lower())]
    return [wanted]


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
