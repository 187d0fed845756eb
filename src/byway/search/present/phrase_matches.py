"""Where do words stand together that were asked for together? A phrase counts where it is whole.

Where it is whole somewhere, its words alone are no answer: not every the is part of `"the fox"`.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from byway.core.text import term_spans
from byway.search.present.snippet_terms import SnippetPhrase, SnippetTerms
from byway.search.present.term_locator import TermMatch, TermMatches

MAX_CHARS_PER_WORD = 100
"""Characters for each word of a phrase, with what stands between it and the next."""

MAX_PHRASE_CHECK_CHARS = 100_000
"""Characters that are read to see whether a phrase is whole, each as often as one may begin before
it. Only a page that repeats a long phrase and little else has more: its words then count alone."""

PartMatches = list[tuple[int, int, int]]
"""Which part of the question stands there, and where it begins and ends."""


def match_parts(
    text: str, matches: TermMatches, snippet_terms: SnippetTerms, language: str
) -> PartMatches:
    """What is found as parts of the question: whole phrases as one, their words not at all."""
    if not snippet_terms.phrases:  # as a rule
        return [(snippet_terms.part_by_term[term], start, end) for term, start, end in matches]
    there: PartMatches = []
    left = matches
    for phrase in snippet_terms.phrases:
        whole = list(_whole(text, matches, phrase, language))
        if whole:
            there += [(phrase.whole_part, some[0][1], some[-1][2]) for some in whole]
            left = [
                one for one in left if snippet_terms.part_by_term[one[0]] not in phrase.word_parts
            ]
    there += [(snippet_terms.part_by_term[term], start, end) for term, start, end in left]
    return sorted(there, key=lambda one: one[1:])


def highlighted_matches(
    text: str, matches: TermMatches, snippet_terms: SnippetTerms, language: str
) -> TermMatches:
    """What is to be marked of all that is found: of a phrase that is whole somewhere, only that."""
    marked = set(matches)
    for phrase in snippet_terms.phrases:
        whole = {one for some in _whole(text, matches, phrase, language) for one in some}
        if whole:
            marked -= {
                one for one in matches if snippet_terms.part_by_term[one[0]] in phrase.word_parts
            } - whole
    return [one for one in matches if one in marked]


def _whole(
    text: str, found: TermMatches, phrase: SnippetPhrase, language: str
) -> Iterator[Sequence[TermMatch]]:
    """Wherever a phrase stands, its words one after the other with no other between them."""
    left = MAX_PHRASE_CHECK_CHARS

    @cache  # since who says a phrase twice mostly writes it the same
    def read(here: str) -> tuple[str, ...]:
        return tuple(term for term, _, _ in term_spans(here, language))

    for terms in phrase.term_sequences:
        for n, (first, start, _) in enumerate(found):
            if first != terms[0]:
                continue
            some = found[n : n + len(terms)]
            if tuple(term for term, _, _ in some) != terms:
                continue
            here = text[start : min(some[-1][2], start + MAX_CHARS_PER_WORD * len(terms))]
            left -= len(here)
            if left < 0:
                return
            if read(here) == terms:
                yield some
