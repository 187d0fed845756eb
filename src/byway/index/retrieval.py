"""First-stage retrieval: tantivy hits, their columns, and document frequencies."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tantivy

from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import TermAnalysis, TermClause
from byway.core.text import is_indexable_term
from byway.index.disk.checksums import Damage, damaged_file_error
from byway.index.schema import ALL_TEXT_FIELD, restore_ids

INT64_DTYPE = np.dtype(np.int64)


class RetrievedPages(NamedTuple):
    """The hits of a tantivy query, best first."""

    folder: Path
    searcher: tantivy.Searcher
    hits: Sequence[tuple[float, tantivy.DocAddress]]
    addresses: list[tantivy.DocAddress]
    total: int

    @property
    def scores(self) -> Floats:
        """The BM25 scores of tantivy."""
        return np.array([score for score, _ in self.hits], np.float64)

    @property
    def ids(self) -> Ids:
        """The ids of the pages."""
        return restore_ids(self.column("spread_id"))

    def column(self, name: str) -> Ids:
        """The values of the pages in a numeric column."""
        try:
            values = self.searcher.fast_field_values(name, self.addresses)
            return np.fromiter(values, INT64_DTYPE, len(values))
        except ValueError as error:
            raise damaged_file_error(self.folder, error) from error
        except TypeError as error:
            raise damaged_file_error(self.folder, Damage("missing_value", field=name)) from error


def drop_absent_analyses(
    searcher: tantivy.Searcher, words: Sequence[TermClause]
) -> list[TermClause]:
    """The words without the analyses that no page has: each would be checked on every page."""

    def may_match(analysis: TermAnalysis) -> bool:
        return all(
            searcher.doc_freq(ALL_TEXT_FIELD, term) or not is_indexable_term(term)
            for term in analysis.tokens
        )

    return [replace(word, analyses=tuple(filter(may_match, word.analyses))) for word in words]


def inverse_document_frequencies(searcher: tantivy.Searcher, words: Sequence[TermClause]) -> Floats:
    """IDF of each word: ln(all pages / pages with the word), by its most frequent analysis."""
    page_count = searcher.num_docs
    frequencies = [
        max(
            (
                min(searcher.doc_freq(ALL_TEXT_FIELD, term) for term in analysis.tokens)
                for analysis in word.typed_analyses
            ),
            default=0,
        )
        for word in words
    ]
    # tantivy counts deleted pages until a merge, so a frequency may be too high.
    pages = np.minimum(np.array(frequencies, np.float64), page_count)
    return np.log((page_count + 1) / (pages + 0.5))
