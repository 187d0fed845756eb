"""Spelling correction and query expansion for words that no page, or hardly any, contains.

An edit changes, drops or adds a letter, or swaps two. One edit is corrected in words of at least
four letters, two in words of at least eight. If pages have only another form of the intended word
(`zeppelins` for `zepelin`), the stems are compared. A correction is offered as `did_you_mean`;
it weighs less than the typed word if a page has the typed word."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from byway.core.messages import Diagnosis
from byway.core.model.query import AnyOf, Clause, ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import IndexPorts, SearchIndex, TermDictionary
from byway.core.text import analyze_word, analyze_words, is_stop_word, tokenize
from byway.search.query.parser import map_words
from byway.search.understand.compounds import split_compound

MIN_TYPO_CHARS = 4
MIN_TWO_TYPO_CHARS = 8
"""Minimum letters for correcting one edit, and for correcting two."""
MIN_PREFIX_CHARS = 5
"""Minimum letters of a word that is treated as the first part of longer words (compounds)."""
MAX_TYPO_PAGES = 5
"""Maximum document frequency of a word that may be a typo."""
MIN_FREQUENCY_RATIO = 20
"""Minimum ratio of a correction's document frequency to that of the typed word."""
STEM_TYPO_DISTANCE = 3
"""The distance assigned to a word whose stem is one edit from the typed word's stem."""
MAX_CANDIDATES = 3
MAX_STEM_COMPARISONS = 40
"""Maximum words with the same prefix whose stems are compared, most frequent first."""


def correctable_word(word: TermClause) -> str:
    """The single word of letters in this clause; empty if it must not be corrected."""
    tokens = tokenize(word.text)
    if word.exact or word.is_stop_word or len(tokens) != 1 or not tokens[0].isalpha():
        return ""
    return tokens[0]


def spelling_candidates(
    word: TermClause,
    page_count: int,
    dictionary: TermDictionary,
    languages: Sequence[str],
    is_prefix: bool = False,
) -> list[tuple[str, int]]:
    """Likelier spellings of a word found on `page_count` pages, with their edit distances.

    Words are analyzed in `languages`. `is_prefix` says that the word is the start of longer words.
    """
    typed = correctable_word(word)
    if len(typed) < MIN_TYPO_CHARS:
        return []
    if page_count and typed not in dictionary.prefix(typed, MAX_STEM_COMPARISONS):
        return []  # pages have another form of it, so it is spelled correctly
    typed_tokens = {analysis.tokens for analysis in word.analyses}
    candidates = [
        (one, distance)
        for one, distance, count in dictionary.fuzzy(typed, 1)
        if count >= MIN_FREQUENCY_RATIO * page_count
        and typed_tokens.isdisjoint(analyze_word(one, languages))
    ]
    # Two edits only for an unknown word that has no candidate at one edit.
    if is_prefix:
        return candidates[:MAX_CANDIDATES]
    if not candidates and not page_count and len(typed) >= MIN_TWO_TYPO_CHARS:
        candidates = [(one, distance) for one, distance, _ in dictionary.fuzzy(typed, 2)]
    if not candidates and not page_count:
        candidates = _stem_candidates(typed, dictionary, languages)
    return candidates[:MAX_CANDIDATES]


def complete_stem(word: TermClause, dictionary: TermDictionary, languages: Sequence[str]) -> str:
    """The full form of a word that lacks its last letter; empty if a page has it as typed."""
    typed, stems = correctable_word(word), {analysis.tokens for analysis in word.analyses}
    if len(typed) < MIN_TYPO_CHARS or (typed,) not in stems:
        return ""
    matches = dictionary.prefix(typed, MAX_STEM_COMPARISONS)
    longer = [one for one in matches if len(one) == len(typed) + 1]
    if typed in matches:
        return ""
    return next((one for one in longer if not stems.isdisjoint(analyze_word(one, languages))), "")


def surface_form(word: str, dictionary: TermDictionary) -> str:
    """The form in which most pages write a folded word, in lower case with accents."""
    forms = dictionary.surface_forms(word)
    return max(forms, key=lambda form: (forms[form], form == word, form), default=word)


def is_stop_word_in_any(word: str, languages: Sequence[str]) -> bool:
    """Whether this is a stop word in one of the languages."""
    return any(is_stop_word(word, language) for language in languages or [""])


