"""Term locator: the terms of a query, and where a text has them, without analyzing all of it.

Only words that begin like a wanted term are analyzed. An ASCII word between separators is analyzed
by itself; a word with an apostrophe or non-ASCII letters is analyzed with everything around it up
to the nearest spaces.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple
from unicodedata import category

from byway.core.languages import stemmers
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.text import analyze_word, fold_text, term_spans, terms_by_word
from byway.core.text.characters import JOINERS

SNIPPET_SCAN_CHARS = 20_000
"""Characters of a text that are always scanned; most snippets are found there."""
SNIPPET_DEEP_SCAN_CHARS = 200_000
"""Maximum characters scanned if the words are not close together in the first part: a thousand
characters take a few microseconds."""
MAX_WORD_CHARS = 100
"""Overlap of two scanned passages, so that no word is cut."""
MAX_MATCHES = 1000
"""The scan stops after this many matches."""

STABLE_PREFIX_CHARS = 3
"""Leading letters that no stemmer changes; one fewer in short terms: `using` becomes `use`."""
PREFIX_STRIPPING_LANGUAGES = frozenset(
    code for code, stemmer in stemmers().items() if stemmer.strips_prefixes
)
"""Languages in Latin script whose stemmers also strip letters from the start of words."""
STEM_CHANGING_LANGUAGES = frozenset(
    code for code, stemmer in stemmers().items() if stemmer.changes_first_letters
)
"""Languages whose stemmers change the first letters: the whole text is analyzed."""
UMLAUT_PATTERN = re.compile("(?<=[aou])")
"""The place of an e that the German stemmer reads as part of an umlaut."""

DENSE_NON_ASCII_CHARS = 50
"""With more than one non-ASCII character in this many, each distinct word is checked once."""

PUNCTUATION_REPLACEMENTS = (("’", "'"), *((sign, '"') for sign in "“”‘—–…«»→¶©•\u00a0"))
"""Common non-ASCII punctuation, and ASCII characters that separate words the same way."""
IN_WORD_PUNCTUATION = "".join(joiner.signs for joiner in JOINERS)
IN_WORD_CATEGORIES = frozenset({"Mn", "Mc", "Me", "Cf"})
ASCII_ALPHANUMERICS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
WORD_REST_PATTERN = re.compile(r"[a-z0-9]*")
NON_ASCII_PATTERN = re.compile(r"\?\?*")
APOSTROPHE_PATTERN = re.compile(r"'(?<=[a-z0-9]')(?=[a-z0-9])(?!(?:[stdm]|ll|re|ve)(?![a-z0-9']))")
"""An apostrophe among the first letters of a word: o'clock, but neither it's nor don't."""
SEPARATORS = frozenset({"", *(sign for sign in map(chr, range(128)) if not sign.isalnum())})
SEPARATORS_BEFORE = SEPARATORS - {"'", "-", ".", "?"}
SEPARATORS_AFTER = SEPARATORS - {"'", "-", "+", "#", "?"}
"""Characters that always separate words; ? stands for any non-ASCII letter."""

TermMatch = tuple[str, int, int]
"""A term with its start and end."""
TermMatches = list[TermMatch]
MATCH_SORT_KEY = itemgetter(1, 2, 0)
STOP_WORD_WEIGHT = 0.01
"""Weight of a stop word: just a tie-breaker between windows with the same content words."""
MAX_TARGET_WEIGHT = 2.0
WHOLE_PHRASE_BONUS = 0.5
"""Extra weight of a complete phrase, so that the scan goes deeper to find one."""


@dataclass(frozen=True, slots=True)
class SnippetPhrase:
    """A phrase of the query."""

    whole_part: int
    """The index of the query part for the complete phrase."""
    word_parts: frozenset[int]
    """The indices of the query parts for its individual words."""
    term_sequences: tuple[tuple[str, ...], ...]
    """Its terms in order, in each of its analyses."""


