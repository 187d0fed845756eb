"""Was it spelt as it is here? Other spellings for words that no page has, or hardly any.

What is likely meant counts less than what was typed, unless no page has that, and is offered as
another query.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from byway.core.model import SplitWord
from byway.core.model.query import AllOf, AnyOf, Clause, Not, ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import SearchIndex
from byway.core.text import analyze_word_by_language, analyze_words, tokenize
from byway.search.understand.compounds import split_compound
from byway.search.understand.languages import keep_occurring_analyses
from byway.search.understand.spelling_candidates import (
    MAX_TYPO_PAGES,
    STEM_TYPO_DISTANCE,
    complete_stem,
    correctable_word,
    has_longer_words,
    is_stop_word_in_any,
    spelling_candidates,
)

WEIGHT_BY_DISTANCE = {1: 1.0, 2: 1.0, STEM_TYPO_DISTANCE: 0.5}
"""What a spelling with so many slips counts for where no page has the word as it was typed.

With a slip in each, entries of two printed indexes are found at MRR@10 .88 and .76 so; when it
counted half, at .82 and .54.
"""
KNOWN_WORD_CORRECTION_WEIGHT = 0.05
"""What another spelling counts for where some page has the word as it was typed."""
MAX_CORRECTED_WORDS = 8
"""Unknown words of a query up to which others are looked at: each takes some milliseconds."""
MAX_PREFIX_EXPANSIONS = 30
EDGE_PUNCTUATION_PATTERN = re.compile(r"^\W+|\W+$")
SpellingCorrections = dict[str, tuple[str, ...]]
"""For words as they were typed: what may be meant, the likeliest first, all as near."""


@dataclass(frozen=True, slots=True)
class ExpandedQuery:
    """A question with other spellings where they help, and the likeliest for each word."""

    query: ParsedQuery
    corrections: SpellingCorrections = field(default_factory=dict)
    split_words: tuple[SplitWord, ...] = ()
    """Words that no page has, and that are looked for by their parts."""


def expand_spelling(
    query: ParsedQuery, index: SearchIndex, languages: tuple[str, ...]
) -> ExpandedQuery:
    """The question as it helps to ask it here.

    `languages`: those in which typed words are read. Words of the collection are few, and are read
    in all of its languages; but the many that begin alike are not.
    """
    widening = _SpellingExpander(query.words, index, languages)
    changed = _mapped(query.clauses, widening.expand)
    changed = tuple(one for part in changed for one in widening.compound_parts.get(part, (part,)))
    likely = widening.corrections
    likely |= _finished(query.words, likely, index, languages)
    return ExpandedQuery(ParsedQuery(changed), likely, tuple(widening.split_words.values()))


class _SpellingExpander:
    """Looks for other spellings of the words of one question, and remembers what it found."""

    def __init__(
        self, words: Sequence[TermClause], index: SearchIndex, languages: tuple[str, ...]
    ) -> None:
        self.corrections: SpellingCorrections = {}
        self.split_words: dict[tuple[str, ...], SplitWord] = {}
        self.compound_parts: dict[Clause, tuple[TermClause, ...]] = {}
        """Loose words that are looked for by their parts, which are words like any others."""
        self._unknown: set[str] = set()
        self._alone = len(words) == 1
        self._sure = all(len(word.analyses) == 1 for word in words)
        self._index = index
        self._languages = languages

    def expand(self, word: TermClause) -> Clause:
        """What is looked for in place of this word."""
        if word.prefix:
            return word
        index = self._index
        each = [index.document_frequency(reading.tokens) for reading in word.analyses]
        pages = max(each, default=0)
        if (
            pages > MAX_TYPO_PAGES
            or not correctable_word(word)
            or len(self._unknown) >= MAX_CORRECTED_WORDS
        ):
            return word if self._sure else keep_occurring_analyses(word, each, index)
        begins = not pages and has_longer_words(word, index)
        if begins:
            self.corrections[word.text] = (f"{EDGE_PUNCTUATION_PATTERN.sub('', word.text)}*",)
        if not pages:
            self._unknown.add(word.text)
            if parts := _made_of(word, index):
                return self._in_parts(word, parts)
        near = spelling_candidates(word, pages, index, self._languages, begins)
        return self._as_near(word, pages, near)

    def _in_parts(self, word: TermClause, parts: tuple[TermClause, ...]) -> Clause:
        texts = tuple(part.text for part in parts)
        self.split_words.setdefault(
            texts, SplitWord(word.text, tuple(map(self._index.surface_form, texts)))
        )
        if word.is_optional:
            self.compound_parts[AnyOf(parts)] = parts
        return AnyOf(parts)

    def _as_near(self, word: TermClause, pages: int, near: Sequence[tuple[str, int]]) -> TermClause:
        """The word, of which so many pages know, and these that are spelt nearly so."""
        telling = [one for one in near if not is_stop_word_in_any(one[0], self._languages)]
        if telling:
            nearest = telling[0][1]
            self.corrections[word.text] = tuple(
                spelt for spelt, slips in telling if slips == nearest
            )
        # `whta is rust` is glad of `what`; but who looks for nothing else does not mean it.
        near = telling if telling or self._alone else near
        weights = [
            (spelt, KNOWN_WORD_CORRECTION_WEIGHT if pages else WEIGHT_BY_DISTANCE[slips])
            for spelt, slips in near
        ]
        return _with(word, weights, self._index)


def expand_prefixes(
    query: ParsedQuery, index: SearchIndex, languages: tuple[str, ...]
) -> ParsedQuery:
    """The question with the words that begin so for each `begin*`: the index has only their stems.

    What must not be there is looked up like what must.
    """

    def widen(word: TermClause) -> TermClause:
        if not word.prefix:
            return word
        before, space, last = word.prefix.rpartition(" ")
        # Itself, too: the stem of `create` does not begin with it.
        those = [last, *index.expand_prefix(last, MAX_PREFIX_EXPANSIONS)]
        each = analyze_words([f"{before}{space}{one}" for one in those], languages).items()
        had = ((terms, bits & index.languages_with(terms)) for terms, bits in each)
        return word.with_analyses(
            tuple([TermAnalysis(one, 1.0, bits) for one, bits in had if bits])
        )

    return ParsedQuery(_mapped(query.clauses, widen, excluded=True))


def did_you_mean(
    text: str, corrections: SpellingCorrections, index: SearchIndex, title: str = ""
) -> str:
    """The query with the likelier spellings, as pages write them; nothing when there are none.

    Of those that are as near, one that the title of the best hit has beside other words that were
    typed or meant: `repetable reed` is no `repeatable need` where a page is called Repeatable Read.
    """
    changed = text
    called = set(tokenize(title))
    beside = called & {*tokenize(text), *(one for each in corrections.values() for one in each)}
    for typed, each in corrections.items():
        others = beside.difference(each)
        meant = next((one for one in each if one in called), each[0]) if others else each[0]
        # `meant` has letters only, or a `*` behind them, so it is no pattern itself.
        meant = index.surface_form(meant)
        changed = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", meant, changed, count=1)
    return changed if changed != text else ""


def _finished(
    each: Sequence[TermClause],
    likely: SpellingCorrections,
    index: SearchIndex,
    languages: tuple[str, ...],
) -> SpellingCorrections:
    """The words beside one with a slip that lack their last letter: no page writes `engin`."""
    if all(those[0].endswith("*") for those in likely.values()):
        return {}
    others = [word for word in each if word.text not in likely and word.is_optional]
    found = (
        (word.text, complete_stem(word, index, languages)) for word in others[:MAX_CORRECTED_WORDS]
    )
    return {typed: (meant,) for typed, meant in found if meant}


def _mapped(
    parts: tuple[Clause, ...], change: Callable[[TermClause], Clause], excluded: bool = False
) -> tuple[Clause, ...]:
    """The same parts with each word changed, but for what must not be there, unless that too."""
    changed: list[Clause] = []
    for part in parts:
        if isinstance(part, TermClause):
            changed.append(change(part))
        elif isinstance(part, AnyOf | AllOf):
            changed.append(replace(part, clauses=_mapped(part.clauses, change, excluded)))
        elif isinstance(part, Not) and excluded:
            changed.append(Not(*_mapped((part.clause,), change, excluded)))
        else:
            changed.append(part)
    return tuple(changed)


def _made_of(word: TermClause, index: SearchIndex) -> tuple[TermClause, ...]:
    """The words that this one is made of, each to be found where it was to be."""
    parts = split_compound(correctable_word(word), index, index.languages())
    if not parts or index.fuzzy_matches(
        correctable_word(word), 1
    ):  # Festplate is no plate of a Fest
        return ()
    return tuple(replace(word, text=one.text, analyses=one.analyses) for one in parts)


def _with(word: TermClause, others: Sequence[tuple[str, float]], index: SearchIndex) -> TermClause:
    """The word, to be found in these spellings, too, each for its weight."""
    known = {reading.tokens for reading in word.analyses}
    fresh: dict[tuple[str, ...], TermAnalysis] = {}
    for spelt, weight in others:
        for terms, bits in analyze_word_by_language(spelt, index.languages()).items():
            if terms not in known and (had := bits & index.languages_with(terms)):
                fresh.setdefault(terms, TermAnalysis(terms, weight, had))
    return word.with_analyses((*word.analyses, *fresh.values()))
