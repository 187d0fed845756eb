"""Was it spelt as it is here? Other spellings for words that no page has, or hardly any.

What is likely meant counts less than what was typed, unless no page has that, and is offered as
another query.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from byway.core.model import Apart
from byway.core.model.query import AllOf, AnyOf, Not, Part, Question, Reading, Word
from byway.core.ports import SearchIndex
from byway.core.text import readings_of_all, spoken, words
from byway.search.understand.compounds import parts_of
from byway.search.understand.languages import occurring
from byway.search.understand.spelling_candidates import (
    FORM,
    RARE,
    finished,
    goes_on,
    likelier,
    says_little,
    single,
)

WEIGHTS = {1: 1.0, 2: 1.0, FORM: 0.5}
"""What a spelling with so many slips counts for where no page has the word as it was typed.

With a slip in each, entries of two printed indexes are found at MRR@10 .88 and .76 so; when it
counted half, at .82 and .54.
"""
KNOWN = 0.05
"""What another spelling counts for where some page has the word as it was typed."""
MOST_WORDS = 8
"""Unknown words of a query up to which others are looked at: each takes some milliseconds."""
MOST_BEGINNINGS = 30
EDGES = re.compile(r"^\W+|\W+$")
Likely = dict[str, tuple[str, ...]]
"""For words as they were typed: what may be meant, the likeliest first, all as near."""


@dataclass(frozen=True, slots=True)
class Widened:
    """A question with other spellings where they help, and the likeliest for each word."""

    question: Question
    likely: Likely = field(default_factory=dict)
    apart: tuple[Apart, ...] = ()
    """Words that no page has, and that are looked for by their parts."""


def widened(question: Question, index: SearchIndex, languages: tuple[str, ...]) -> Widened:
    """The question as it helps to ask it here.

    `languages`: those in which typed words are read. Words of the collection are few, and are read
    in all of its languages; but the many that begin alike are not.
    """
    widening = _Widening(question.words, index, languages)
    changed = _mapped(question.parts, widening.of)
    changed = tuple(one for part in changed for one in widening.split.get(part, (part,)))
    likely = widening.likely
    likely |= _finished(question.words, likely, index, languages)
    return Widened(Question(changed), likely, tuple(widening.apart.values()))


class _Widening:
    """Looks for other spellings of the words of one question, and remembers what it found."""

    def __init__(
        self, words: Sequence[Word], index: SearchIndex, languages: tuple[str, ...]
    ) -> None:
        self.likely: Likely = {}
        self.apart: dict[tuple[str, ...], Apart] = {}
        self.split: dict[Part, tuple[Word, ...]] = {}
        """Loose words that are looked for by their parts, which are words like any others."""
        self._unknown: set[str] = set()
        self._alone = len(words) == 1
        self._sure = all(len(word.readings) == 1 for word in words)
        self._index = index
        self._languages = languages

    def of(self, word: Word) -> Part:
        """What is looked for in place of this word."""
        if word.prefix:
            return word
        index = self._index
        each = [index.frequency(reading.terms) for reading in word.readings]
        pages = max(each, default=0)
        if pages > RARE or not single(word) or len(self._unknown) >= MOST_WORDS:
            return word if self._sure else occurring(word, each, index)
        begins = not pages and goes_on(word, index)
        if begins:
            self.likely[word.text] = (f"{EDGES.sub('', word.text)}*",)
        if not pages:
            self._unknown.add(word.text)
            if parts := _made_of(word, index):
                return self._in_parts(word, parts)
        near = likelier(word, pages, index, self._languages, begins)
        return self._as_near(word, pages, near)

    def _in_parts(self, word: Word, parts: tuple[Word, ...]) -> Part:
        texts = tuple(part.text for part in parts)
        self.apart.setdefault(texts, Apart(word.text, tuple(map(self._index.written, texts))))
        if word.loose:
            self.split[AnyOf(parts)] = parts
        return AnyOf(parts)

    def _as_near(self, word: Word, pages: int, near: Sequence[tuple[str, int]]) -> Word:
        """The word, of which so many pages know, and these that are spelt nearly so."""
        telling = [one for one in near if not says_little(one[0], self._languages)]
        if telling:
            nearest = telling[0][1]
            self.likely[word.text] = tuple(spelt for spelt, slips in telling if slips == nearest)
        # `whta is rust` is glad of `what`; but who looks for nothing else does not mean it.
        near = telling if telling or self._alone else near
        weights = [(spelt, KNOWN if pages else WEIGHTS[slips]) for spelt, slips in near]
        return _with(word, weights, self._index)


def begun(question: Question, index: SearchIndex, languages: tuple[str, ...]) -> Question:
    """The question with the words that begin so for each `begin*`: the index has only their stems.

    What must not be there is looked up like what must.
    """

    def widen(word: Word) -> Word:
        if not word.prefix:
            return word
        before, space, last = word.prefix.rpartition(" ")
        # Itself, too: the stem of `create` does not begin with it.
        those = [last, *index.begun(last, MOST_BEGINNINGS)]
        each = readings_of_all([f"{before}{space}{one}" for one in those], languages).items()
        had = ((terms, bits & index.spoken(terms)) for terms, bits in each)
        return word.read_as(tuple([Reading(one, 1.0, bits) for one, bits in had if bits]))

    return Question(_mapped(question.parts, widen, excluded=True))


def instead(text: str, likely: Likely, index: SearchIndex, title: str = "") -> str:
    """The query with the likelier spellings, as pages write them; nothing when there are none.

    Of those that are as near, one that the title of the best hit has beside other words that were
    typed or meant: `repetable reed` is no `repeatable need` where a page is called Repeatable Read.
    """
    changed = text
    called = set(words(title))
    beside = called & {*words(text), *(one for each in likely.values() for one in each)}
    for typed, each in likely.items():
        others = beside.difference(each)
        meant = next((one for one in each if one in called), each[0]) if others else each[0]
        # `meant` has letters only, or a `*` behind them, so it is no pattern itself.
        meant = index.written(meant)
        changed = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", meant, changed, count=1)
    return changed if changed != text else ""


def _finished(
    each: Sequence[Word], likely: Likely, index: SearchIndex, languages: tuple[str, ...]
) -> Likely:
    """The words beside one with a slip that lack their last letter: no page writes `engin`."""
    if all(those[0].endswith("*") for those in likely.values()):
        return {}
    others = [word for word in each if word.text not in likely and word.loose]
    found = ((word.text, finished(word, index, languages)) for word in others[:MOST_WORDS])
    return {typed: (meant,) for typed, meant in found if meant}


def _mapped(
    parts: tuple[Part, ...], change: Callable[[Word], Part], excluded: bool = False
) -> tuple[Part, ...]:
    """The same parts with each word changed, but for what must not be there, unless that too."""
    changed: list[Part] = []
    for part in parts:
        if isinstance(part, Word):
            changed.append(change(part))
        elif isinstance(part, AnyOf | AllOf):
            changed.append(replace(part, parts=_mapped(part.parts, change, excluded)))
        elif isinstance(part, Not) and excluded:
            changed.append(Not(*_mapped((part.part,), change, excluded)))
        else:
            changed.append(part)
    return tuple(changed)


def _made_of(word: Word, index: SearchIndex) -> tuple[Word, ...]:
    """The words that this one is made of, each to be found where it was to be."""
    parts = parts_of(single(word), index, index.languages())
    if not parts or index.near(single(word), 1):  # Festplate is no plate of a Fest
        return ()
    return tuple(replace(word, text=one.text, readings=one.readings) for one in parts)


def _with(word: Word, others: Sequence[tuple[str, float]], index: SearchIndex) -> Word:
    """The word, to be found in these spellings, too, each for its weight."""
    known = {reading.terms for reading in word.readings}
    fresh: dict[tuple[str, ...], Reading] = {}
    for spelt, weight in others:
        for terms, bits in spoken(spelt, index.languages()).items():
            if terms not in known and (had := bits & index.spoken(terms)):
                fresh.setdefault(terms, Reading(terms, weight, had))
    return word.read_as((*word.readings, *fresh.values()))