@dataclass(frozen=True)
class SnippetTerms:
    """The terms of a query, grouped into weighted parts."""

    part_by_term: Mapping[str, int] = field(default_factory=dict)
    """The query part of each term; a second term of the same part adds no weight."""
    part_weights: tuple[float, ...] = ()
    """The weight of each part."""
    phrases: tuple[SnippetPhrase, ...] = ()

    @cached_property
    def terms(self) -> frozenset[str]:
        """All terms."""
        return frozenset(self.part_by_term)

    @cached_property
    def target_weight(self) -> float:
        """The weight at which the search for a better window stops: the weight of two words."""
        phrase_parts = {phrase.whole_part for phrase in self.phrases}
        words = sum(
            weight
            for part, weight in enumerate(self.part_weights)
            if weight > STOP_WORD_WEIGHT and part not in phrase_parts
        )
        bonus = WHOLE_PHRASE_BONUS if phrase_parts else 0
        return round(min(MAX_TARGET_WEIGHT, words) + bonus, 6)

    @cached_property
    def content_terms(self) -> frozenset[str]:
        """The terms that are not stop words."""
        return frozenset(
            term
            for term, part in self.part_by_term.items()
            if self.part_weights[part] > STOP_WORD_WEIGHT
        )


def snippet_terms_of(
    query: ParsedQuery, page_language: str = "", query_languages: tuple[str, ...] = ()
) -> SnippetTerms:
    """The snippet terms of a query for a page in this language."""
    part_by_term: dict[str, int] = {}
    weights: list[float] = []
    phrases: list[SnippetPhrase] = []
    words = query.words
    only_stop_words = all(word.is_stop_word for word in words)
    for word in words:
        analyses = _analyses_in(word, page_language, query_languages)
        if not analyses:
            continue
        # Each token of a phrase is a part, so that half a phrase does not count as the whole.
        token_count = len(analyses[0].tokens)
        first = len(weights)
        is_content = only_stop_words or not word.is_stop_word
        weights += [1 / token_count if is_content else STOP_WORD_WEIGHT] * token_count
        for analysis in analyses:
            for place, term in enumerate(analysis.tokens):
                part_by_term.setdefault(term, first + min(place, token_count - 1))
        sequences = tuple(analysis.tokens for analysis in analyses)
        if min(map(len, sequences)) > 1:
            word_parts = frozenset(range(first, len(weights)))
            phrases.append(SnippetPhrase(len(weights), word_parts, sequences))
            weights.append(sum(weights[first:]) + WHOLE_PHRASE_BONUS)
    return SnippetTerms(part_by_term, tuple(weights), tuple(phrases))


def _analyses_in(
    word: TermClause, page_language: str, query_languages: tuple[str, ...]
) -> tuple[TermAnalysis, ...]:
    """The analyses, minus those from languages other than the page's and the most frequent.

    `one` is `on` in Polish: on an English page, no `on` is highlighted.
    """
    if len(word.analyses) < 2:
        return word.analyses
    own = analyze_word(word.text, (page_language, *query_languages[:1]))
    foreign = {*analyze_word(word.text, query_languages)}.difference(own)
    return tuple(one for one in word.analyses if one.tokens not in foreign) or word.analyses


def scanned_text(text: str, max_chars: int = SNIPPET_SCAN_CHARS) -> str:
    """The part of a text that is scanned."""
    return text[:max_chars].strip()


def find_terms_beyond(
    text: str, wanted_terms: frozenset[str], language: str
) -> Iterator[TermMatches]:
    """Matches beyond the part that is always scanned, passage by passage."""
    start, match_count = SNIPPET_SCAN_CHARS, 0
    while start < len(text) and match_count < MAX_MATCHES:
        start = text.rfind(" ", start - MAX_WORD_CHARS, start) + 1 or start
        end = start + SNIPPET_SCAN_CHARS
        matches = find_terms(text[start:end], wanted_terms, language)
        match_count += len(matches)
        yield [(term, start + begin, start + stop) for term, begin, stop in matches]
        start = end


