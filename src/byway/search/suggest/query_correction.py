"""Suggested queries: did-you-mean in the letter case of the pages, and related searches."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from byway.core.model import Hit, Query, UrlId
from byway.core.model.query import ParsedQuery
from byway.core.ports import DocumentStore, TermDictionary
from byway.core.text import fold_text, is_stop_word, normalize_phrase, strip_chapter_number, terms
from byway.search.present.passage import snippet_terms_of
from byway.search.query.parser import strip_quotes
from byway.search.rank.ranker import Ranker
from byway.search.suggest.letter_case import restore_letter_case
from byway.search.understand.query_plan import QueryPlan, QueryUnderstanding
from byway.search.understand.spelling import did_you_mean

MAX_RELATED_SEARCHES = 8
MAX_SCANNED_HITS = 10
"""Maximum number of hits whose titles and headings are used."""
MIN_SEARCH_WORDS, MAX_SEARCH_WORDS = 2, 6
"""Minimum and maximum number of words in a related search."""
MAX_SEARCH_CHARS = 60
HEADING_WEIGHT = 0.5
PHRASE_WEIGHT = 0.3
"""Weights of a heading and of another page's title, relative to the first hit's title."""
TITLE_SEPARATOR_PATTERN = re.compile(r"\s+[—–|·:-]+\s+|:\s+")


def related_searches(
    query: ParsedQuery, hits: Sequence[Hit], phrases: Sequence[str]
) -> tuple[str, ...]:
    """Related searches, the likeliest first: each has a query word and another word.

    `phrases` are titles of pages that begin like the query.
    """
    query_terms = snippet_terms_of(query).content_terms
    if not query_terms or not hits:
        return ()
    weights: dict[frozenset[str], float] = {}
    texts: dict[frozenset[str], str] = {}
    # One phrase may be analyzed in the languages of several pages.
    terms_by_phrase: dict[str, frozenset[str]] = {}
    for phrase, weight, language in _weighted_phrases(hits[:MAX_SCANNED_HITS], phrases):
        if (
            not MIN_SEARCH_WORDS <= len(phrase.split()) <= MAX_SEARCH_WORDS
            or len(phrase) > MAX_SEARCH_CHARS
        ):
            continue
        phrase_terms = frozenset(
            term for term in terms(phrase, language) if not is_stop_word(term, language)
        )
        shared, new = phrase_terms & query_terms, phrase_terms - query_terms
        if shared and any(len(term) > 2 and not term.isdigit() for term in new):
            phrase_terms = terms_by_phrase.setdefault(normalize_phrase(phrase), phrase_terms)
            added = weight * len(phrase_terms & query_terms) / len(query_terms)
            weights[phrase_terms] = weights.get(phrase_terms, 0.0) + added
            texts.setdefault(phrase_terms, phrase)
    best = sorted(weights, key=lambda one: -weights[one])
    return tuple(texts[one] for one in best[:MAX_RELATED_SEARCHES])


def _weighted_phrases(
    hits: Sequence[Hit], phrases: Sequence[str]
) -> Iterator[tuple[str, float, str]]:
    """Titles and headings of the hits and titles of other pages, with weight and language."""
    titles = [_title_parts(hit.title) for hit in hits]
    # A suffix that several titles share is the name of the site.
    endings = Counter(fold_text(parts[-1]) for parts in titles if len(parts) > 1)
    site_names = {ending for ending, count in endings.items() if count > 1}
    for place, (hit, parts) in enumerate(zip(hits, titles, strict=True)):
        weight = 1 / (1 + place)
        for part in parts:
            if fold_text(part) not in site_names:
                yield part, weight, hit.language
        for heading in hit.headings:
            text = strip_chapter_number(" ".join(heading.text.split()))
            yield text, HEADING_WEIGHT * weight, hit.language
    for phrase in phrases:
        for part in _title_parts(phrase):
            if fold_text(part) not in site_names:
                yield part, PHRASE_WEIGHT, hits[0].language


def _title_parts(title: str) -> list[str]:
    return TITLE_SEPARATOR_PATTERN.split(strip_chapter_number(" ".join(title.split())))


LETTER_CASE_PAGES = 3
"""Number of pages used to determine the letter case of a correction."""


class QueryCorrector:
    """Suggests a likelier spelling of a query."""

    def __init__(
        self,
        dictionary: TermDictionary,
        documents: DocumentStore,
        understanding: QueryUnderstanding,
        ranker: Ranker,
    ) -> None:
        self._dictionary = dictionary
        self._documents = documents
        self._understanding = understanding
        self._ranker = ranker

    def correct(self, query: Query, plan: QueryPlan, hits: Sequence[Hit]) -> tuple[str, int]:
        """The corrected query, and its page count if it adds a prefix search; otherwise 0.

        Pages with other corrections are already among the hits, so they are not counted.
        """
        if not hits and not query.offset and (bare := strip_quotes(query.text)) != query.text:
            corrected, total = self._correct_quoted(query, bare)
            if corrected:
                return corrected, total
        title = hits[0].title if hits else ""
        corrected = did_you_mean(query.text, plan.corrections, self._dictionary, title)
        if not corrected:
            return "", 0
        if corrected.count("*") > query.text.count("*"):
            ids, total = self._first_pages(query, corrected)
        else:
            ids, total = [hit.id for hit in hits[:LETTER_CASE_PAGES]], 0
        return self._with_letter_case(corrected, query, ids), total

    def _correct_quoted(self, query: Query, bare: str) -> tuple[str, int]:
        """The query with quoted words corrected, if that finds any pages."""
        corrections = self._understanding.plan(replace(query, text=bare)).corrections
        whole_words = {
            typed: spellings
            for typed, spellings in corrections.items()
            if not spellings[0].endswith("*")
        }
        corrected = did_you_mean(query.text, whole_words, self._dictionary)
        if not corrected:
            return "", 0
        ids, total = self._first_pages(query, corrected)
        return (self._with_letter_case(corrected, query, ids), total) if total else ("", 0)

    def _first_pages(self, query: Query, text: str) -> tuple[list[UrlId], int]:
        """The best pages for another query text, and the total number of matching pages."""
        plan = self._understanding.plan(replace(query, text=text))
        _, candidates = self._ranker.first_match(plan, LETTER_CASE_PAGES)
        return [UrlId(int(id)) for id in candidates.ids], candidates.total

    def _with_letter_case(self, corrected: str, query: Query, ids: Sequence[UrlId]) -> str:
        pages = filter(None, map(self._documents.get, ids))
        return restore_letter_case(corrected, query.text, [page.text for page in pages])
