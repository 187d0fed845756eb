"""Phrase matches: complete occurrences of the query's phrases in a text.

Where a phrase occurs completely, its single words are not matches: not every *the* belongs to
`"the fox"`.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from byway.core.text import term_spans
from byway.search.present.snippet_terms import SnippetPhrase, SnippetTerms
from byway.search.present.term_locator import TermMatch, TermMatches

MAX_CHARS_PER_WORD = 100
"""Characters of a phrase per word, separators included."""

MAX_PHRASE_CHECK_CHARS = 100_000
"""Characters analyzed to verify phrases. Only a page that repeats a long phrase and little else has
more: its words then count singly."""

PartMatches = list[tuple[int, int, int]]
"""Query part, start and end of each match."""


def match_parts(
    text: str, matches: TermMatches, snippet_terms: SnippetTerms, language: str
) -> PartMatches:
    """The matches as query parts: a complete phrase is one part and replaces its words."""
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
    """The matches to highlight: of a phrase that occurs completely, only the occurrences."""
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
    """The complete occurrences of a phrase: its words in order, with no other word in between."""
    chars_left = MAX_PHRASE_CHECK_CHARS

    @cache  # a repeated phrase is usually written the same way
    def analyze(passage: str) -> tuple[str, ...]:
        return tuple(term for term, _, _ in term_spans(passage, language))

    for terms in phrase.term_sequences:
        for n, (first, start, _) in enumerate(matches):
            if first != terms[0]:
                continue
            words = matches[n : n + len(terms)]
            if tuple(term for term, _, _ in words) != terms:
                continue
            passage = text[start : min(words[-1][2], start + MAX_CHARS_PER_WORD * len(terms))]
            chars_left -= len(passage)
            if chars_left < 0:
                return
            if analyze(passage) == terms:
                yield words
