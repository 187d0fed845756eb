"""Spelling correction and query expansion for words that no page, or hardly any, contains.

A correction has less weight than the typed word if any page contains the typed word, and is offered
as `did_you_mean`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from byway.core.model.message import Diagnosis
from byway.core.model.query import AnyOf, Clause, ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import SearchIndex
from byway.core.text import analyze_word, analyze_words, tokenize
from byway.search.query.clauses import map_words
from byway.search.understand.compounds import split_compound
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
"""Weight of a correction by its edit distance, where no page has the typed word.

With a typo in each, entries of two printed indexes are found at MRR@10 .88 and .76; with half the
weight, at .82 and .54.
"""
KNOWN_WORD_CORRECTION_WEIGHT = 0.05
"""Weight of a correction where some page has the typed word."""
MAX_CORRECTED_WORDS = 8
"""Unknown words of a query that are corrected: each takes some milliseconds."""
MAX_PREFIX_EXPANSIONS = 30
EDGE_PUNCTUATION_PATTERN = re.compile(r"^\W+|\W+$")
SpellingCorrections = dict[str, tuple[str, ...]]
"""Corrections by typed word, the likeliest first, all at the same distance."""


@dataclass(frozen=True, slots=True)
class ExpandedQuery:
    """A query with corrections added as analyses, and the likeliest correction of each word."""

    query: ParsedQuery
    corrections: SpellingCorrections = field(default_factory=dict)
    split_words: tuple[Diagnosis, ...] = ()
    """Unknown compound words that are searched for by their parts."""


def expand_spelling(
    query: ParsedQuery, index: SearchIndex, languages: tuple[str, ...]
) -> ExpandedQuery:
    """The query with corrections and compound parts for its unknown words.

    `languages` are those in which corrections are analyzed.
    """
    expander = _SpellingExpander(query.words, index, languages)
    clauses = map_words(query.clauses, expander.expand)
    clauses = tuple(
        one for clause in clauses for one in expander.compound_parts.get(clause, (clause,))
    )
    corrections = expander.corrections
    corrections |= _completed_stems(query.words, corrections, index, languages)
    return ExpandedQuery(ParsedQuery(clauses), corrections, tuple(expander.split_words.values()))


class _SpellingExpander:
    """Expands the words of one query and collects the corrections."""

    def __init__(
        self, words: Sequence[TermClause], index: SearchIndex, languages: tuple[str, ...]
    ) -> None:
        self.corrections: SpellingCorrections = {}
        self.split_words: dict[tuple[str, ...], Diagnosis] = {}
        self.compound_parts: dict[Clause, tuple[TermClause, ...]] = {}
        """Optional words that are split, with their parts, which are also optional."""
        self._unknown: set[str] = set()
        self._is_only_word = len(words) == 1
        self._index = index
        self._languages = languages

    def expand(self, word: TermClause) -> Clause:
        """The clause that replaces this word."""
        if word.prefix:
            return word
        index = self._index
        pages = max((index.document_frequency(one.tokens) for one in word.analyses), default=0)
        if (
            pages > MAX_TYPO_PAGES
            or not correctable_word(word)
            or len(self._unknown) >= MAX_CORRECTED_WORDS
        ):
            return word
        is_prefix = not pages and has_longer_words(word, index)
        if is_prefix:
            self.corrections[word.text] = (f"{EDGE_PUNCTUATION_PATTERN.sub('', word.text)}*",)
        if not pages:
            self._unknown.add(word.text)
            if parts := _compound_parts(word, index, self._languages):
                return self._split(word, parts)
        candidates = spelling_candidates(word, pages, index, self._languages, is_prefix)
        return self._correct(word, pages, candidates)

    def _split(self, word: TermClause, parts: tuple[TermClause, ...]) -> Clause:
        texts = tuple(part.text for part in parts)
        surface_forms = tuple(map(self._index.surface_form, texts))
        self.split_words.setdefault(
            texts, Diagnosis("split_word", word=word.text, parts=surface_forms)
        )
        if word.is_optional:
            self.compound_parts[AnyOf(parts)] = parts
        return AnyOf(parts)

    def _correct(
        self, word: TermClause, pages: int, candidates: Sequence[tuple[str, int]]
    ) -> TermClause:
        """The word with its corrections as extra analyses; `pages` contain it as typed."""
        content_words = [
            one for one in candidates if not is_stop_word_in_any(one[0], self._languages)
        ]
        if content_words:
            nearest = content_words[0][1]
            self.corrections[word.text] = tuple(
                spelling for spelling, distance in content_words if distance == nearest
            )
        # `whta is rust` needs `what`; but a query of one word never means a stop word.
        candidates = content_words if content_words or self._is_only_word else candidates
        weights = [
            (spelling, KNOWN_WORD_CORRECTION_WEIGHT if pages else WEIGHT_BY_DISTANCE[distance])
            for spelling, distance in candidates
        ]
        return _with_spellings(word, weights, self._index, self._languages)


def expand_prefixes(
    query: ParsedQuery, index: SearchIndex, languages: tuple[str, ...]
) -> ParsedQuery:
    """The query with the words of the collection for each `prefix*`: the index has only stems.

    Prefixes in exclusions are expanded too.
    """

    def expand(word: TermClause) -> TermClause:
        if not word.prefix:
            return word
        before, space, last = word.prefix.rpartition(" ")
        # The prefix itself is included: the stem of `create` does not begin with it.
        words = [last, *index.expand_prefix(last, MAX_PREFIX_EXPANSIONS)]
        analyses = analyze_words([f"{before}{space}{one}" for one in words], languages)
        return word.with_analyses(
            tuple([TermAnalysis(one) for one in analyses if index.document_frequency(one)])
        )

    return ParsedQuery(map_words(query.clauses, expand, include_excluded=True))


def did_you_mean(
    text: str, corrections: SpellingCorrections, index: SearchIndex, title: str = ""
) -> str:
    """The query with its corrections, in the surface form of the pages; empty if there are none.

    Of corrections at the same distance, one in the title of the best hit is preferred, if that
    title also has other words of the query: `repetable reed` becomes `repeatable read`, not
    `repeatable need`, if a page has the title Repeatable Read.
    """
    corrected = text
    title_words = set(tokenize(title))
    query_words = {*tokenize(text), *(one for each in corrections.values() for one in each)}
    shared_words = title_words & query_words
    for typed, spellings in corrections.items():
        spelling = spellings[0]
        if shared_words.difference(spellings):
            spelling = next((one for one in spellings if one in title_words), spelling)
        # Safe as a replacement string: it has only letters, maybe followed by a `*`.
        spelling = index.surface_form(spelling)
        corrected = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", spelling, corrected, count=1)
    return corrected if corrected != text else ""


def _completed_stems(
    words: Sequence[TermClause],
    corrections: SpellingCorrections,
    index: SearchIndex,
    languages: tuple[str, ...],
) -> SpellingCorrections:
    """Completions of words that lack their last letter (`engin`), if another word is corrected."""
    if all(spellings[0].endswith("*") for spellings in corrections.values()):
        return {}
    others = [word for word in words if word.text not in corrections and word.is_optional]
    completed = (
        (word.text, complete_stem(word, index, languages)) for word in others[:MAX_CORRECTED_WORDS]
    )
    return {typed: (spelling,) for typed, spelling in completed if spelling}


def _compound_parts(
    word: TermClause, index: SearchIndex, languages: tuple[str, ...]
) -> tuple[TermClause, ...]:
    """The parts of a compound word, in the field of the word."""
    parts = split_compound(correctable_word(word), index, languages)
    # A typo is likelier than a compound: Festplate is not Fest and Plate.
    if not parts or index.fuzzy_matches(correctable_word(word), 1):
        return ()
    return tuple(replace(word, text=one.text, analyses=one.analyses) for one in parts)


def _with_spellings(
    word: TermClause,
    weights: Sequence[tuple[str, float]],
    index: SearchIndex,
    languages: tuple[str, ...],
) -> TermClause:
    """The word with these spellings as additional analyses, each with its weight."""
    typed_tokens = {analysis.tokens for analysis in word.analyses}
    added: dict[tuple[str, ...], TermAnalysis] = {}
    for spelling, weight in weights:
        for tokens in analyze_word(spelling, languages):
            if tokens not in typed_tokens and index.document_frequency(tokens):
                added.setdefault(tokens, TermAnalysis(tokens, weight))
    return word.with_analyses((*word.analyses, *added.values()))