def find_terms(text: str, wanted_terms: frozenset[str], language: str) -> TermMatches:
    """Matches of the wanted terms, in order. Analyzing the whole text takes ten times as long."""
    if not wanted_terms:
        return []
    if language in STEM_CHANGING_LANGUAGES:
        return sorted(
            {match for match in term_spans(text, language) if match[0] in wanted_terms},
            key=MATCH_SORT_KEY,
        )
    folded = _fold_ascii(text)
    matches: TermMatches = []
    has_prefix: Callable[[str], object] = _term_prefixes(wanted_terms).any_in
    if language in PREFIX_STRIPPING_LANGUAGES:
        pattern = _prefix_pattern(wanted_terms, language == "de")
        has_prefix = pattern.search
        spans = {_chunk_span(text, *match.span()) for match in pattern.finditer(folded)}
    else:
        matches, spans = _ascii_matches(text, folded, wanted_terms, language)
    chunk_matches: dict[str, TermMatches] = {}
    for chunk in _non_ascii_chunks(text, folded, has_prefix):
        chunk_matches[chunk] = _matches_in(chunk, wanted_terms, language)
        if chunk_matches[chunk]:
            spans.update(_occurrences(text, chunk))
    for begin, end in spans:
        chunk = text[begin:end]
        if chunk not in chunk_matches:
            chunk_matches[chunk] = _matches_in(chunk, wanted_terms, language)
        matches += [
            (term, begin + start, begin + stop) for term, start, stop in chunk_matches[chunk]
        ]
    return sorted(set(matches) if spans else matches, key=MATCH_SORT_KEY)


def _fold_ascii(text: str) -> str:
    """The text in lower case at the same positions, with ? for non-ASCII characters."""
    if not text.isascii():
        for sign, replacement in PUNCTUATION_REPLACEMENTS:
            text = text.replace(sign, replacement)
    return text.encode("ascii", "replace").lower().decode("ascii")


def _matches_in(chunk: str, wanted_terms: frozenset[str], language: str) -> TermMatches:
    return [match for match in term_spans(chunk, language) if match[0] in wanted_terms]


class _TermPrefixes(NamedTuple):
    """The prefixes of the wanted terms."""

    prefixes: tuple[str, ...]
    """All prefixes; for each that begins with e, also its form with e-."""
    ascii_prefixes: tuple[str, ...]
    """The ASCII prefixes among them."""

    def any_in(self, letters: str) -> bool:
        """Whether one of the prefixes occurs in these letters."""
        return any(map(letters.__contains__, self.prefixes))


@lru_cache(maxsize=64)
def _term_prefixes(wanted_terms: frozenset[str]) -> _TermPrefixes:
    candidates = {
        term[: max(min(STABLE_PREFIX_CHARS, len(term) - 1), len(term) - 2, 1)]
        for term in wanted_terms
    }
    candidates |= {
        f"{term[0]}y"
        for term in wanted_terms
        if len(term) == STABLE_PREFIX_CHARS and term[1:] == "ie"
    }  # dying
    prefixes: list[str] = []
    for prefix in sorted(candidates):
        if not prefixes or not prefix.startswith(prefixes[-1]):  # a shorter prefix covers it
            prefixes.append(prefix)
    prefixes += [f"e-{prefix[1:]}" for prefix in prefixes if prefix[0] == "e" and prefix[1:]]
    return _TermPrefixes(tuple(prefixes), tuple(one for one in prefixes if one.isascii()))


@lru_cache(maxsize=64)
def _prefix_pattern(wanted_terms: frozenset[str], is_german: bool) -> re.Pattern[str]:
    """A pattern for the prefixes, for languages in which matches may start inside words."""
    prefixes = map(re.escape, _term_prefixes(wanted_terms).prefixes)
    return re.compile(
        "|".join(UMLAUT_PATTERN.sub("e?", prefix) if is_german else prefix for prefix in prefixes)
    )


