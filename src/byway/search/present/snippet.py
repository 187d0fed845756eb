"""Hits of pages: title, highlighted snippet, headings and match counts.

A snippet is the shortest window of the text with the most query terms.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import unquote

from byway.core.model import Document, Heading, Hit, Signal
from byway.core.text import LANGUAGES, term_spans, terms
from byway.search.present.term_locator import (
    MAX_WORD_CHARS,
    SNIPPET_DEEP_SCAN_CHARS,
    SNIPPET_SCAN_CHARS,
    SnippetPhrase,
    SnippetTerms,
    TermMatch,
    TermMatches,
    find_terms,
    find_terms_beyond,
    scanned_text,
)

MAX_HIT_HEADINGS = 3
MAX_SCANNED_HEADINGS = 200
"""Maximum headings searched per page; a page with more is a list of headings."""
MAX_MATCH_POSITIONS = 60
MAX_CHARS_PER_WORD = 100
"""Maximum characters of a phrase per word, separators included."""

MAX_PHRASE_CHECK_CHARS = 100_000
"""Characters analyzed to verify phrases. Only a page that repeats a long phrase and little else has
more; its words are then counted individually."""

PartMatches = list[tuple[int, int, int]]
"""Query part, start and end of each match."""
SENTENCE_END_PATTERN = re.compile(r"[.!?…]\s+|[。！？]\s*|\n\s*")
HighlightedText = tuple[tuple[str, bool], ...]
"""Pieces of text in order; True marks matches."""


def build_hit(
    document: Document,
    snippet_terms: SnippetTerms,
    snippet_chars: int,
    score: float,
    signals: tuple[Signal, ...],
    more_from_host: int,
) -> Hit:
    """The hit for a page; `more_from_host` hits were demoted."""
    matches = find_terms(scanned_text(document.text), snippet_terms.terms, document.language)
    headings = find_in_headings(document, snippet_terms.terms)
    return Hit(
        url=document.url,
        id=document.id,
        title=document.title or document.url,
        score=score,
        snippet=_snippet(document, snippet_terms, matches, snippet_chars),
        content_type=document.content_type,
        language=document.language,
        published=document.published,
        modified=document.modified,
        signals=signals,
        more_from_host=more_from_host,
        records=document.records,
        headings=best_headings(document, headings),
        match_counts=match_counts(document, snippet_terms.terms, headings, matches),
        match_positions=match_positions(document, matches),
    )


def _snippet(
    document: Document, snippet_terms: SnippetTerms, matches: TermMatches, max_chars: int
) -> HighlightedText:
    """A snippet of the text, or of the description if the text has none of the terms."""
    language = document.language
    from_text = snippet_from_matches(document.text, snippet_terms, matches, max_chars, language)
    if any(highlighted for _, highlighted in from_text) or not document.description:
        return from_text
    return snippet(document.description, snippet_terms.terms, max_chars, language)


def find_in_headings(document: Document, wanted_terms: frozenset[str]) -> TermMatches:
    """Matches of the terms in the headings, joined by newlines."""
    headings = document.headings[:MAX_SCANNED_HEADINGS]
    joined = "\n".join(heading.text for heading in headings)[:SNIPPET_SCAN_CHARS]
    return find_terms(joined, wanted_terms, document.language)


def best_headings(document: Document, matches: TermMatches) -> tuple[Heading, ...]:
    """The headings with an anchor that match the most query terms, in page order."""
    terms_by_heading: dict[int, set[str]] = {}
    ends = list(
        accumulate(len(heading.text) + 1 for heading in document.headings[:MAX_SCANNED_HEADINGS])
    )
    for term, start, _ in matches:
        terms_by_heading.setdefault(bisect_right(ends, start), set()).add(term)
    ranked = sorted(
        (-len(terms), place)
        for place, terms in terms_by_heading.items()
        # A heading that repeats the title adds nothing to the hit.
        if document.headings[place].anchor and document.headings[place].text != document.title
    )
    best = sorted(place for _, place in ranked[:MAX_HIT_HEADINGS])
    return tuple(document.headings[place] for place in best)


def match_positions(document: Document, matches: TermMatches) -> tuple[float, ...]:
    """Positions of the matches, as fractions of the text length."""
    length = max(1, len(document.text))
    return tuple([round(start / length, 3) for _, start, _ in matches[:MAX_MATCH_POSITIONS]])


def match_counts(
    document: Document,
    wanted_terms: frozenset[str],
    heading_matches: TermMatches,
    text_matches: TermMatches,
) -> tuple[tuple[str, int], ...]:
    """Occurrences of the terms by field; fields without any are left out."""

    def count(text: str) -> int:
        return sum(map(wanted_terms.__contains__, terms(text, document.language)))

    counts = {
        "title": count(document.title),
        "url": count(unquote(document.url.partition("://")[2])),
        "headings": len(heading_matches),
        "description": count(document.description),
        "text": len(text_matches),
    }
    return tuple((name, count) for name, count in counts.items() if count)


def match_parts(
    text: str, matches: TermMatches, snippet_terms: SnippetTerms, language: str
) -> PartMatches:
    """Convert matches to query parts; a complete phrase is one part and replaces its words."""
    if not snippet_terms.phrases:  # the usual case
        return [(snippet_terms.part_by_term[term], start, end) for term, start, end in matches]
    parts: PartMatches = []
    single_words = matches
    for phrase in snippet_terms.phrases:
        occurrences = list(_phrase_occurrences(text, matches, phrase, language))
        if occurrences:
            parts += [(phrase.whole_part, words[0][1], words[-1][2]) for words in occurrences]
            single_words = [
                match
                for match in single_words
                if snippet_terms.part_by_term[match[0]] not in phrase.word_parts
            ]
    parts += [(snippet_terms.part_by_term[term], start, end) for term, start, end in single_words]
    return sorted(parts, key=lambda part: part[1:])


def highlighted_matches(
    text: str, matches: TermMatches, snippet_terms: SnippetTerms, language: str
) -> TermMatches:
    """The matches to highlight; if a phrase occurs in full, only its full occurrences."""
    highlighted = set(matches)
    for phrase in snippet_terms.phrases:
        occurrences = _phrase_occurrences(text, matches, phrase, language)
        phrase_words = {match for words in occurrences for match in words}
        if phrase_words:
            parts = phrase.word_parts
            single = {one for one in matches if snippet_terms.part_by_term[one[0]] in parts}
            highlighted -= single - phrase_words
    return [match for match in matches if match in highlighted]


def _phrase_occurrences(
    text: str, matches: TermMatches, phrase: SnippetPhrase, language: str
) -> Iterator[Sequence[TermMatch]]:
    """The full occurrences of a phrase: its words in order, with no others in between."""
    chars_left = MAX_PHRASE_CHECK_CHARS

    @cache  # a repeated phrase is usually written the same way
    def analyze(passage: str) -> tuple[str, ...]:
        return tuple(term for term, _, _ in term_spans(passage, language))

    for sequence in phrase.term_sequences:
        for n, (first, start, _) in enumerate(matches):
            if first != sequence[0]:
                continue
            words = matches[n : n + len(sequence)]
            if tuple(term for term, _, _ in words) != sequence:
                continue
            passage = text[start : min(words[-1][2], start + MAX_CHARS_PER_WORD * len(sequence))]
            chars_left -= len(passage)
            if chars_left < 0:
                return
            if analyze(passage) == sequence:
                yield words


def snippet(
    text: str, wanted_terms: Collection[str], max_chars: int, language: str = ""
) -> HighlightedText:
    """The best `max_chars` characters of a text, with the wanted terms highlighted."""
    part_by_term = {term: part for part, term in enumerate(sorted(wanted_terms))}
    snippet_terms = SnippetTerms(part_by_term, (1.0,) * len(part_by_term))
    matches = find_terms(scanned_text(text), snippet_terms.terms, language)
    return snippet_from_matches(text, snippet_terms, matches, max_chars, language)


def snippet_from_matches(
    text: str, snippet_terms: SnippetTerms, matches: TermMatches, max_chars: int, language: str
) -> HighlightedText:
    """The snippet of a text whose matches in `scanned_text(text)` are known."""
    scanned = scanned_text(text)
    window = _best_window(
        match_parts(scanned, matches, snippet_terms, language), snippet_terms, max_chars
    )
    margin = max_chars + MAX_WORD_CHARS  # beyond the scanned text, so that no word is cut
    if window.weight < snippet_terms.target_weight and len(text) > SNIPPET_SCAN_CHARS:
        text = scanned_text(text, SNIPPET_DEEP_SCAN_CHARS + margin)
        for deeper in find_terms_beyond(text, snippet_terms.content_terms, language):
            parts = match_parts(text, deeper, snippet_terms, language)
            other = _best_window(parts, snippet_terms, max_chars)
            window = max(window, other, key=itemgetter(0, 1))
            if window.weight >= snippet_terms.target_weight:
                break
    else:
        text = scanned_text(text, SNIPPET_SCAN_CHARS + margin)
    start, end = _with_context(text, window.start, window.end, max_chars)
    if end <= len(scanned) and _has_same_matches(text, start, end, language):
        inside = matches[_count_before(matches, start) : _count_before(matches, end)]
    else:
        inside = [
            (term, start + term_start, start + term_end)
            for term, term_start, term_end in term_spans(text[start:end], language)
            if term in snippet_terms.part_by_term
        ]
    highlighted = highlighted_matches(text, inside, snippet_terms, language)
    return _pieces(text, start, end, _merge_overlaps(highlighted))


def _has_same_matches(text: str, start: int, end: int, language: str) -> bool:
    """Whether a passage analyzed on its own has the same matches as within the whole text.

    True if white space surrounds it and the language has no own stemmer.
    """
    is_separate = not text[max(0, start - 1) : start].strip() and not text[end : end + 1].strip()
    return is_separate and language not in LANGUAGES


def _count_before(matches: TermMatches, position: int) -> int:
    """The number of matches that start before this position."""
    return bisect_left(matches, position, key=itemgetter(1))


class _Window(NamedTuple):
    """A passage of the text, and its weight."""

    weight: float = 0.0
    negative_length: int = 0
    """Negative, so that the shorter of two windows with the same weight compares greater."""
    start: int = 0
    end: int = 0


def _best_window(matches: PartMatches, snippet_terms: SnippetTerms, max_chars: int) -> _Window:
    """The shortest window of at most `max_chars` with the highest weight."""
    best = _Window()
    weights = snippet_terms.part_weights
    counts = [0] * len(weights)
    total = rounded = 0.0
    first = 0
    for last, (part, _, end) in enumerate(matches):
        before = total
        total += 0 if counts[part] else weights[part]
        counts[part] += 1
        # Drop a leading part that is repeated later in the window.
        while first < last and (
            counts[matches[first][0]] > 1 or end - matches[first][1] > max_chars
        ):
            dropped = matches[first][0]
            counts[dropped] -= 1
            total -= 0 if counts[dropped] else weights[dropped]
            first += 1
        if total != before:
            # Rounded, because float sums depend on the order of addition.
            rounded = round(total, 6)
        start = matches[first][1]
        if rounded > best.weight or (rounded == best.weight and start - end > best.negative_length):
            best = _Window(rounded, start - end, start, end)
    return best


def _with_context(text: str, start: int, end: int, length: int) -> tuple[int, int]:
    """The window extended to `length`, from the start of its sentence if that is near."""
    if len(text) <= length:
        return 0, len(text)
    room = max(0, length - (end - start))
    earliest = max(0, start - room // 2)
    sentence_ends = [match.end() for match in SENTENCE_END_PATTERN.finditer(text, earliest, start)]
    begin = sentence_ends[-1] if sentence_ends else -1
    if begin < 0:
        begin = earliest if earliest == 0 else _word_start(text, earliest, start)
    stop = min(len(text), max(end, begin + length))
    if stop < len(text):
        stop = _word_end(text, end, stop)
    return begin, stop


def _word_start(text: str, earliest: int, start: int) -> int:
    """The start of a word, preferably after white space, which Chinese text and paths lack."""
    for place in range(earliest, start):
        if text[place].isspace():
            return place + 1
    base = max(0, earliest - MAX_WORD_CHARS)
    begins = (base + begin for _, begin, _ in term_spans(text[base:start]))
    return next((place for place in begins if place >= earliest), start)


def _word_end(text: str, end: int, latest: int) -> int:
    """The end of a word, preferably before white space."""
    for place in range(latest - 1, end - 1, -1):
        if text[place].isspace():
            return place
    spans = term_spans(text[end : latest + MAX_WORD_CHARS])
    return max((end + stop for _, _, stop in spans if end + stop <= latest), default=end) or latest


def _merge_overlaps(matches: TermMatches) -> list[tuple[int, int]]:
    """The spans of the matches, merged where they overlap, as 日本 and 本語 do."""
    spans: list[tuple[int, int]] = []
    for _, begin, stop in matches:
        if spans and begin < spans[-1][1]:
            spans[-1] = spans[-1][0], max(stop, spans[-1][1])
        else:
            spans.append((begin, stop))
    return spans


def _pieces(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> HighlightedText:
    pieces: list[tuple[str, bool]] = []
    if start > 0:
        pieces.append(("… ", False))
    position = start
    for begin, stop in spans:
        if begin >= position and stop <= end:
            if begin > position:
                pieces.append((_collapse_spaces(text[position:begin]), False))
            pieces.append((text[begin:stop], True))
            position = stop
    if position < end:
        pieces.append((_collapse_spaces(text[position:end]), False))
    if end < len(text):
        pieces.append((" …", False))
    return tuple(pieces)


def _collapse_spaces(text: str) -> str:
    """The text with each run of white space collapsed to one space, including at both ends."""
    collapsed = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and collapsed else ""
    return before + collapsed + after