def _stem_candidates(
    typed: str, dictionary: TermDictionary, languages: Sequence[str]
) -> list[tuple[str, int]]:
    """Words whose stem is one edit from the typed word's stem and has the same first letter."""
    stems = [stem for stem in _stems(typed, languages) if len(stem) >= MIN_TYPO_CHARS]
    words = dict.fromkeys(
        one for stem in stems for one in dictionary.fuzzy_prefix(stem, MAX_STEM_COMPARISONS)
    )
    return [
        (one, STEM_TYPO_DISTANCE)
        for one in words
        if any(is_one_edit(stem, other) for stem in stems for other in _stems(one, languages))
    ]


def _stems(word: str, languages: Sequence[str]) -> list[str]:
    return [tokens[0] for tokens in analyze_word(word, languages) if len(tokens) == 1]


def is_one_edit(word: str, other: str) -> bool:
    """Whether two words differ by one letter, or by two swapped ones."""
    start = _common_prefix_length(word, other)
    word, other = word[start:], other[start:]
    end = _common_prefix_length(word[::-1], other[::-1])
    word, other = word[: len(word) - end], other[: len(other) - end]
    return max(len(word), len(other)) == 1 or (len(word) == 2 and word == other[::-1])


def _common_prefix_length(word: str, other: str) -> int:
    pairs = zip(word, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


WEIGHT_BY_DISTANCE = {1: 1.0, 2: 1.0, STEM_TYPO_DISTANCE: 0.5}
"""Weight of a correction by its edit distance, if no page has the typed word.

Entries of two printed indexes, each with a typo, are found with an MRR@10 of .88 and .76; at half
the weight, .82 and .54.
"""
KNOWN_WORD_CORRECTION_WEIGHT = 0.05
"""Weight of a correction if some page has the typed word."""
MAX_CORRECTED_WORDS = 8
"""Maximum number of unknown words corrected per query: each takes a few milliseconds."""
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
    """Unknown compound words that are searched by their parts."""


def expand_spelling(
    query: ParsedQuery, ports: IndexPorts, languages: tuple[str, ...]
) -> ExpandedQuery:
    """The query with corrections and compound parts for its unknown words.

    Corrections are analyzed in `languages`.
    """
    expander = _SpellingExpander(query, ports, languages)
    clauses = map_words(query.clauses, expander.expand)
    clauses = tuple(
        one for clause in clauses for one in expander.compound_parts.get(clause, (clause,))
    )
    corrections = expander.corrections
    corrections |= _completed_stems(query.words, corrections, ports.dictionary, languages)
    return ExpandedQuery(ParsedQuery(clauses), corrections, tuple(expander.split_words.values()))


class _SpellingExpander:
    """Expands the words of one query and collects the corrections."""

    def __init__(self, query: ParsedQuery, ports: IndexPorts, languages: tuple[str, ...]) -> None:
        self.corrections: SpellingCorrections = {}
        self.split_words: dict[tuple[str, ...], Diagnosis] = {}
        self.compound_parts: dict[Clause, tuple[TermClause, ...]] = {}
        """Optional words that were split, with their parts, which are also optional."""
        self._unknown: set[str] = set()
        self._is_only_word = len(query.words) == 1
        self._index, self._dictionary = ports.index, ports.dictionary
        self._statistics = self._index.statistics(query.all_terms)
        self._languages = languages

    def expand(self, word: TermClause) -> Clause:
        """The clause that replaces this word."""
        if word.prefix:
            return word
        frequencies = [self._statistics.frequency(one.tokens) for one in word.analyses]
        pages = max(frequencies, default=0)
        typed = correctable_word(word)
        if (
            pages > MAX_TYPO_PAGES
            or MIN_FREQUENCY_RATIO * pages > self._statistics.page_count
            or not typed
            or len(self._unknown) >= MAX_CORRECTED_WORDS
        ):
            return word
        is_prefix = (
            not pages
            and len(typed) >= MIN_PREFIX_CHARS
            and any(one != typed for one in self._dictionary.prefix(typed, 2))
        )
        if is_prefix:
            self.corrections[word.text] = (f"{EDGE_PUNCTUATION_PATTERN.sub('', word.text)}*",)
        if not pages:
            self._unknown.add(word.text)
            if parts := _compound_parts(word, self._index, self._dictionary, self._languages):
                return self._split(word, parts)
        candidates = spelling_candidates(word, pages, self._dictionary, self._languages, is_prefix)
        return self._correct(word, pages, candidates)

    def _split(self, word: TermClause, parts: tuple[TermClause, ...]) -> Clause:
        texts = tuple(part.text for part in parts)
        forms = tuple(surface_form(text, self._dictionary) for text in texts)
        self.split_words.setdefault(texts, Diagnosis("split_word", word=word.text, parts=forms))
        if word.is_optional:
            self.compound_parts[AnyOf(parts)] = parts
        return AnyOf(parts)

    def _correct(
        self, word: TermClause, pages: int, candidates: Sequence[tuple[str, int]]
    ) -> TermClause:
        """The word with its corrections as extra analyses; `pages` is its document frequency."""
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
    query: ParsedQuery, ports: IndexPorts, languages: tuple[str, ...]
) -> ParsedQuery:
    """The query with each `prefix*` expanded to words of the collection: the index has only stems.

    Prefixes in exclusions are expanded too.
    """

    def expand(word: TermClause) -> TermClause:
        if not word.prefix:
            return word
        before, space, last = word.prefix.rpartition(" ")
        # The prefix itself is included: the stem of `create` does not begin with it.
        words = [last, *ports.dictionary.prefix(last, MAX_PREFIX_EXPANSIONS)]
        analyses = analyze_words([f"{before}{space}{one}" for one in words], languages)
        return word.with_analyses(occurring_analyses(analyses, ports.index))

    return ParsedQuery(map_words(query.clauses, expand, include_excluded=True))