def _ascii_matches(
    text: str, folded: str, wanted_terms: frozenset[str], language: str
) -> tuple[TermMatches, set[tuple[int, int]]]:
    """Matches of ASCII words, and the spans of chunks that must be analyzed as a whole."""
    word_terms = terms_by_word(language)
    matches: TermMatches = []
    spans: set[tuple[int, int]] = set()
    for prefix in _term_prefixes(wanted_terms).ascii_prefixes:
        length = len(prefix)
        start = folded.find(prefix)
        while start >= 0:
            end = start + length
            before = folded[start - 1 : start]
            if before not in ASCII_ALPHANUMERICS:  # not inside another word
                end = WORD_REST_PATTERN.match(folded, end).end()  # type: ignore[union-attr]
                after = folded[end : end + 1]
                is_word = (
                    before in SEPARATORS_BEFORE and after in SEPARATORS_AFTER
                ) or _is_separate_word(folded, start, end)
                if is_word and len(terms := word_terms[text[start:end]]) == 1:
                    if terms[0] in wanted_terms:
                        matches.append((terms[0], start, end))
                else:
                    spans.add(_chunk_span(text, start, end))
            start = folded.find(prefix, end)
    return matches, spans


def _is_separate_word(folded: str, start: int, end: int) -> bool:
    """Whether this is a whole word, even if a dot or hyphen is next to it."""
    before, after = folded[start - 1 : start], folded[end : end + 1]
    if before not in SEPARATORS_BEFORE and not (
        (before == "." and folded[start:end] != "net")
        or (before == "-" and folded[max(0, start - 2) : start] != "e-")
    ):
        return False
    return after in SEPARATORS_AFTER or (after == "-" and folded[start:end] != "e")


def _chunk_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The span between the white space before `start` and after `end`."""
    begin = text.rfind(" ", 0, start) + 1
    stop = text.find(" ", end)
    stop = stop if stop >= 0 else len(text)
    # Look for newlines only between the spaces: some texts have few newlines.
    line_end = text.find("\n", end, stop)
    return max(begin, text.rfind("\n", begin, start) + 1), line_end if line_end >= 0 else stop


def _non_ascii_chunks(text: str, folded: str, has_prefix: Callable[[str], object]) -> list[str]:
    """Chunks with an apostrophe or a non-ASCII letter that may contain a wanted term.

    `has_prefix` checks whether a string contains a prefix of a wanted term.
    """
    non_ascii = 0 if text.isascii() else folded.count("?") - text.count("?")
    if non_ascii * DENSE_NON_ASCII_CHARS < len(text):
        spans = [one.span() for one in APOSTROPHE_PATTERN.finditer(folded)] if "'" in folded else []
        spans += [one.span() for one in NON_ASCII_PATTERN.finditer(folded)] if non_ascii else []
        if not spans:
            return []
        chunk_spans = {_chunk_span(text, a, b) for a, b in spans if _is_in_word(text[a:b])}
        chunks = list({chunk for start, end in chunk_spans for chunk in text[start:end].split()})
    else:
        chunks = [chunk for chunk in set(text.split()) if not chunk.isascii() or "'" in chunk]
    # Folding all chunks at once is ten times faster than one by one.
    letters = fold_text("\n".join(chunks)).replace("'", "").replace("·", "")
    if not has_prefix(letters):  # the usual case
        return []
    folded_chunks = zip(chunks, letters.split("\n"), strict=True)
    return [chunk for chunk, chunk_letters in folded_chunks if has_prefix(chunk_letters)]


@lru_cache(maxsize=10_000)
def _is_in_word(characters: str) -> bool:
    """Whether any of these characters can be inside a word; most quotes and dashes cannot."""
    return any(
        character.isalnum()
        or character in IN_WORD_PUNCTUATION
        or category(character) in IN_WORD_CATEGORIES
        for character in characters
    )


def _occurrences(text: str, chunk: str) -> Iterator[tuple[int, int]]:
    """The spans at which a chunk occurs between white space."""
    start = text.find(chunk)
    while start >= 0:
        end = start + len(chunk)
        if not text[max(0, start - 1) : start].strip() and not text[end : end + 1].strip():
            yield start, end
        start = text.find(chunk, end)
