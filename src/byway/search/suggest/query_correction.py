"""Did-you-mean: the corrected query in the letter case of the pages, and what it finds."""

from collections.abc import Sequence
from dataclasses import replace

from byway.core.model import Hit, Query, UrlId
from byway.core.ports import DocumentStore, TermDictionary
from byway.search.query.query_tokens import strip_quotes
from byway.search.rank.ranker import Ranker
from byway.search.suggest.letter_case import restore_letter_case
from byway.search.understand.query_plan import QueryPlan, QueryUnderstanding
from byway.search.understand.spelling import did_you_mean

LETTER_CASE_PAGES = 3
"""Pages from which the letter case of a correction is taken."""


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
        """The corrected query, and its number of pages if it adds a prefix search; else 0.

        Pages with other corrections are among the hits already, so they are not counted.
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
        """The query with corrections inside quotation marks, if that finds anything."""
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
        """The best pages for another text, and their total."""
        plan = self._understanding.plan(replace(query, text=text))
        _, candidates = self._ranker.first_match(plan, LETTER_CASE_PAGES)
        return [UrlId(int(id)) for id in candidates.ids], candidates.total

    def _with_letter_case(self, corrected: str, query: Query, ids: Sequence[UrlId]) -> str:
        pages = filter(None, map(self._documents.get, ids))
        return restore_letter_case(corrected, query.text, [page.text for page in pages])
