"""Was it spelt as it is here? Other spellings for words that no page has, or hardly any.

What is likely meant counts less than what was typed, and is offered as another query.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from byway.ports import SearchIndex
from byway.question import AllOf, AnyOf, Part, Question, Reading, Word
from byway.search.compounds import halves
from byway.search.slips import likelier, says_little
from byway.text import readings, words

WEIGHTS = {1: 0.5, 2: 0.25}
KNOWN = 0.05
"""What another spelling counts for where some page has the word as it was typed."""
MOST_WORDS = 8
"""Words of one query that are looked at so: each takes a millisecond."""
MOST_BEGINNINGS = 30


def widened(
    question: Question, index: SearchIndex, languages: tuple[str, ...]
) -> tuple[Question, dict[str, str]]:
    """The question with other spellings where they help, and the likeliest for each word.

    `languages`: those in which typed words are read. Words of the collection are few, and are read
    in all of its languages; but the many that begin alike are not.
    """
    likely: dict[str, str] = {}
    alone = len(question.words) == 1

    def widen(word: Word) -> Word:
        if word.prefix:
            return _begun(word, index, languages)
        parts = _parts(word, index) if len(likely) < MOST_WORDS else ()
        if parts:
            return replace(word, readings=(*word.readings, *parts))
        pages, near = likelier(word, index) if len(likely) < MOST_WORDS else (0, [])
        telling = [one for one in near if not says_little(one[0], languages)]
        if telling:
            likely[word.text] = telling[0][0]
        # `whta is rust` is glad of `what`; but who looks for nothing else does not mean it.
        near = telling if telling or alone else near
        if not near:
            return word
        other = [
            Reading(terms, KNOWN if pages else WEIGHTS[slips])
            for spelt, slips in near
            for terms in readings(spelt, index.languages())
        ]
        known = {reading.terms for reading in word.readings}
        fresh = {one.terms: one for one in reversed(other) if one.terms not in known}
        return replace(word, readings=(*word.readings, *reversed(fresh.values())))

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


def _begun(word: Word, index: SearchIndex, languages: tuple[str, ...]) -> Word:
    """`begin*`: the words that begin so, since the index has only their stems."""
    found = index.beginning(word.prefix, MOST_BEGINNINGS)
    each = (terms for spelt in found for terms in readings(spelt, languages))
    return replace(word, readings=tuple(map(Reading, dict.fromkeys(each))))


def _parts(word: Word, index: SearchIndex) -> tuple[Reading, ...]:
    """The halves of a word that no page has."""
    spelt = words(word.text)
    if word.exact or word.common or len(spelt) != 1 or not spelt[0].isalpha():
        return ()
    if any(index.frequency(reading.terms) for reading in word.readings):
        return ()
    return halves(spelt[0], index, index.languages())
