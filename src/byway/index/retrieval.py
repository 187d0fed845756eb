"""Which pages does tantivy find? The first stage of a search, before anybody looks into them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tantivy

from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import TermAnalysis, TermClause
from byway.core.text import is_indexable_term
from byway.index.disk.checksums import damaged_file_error
from byway.index.schema import restore_ids

INT64_DTYPE = np.dtype(np.int64)


class RetrievedPages(NamedTuple):
    """The pages that tantivy finds, best first."""

    folder: Path
    searcher: tantivy.Searcher
    hits: Sequence[tuple[float, tantivy.DocAddress]]
    addresses: list[tantivy.DocAddress]
    total: int

    @property
    def scores(self) -> Floats:
        """What tantivy gives each."""
        return np.array([score for score, _ in self.hits], np.float64)

    @property
    def ids(self) -> Ids:
        """Their numbers."""
        return restore_ids(self.column("spread"))

    def column(self, name: str) -> Ids:
        """What they have in a field of numbers."""
        values = self.searcher.fast_field_values(name, self.addresses)
        try:
            return np.fromiter(values, INT64_DTYPE, len(values))
        except TypeError as error:
            raise damaged_file_error(self.folder, f"no {name} of a page") from error


def drop_absent_analyses(
    searcher: tantivy.Searcher, words: Sequence[TermClause]
) -> list[TermClause]:
    """The words with those readings alone that some page may have: each is looked for in all."""

    def may_be(reading: TermAnalysis) -> bool:
        return all(
            searcher.doc_freq("anywhere", term) or not is_indexable_term(term)
            for term in reading.tokens
        )

    return [replace(word, analyses=tuple(filter(may_be, word.analyses))) for word in words]


def inverse_document_frequencies(
    searcher: tantivy.Searcher, words: Sequence[TermClause], quoted_languages: int
) -> Floats:
    """ln(all pages / pages with the word as it was typed), by its most frequent reading.

    By one in the languages that all quote, if it has any: `one` is `on` in Polish, which does not
    make it as frequent.
    """
    all_pages = searcher.num_docs
    with_word = [
        max(
            (
                min(searcher.doc_freq("anywhere", term) for term in reading.tokens)
                for reading in word.in_languages(quoted_languages).typed_analyses
                or word.typed_analyses
            ),
            default=0,
        )
        for word in words
    ]
    # tantivy counts removed pages until they are merged away, so a word may seem too frequent.
    pages = np.minimum(np.array(with_word, np.float64), all_pages)
    return np.log((all_pages + 1) / (pages + 0.5))