def did_you_mean(
    text: str, corrections: SpellingCorrections, dictionary: TermDictionary, title: str = ""
) -> str:
    """The query with its corrections, in the surface form of the pages; empty if there are none.

    Among corrections at the same distance, one in the title of the best hit is preferred, if that
    title also has other query words: `repetable reed` becomes `repeatable read`, not
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
        # Safe as a replacement string: only letters, maybe followed by a `*`.
        spelling = surface_form(spelling, dictionary)
        corrected = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", spelling, corrected, count=1)
    return corrected if corrected != text else ""


def _completed_stems(
    words: Sequence[TermClause],
    corrections: SpellingCorrections,
    dictionary: TermDictionary,
    languages: tuple[str, ...],
) -> SpellingCorrections:
    """Completions of words that lack their last letter (`engin`), if another word is corrected."""
    if all(spellings[0].endswith("*") for spellings in corrections.values()):
        return {}
    others = [word for word in words if word.text not in corrections and word.is_optional]
    completed = (
        (word.text, complete_stem(word, dictionary, languages))
        for word in others[:MAX_CORRECTED_WORDS]
    )
    return {typed: (spelling,) for typed, spelling in completed if spelling}


def _compound_parts(
    word: TermClause, index: SearchIndex, dictionary: TermDictionary, languages: tuple[str, ...]
) -> tuple[TermClause, ...]:
    """The parts of a compound word, in the field of the word."""
    parts = split_compound(
        correctable_word(word), lambda analyses: page_count(analyses, index), languages
    )
    # A typo is likelier than a compound: Festplate is not Fest and Plate.
    if not parts or dictionary.fuzzy(correctable_word(word), 1):
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
        for analysis in occurring_analyses(analyze_word(spelling, languages), index, weight):
            if analysis.tokens not in typed_tokens:
                added.setdefault(analysis.tokens, analysis)
    return word.with_analyses((*word.analyses, *added.values()))


def occurring_analyses(
    analyses: Collection[tuple[str, ...]], index: SearchIndex, weight: float = 1.0
) -> tuple[TermAnalysis, ...]:
    """The analyses whose terms all occur, with this weight."""
    statistics = index.statistics({term for terms in analyses for term in terms})
    return tuple([TermAnalysis(one, weight) for one in analyses if statistics.frequency(one)])


def page_count(analyses: Collection[tuple[str, ...]], index: SearchIndex) -> int:
    """The document frequency of the most frequent of a word's analyses."""
    statistics = index.statistics({term for terms in analyses for term in terms})
    return max(map(statistics.frequency, analyses), default=0)
