"""Hits of pages: title, highlighted snippet, headings and match counts.

A snippet is the shortest window of the text with the most query terms.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import accumulate
from operator import itemgetter
from urllib.parse import unquote

from byway.core.model import Document, Heading, Hit, Signal
from byway.core.text import term_spans, terms
from byway.search.present.passage import (
    MAX_WORD_CHARS,
    PartMatches,
    SnippetPhrase,
    SnippetTerms,
    Window,
    best_window,
    with_context,
)
from byway.search.present.term_locator import TermLocator, TermMatch, TermMatches

SNIPPET_SCAN_CHARS = 20_000
"""Characters of a text that are always scanned; most snippets are found there."""
SNIPPET_DEEP_SCAN_CHARS = 200_000
"""Maximum characters scanned if the words are not close together in the first part: a thousand
characters take a few microseconds."""
MAX_MATCHES = 1000
"""The scan stops after this many matches."""
MAX_HIT_HEADINGS = 3
MAX_SCANNED_HEADINGS = 200
"""Maximum headings searched per page; a page with more is a list of headings."""
MAX_MATCH_POSITIONS = 60
MAX_CHARS_PER_WORD = 100
"""Maximum characters of a phrase per word, separators included."""

MAX_PHRASE_CHECK_CHARS = 100_000
"""Characters analyzed to verify phrases. Only a page that repeats a long phrase and little else has
more; its words are then counted individually."""

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
    language, wanted_terms = document.language, snippet_terms.content_terms
    locator = TermLocator(scanned_text(document.text), language)
    matches = locator.find(wanted_terms)
    headings = find_in_headings(document, wanted_terms)
    pieces = snippet_from_matches(document.text, snippet_terms, locator, matches, snippet_chars)
    if document.description and not any(highlighted for _, highlighted in pieces):
        pieces = snippet(document.description, wanted_terms, snippet_chars, language)
    return Hit(
        url=document.url,
        id=document.id,
        title=document.title or document.url,
        score=score,
        snippet=pieces,
        content_type=document.content_type,
        language=language,
        published=document.published,
        modified=document.modified,
        signals=signals,
        more_from_host=more_from_host,
        records=document.records,
        headings=best_headings(document, headings),
        match_counts=match_counts(document, wanted_terms, headings, matches),
        match_positions=match_positions(document, matches),
    )


def build_title_hit(document: Document, snippet_terms: SnippetTerms) -> Hit:
    """A hit that is not shown, with title and headings only."""
    headings = find_in_headings(document, snippet_terms.content_terms)
    return Hit(
        url=document.url,
        id=document.id,
        title=document.title or document.url,
        score=0.0,
        language=document.language,
        headings=best_headings(document, headings),
    )


def scanned_text(text: str, max_chars: int = SNIPPET_SCAN_CHARS) -> str:
    """The part of a text that is scanned."""
    return text[:max_chars].strip()


def find_in_headings(document: Document, wanted_terms: frozenset[str]) -> TermMatches:
    """Matches of the terms in the headings, joined by newlines."""
    if not document.headings:
        return []
    headings = document.headings[:MAX_SCANNED_HEADINGS]
    joined = "\n".join([heading.text for heading in headings])[:SNIPPET_SCAN_CHARS]
    return TermLocator(joined, document.language).find(wanted_terms)


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
    locator = TermLocator(scanned_text(text), language)
    matches = locator.find(snippet_terms.content_terms)
    return snippet_from_matches(text, snippet_terms, locator, matches, max_chars)


def snippet_from_matches(
    text: str,
    snippet_terms: SnippetTerms,
    locator: TermLocator,
    matches: TermMatches,
    max_chars: int,
) -> HighlightedText:
    """The snippet of a text from a locator of `scanned_text(text)` and its content-word matches."""
    scanned, language = locator.text, locator.language
    window = _best_scanned_window(snippet_terms, locator, matches, max_chars)
    margin = max_chars + MAX_WORD_CHARS  # beyond the scanned text, so that no word is cut
    if window.weight < snippet_terms.target_weight and len(text) > SNIPPET_SCAN_CHARS:
        text = scanned_text(text, SNIPPET_DEEP_SCAN_CHARS + margin)
        for deeper in _find_terms_beyond(text, snippet_terms.content_terms, language):
            parts = match_parts(text, deeper, snippet_terms, language)
            other, _ = best_window(parts, snippet_terms, max_chars)
            window = max(window, other, key=itemgetter(0, 1))
            if window.weight >= snippet_terms.target_weight:
                break
    else:
        text = scanned_text(text, SNIPPET_SCAN_CHARS + margin)
    start, end = with_context(text, window.start, window.end, max_chars)
    if end <= len(scanned) and _is_separate(text, start, end):
        inside = matches[_count_before(matches, start) : _count_before(matches, end)]
    else:
        inside = [
            (term, start + term_start, start + term_end)
            for term, term_start, term_end in term_spans(text[start:end], language)
            if term in snippet_terms.content_terms
        ]
    highlighted = highlighted_matches(text, inside, snippet_terms, language)
    return _pieces(text, start, end, _merge_overlaps(highlighted))


def _best_scanned_window(
    snippet_terms: SnippetTerms, locator: TermLocator, matches: TermMatches, max_chars: int
) -> Window:
    """The best window of the scanned text; stop words decide between windows of equal weight."""
    parts = match_parts(locator.text, matches, snippet_terms, locator.language)
    best, spans = best_window(parts, snippet_terms, max_chars)
    if not snippet_terms.stop_terms or not spans:
        return best
    stop_words: TermMatches = []
    position = 0
    for start, end in spans:
        position = max(position, end - max_chars)
        if position < start + max_chars:
            stop_words += locator.find(snippet_terms.stop_terms, position, start + max_chars)
            position = start + max_chars
    parts += [(snippet_terms.part_by_term[term], begin, stop) for term, begin, stop in stop_words]
    parts.sort(key=itemgetter(1, 2))
    return best_window(parts, snippet_terms, max_chars)[0]


def _find_terms_beyond(
    text: str, wanted_terms: frozenset[str], language: str
) -> Iterator[TermMatches]:
    """Matches beyond the part that is always scanned, passage by passage."""
    start, match_count = SNIPPET_SCAN_CHARS, 0
    while start < len(text) and match_count < MAX_MATCHES:
        start = text.rfind(" ", start - MAX_WORD_CHARS, start) + 1 or start
        end = start + SNIPPET_SCAN_CHARS
        matches = TermLocator(text[start:end], language).find(wanted_terms)
        match_count += len(matches)
        yield [(term, start + begin, start + stop) for term, begin, stop in matches]
        start = end


def _is_separate(text: str, start: int, end: int) -> bool:
    """Whether white space surrounds a passage, so that it has the same terms by itself."""
    return not text[max(0, start - 1) : start].strip() and not text[end : end + 1].strip()


def _count_before(matches: TermMatches, position: int) -> int:
    """The number of matches that start before this position."""
    return bisect_left(matches, position, key=itemgetter(1))


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
