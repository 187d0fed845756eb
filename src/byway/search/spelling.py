"""Was it spelt as it is here? Other spellings for words that no page has, or hardly any.

What is likely meant counts less than what was typed, and is offered as another query.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from byway.ports import SearchIndex
from byway.question import AllOf, AnyOf, Part, Question, Reading, Word
from byway.search.compounds import halves
from byway.search.slips import RARE, likelier, says_little, single
from byway.search.tongues import occurring
from byway.text import readings, readings_of_all

WEIGHTS = {1: 0.5, 2: 0.25}
KNOWN = 0.05
"""What another spelling counts for where some page has the word as it was typed."""
MOST_WORDS = 8
"""Unknown words of a query up to which others are looked at: each takes some milliseconds."""
MOST_BEGINNINGS = 30


def widened(
    question: Question, index: SearchIndex, languages: tuple[str, ...]
) -> tuple[Question, dict[str, str]]:
    """The question with other spellings where they help, and the likeliest for each word.

    `languages`: those in which typed words are read. Words of the collection are few, and are read
    in all of its languages; but the many that begin alike are not.
    """
    likely: dict[str, str] = {}
    unknown: set[str] = set()
    words = question.words
    alone = len(words) == 1
    sure = all(len(word.readings) == 1 for word in words)

    def widen(word: Word) -> Word:
        if word.prefix:
            return _begun(word, index, languages)
        each = [index.frequency(reading.terms) for reading in word.readings]
        pages = max(each, default=0)
        if pages > RARE or not single(word) or len(unknown) >= MOST_WORDS:
            return word if sure else occurring(word, each, index)
        if not pages:
            unknown.add(word.text)
            parts = halves(single(word), index, index.languages())
            if parts and not index.near(single(word), 1):  # Festplate is no plate of a Fest
                return replace(word, readings=(*word.readings, *parts))
        near = likelier(word, pages, index, languages)
        telling = [one for one in near if not says_little(one[0], languages)]
        if telling:
            likely[word.text] = telling[0][0]
        # `whta is rust` is glad of `what`; but who looks for nothing else does not mean it.
        near = telling if telling or alone else near
        weights = [(spelt, KNOWN if pages else WEIGHTS[slips]) for spelt, slips in near]
        return _with(word, weights, index)

    return Question(_mapped(question.parts, widen)), likely


def instead(text: str, likely: dict[str, str]) -> str:
    """The query with the likelier spellings; nothing when there are none."""
    changed = text
    for typed, meant in likely.items():
        # `meant` has letters only, so it is no pattern itself.
        changed = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", meant, changed, count=1)
    return changed if changed != text else ""


def _mapped(parts: tuple[Part, ...], change: Callable[[Word], Word]) -> tuple[Part, ...]:
    """The same parts with each word changed, but for what must not be there."""
    changed: list[Part] = []
    for part in parts:
        if isinstance(part, Word):
            changed.append(change(part))
        elif isinstance(part, AnyOf | AllOf):
            changed.append(replace(part, parts=_mapped(part.parts, change)))
        else:
            changed.append(part)
    return tuple(changed)


def _with(word: Word, others: Sequence[tuple[str, float]], index: SearchIndex) -> Word:
    """The word, to be found in these spellings, too, each for its weight."""
    known = {reading.terms for reading in word.readings}
    fresh: dict[tuple[str, ...], Reading] = {}
    for spelt, weight in others:
        for terms in readings(spelt, index.languages()):
            if terms not in known:
                fresh.setdefault(terms, Reading(terms, weight))
    return replace(word, readings=(*word.readings, *fresh.values()))


def _begun(word: Word, index: SearchIndex, languages: tuple[str, ...]) -> Word:
    """`begin*`: the words that begin so, since the index has only their stems."""
    found = index.begun(word.prefix, MOST_BEGINNINGS)
    return replace(word, readings=tuple(map(Reading, readings_of_all(found, languages))))
