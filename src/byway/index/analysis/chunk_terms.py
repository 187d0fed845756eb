"""Terms and dictionary words of chunks, many at a time.

Nearly every chunk is a single lower-case word; these are stemmed in one batch.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from byway.core.text import (
    LANGUAGES,
    MAX_TOKEN_CHARS,
    TURKISH,
    fold_surface_form,
    is_lowercase_word,
    terms_and_words,
    terms_of_lowercase_words,
)
from byway.index.dictionary.surface_forms import dictionary_keys

LANGUAGE_IDS = {language: number for number, language in enumerate(("", *LANGUAGES))}
LANGUAGE_NAMES = list(LANGUAGE_IDS)
TURKISH_ID = LANGUAGE_IDS[TURKISH]
"""The language whose chunks are not lower-cased."""

Ends = NDArray[np.int64]
TermPredicate = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """The terms and dictionary keys of a batch of chunks, with the end offsets of each chunk."""

    terms: list[str]
    term_ends: Ends
    words: list[str]
    word_ends: Ends

    def filter_terms(self, predicate: TermPredicate | None) -> tuple[list[str], Ends]:
        """The terms that pass the predicate; all terms if there is none."""
        if predicate is None:
            return self.terms, self.term_ends
        return _select(self.terms, self.term_ends, predicate)

    def filter_words(self, predicate: TermPredicate) -> tuple[list[str], Ends]:
        """The words that pass the predicate."""
        return _select(self.words, self.word_ends, predicate)


def analyze_chunks(chunks: Sequence[str], languages: Sequence[int]) -> ChunkTerms:
    """The terms and words of these chunks, each in its language."""
    stems = _stem_lowercase_words(chunks, languages)
    folded = [
        (chunk if not stem or chunk.isascii() else fold_surface_form(chunk))[:MAX_TOKEN_CHARS]
        for chunk, stem in zip(chunks, stems, strict=True)
    ]
    terms: list[str] = []
    words: list[str] = []
    counts = np.ones((len(chunks), 2), np.int64)
    done = 0
    for n in [
        n for n, stem in enumerate(stems) if not stem or folded[n] != chunks[n][:MAX_TOKEN_CHARS]
    ]:
        chunk_terms, forms = [stems[n]], [chunks[n][:MAX_TOKEN_CHARS]]
        if not stems[n]:
            chunk_terms, forms = terms_and_words(chunks[n], LANGUAGE_NAMES[languages[n]])
        keys = [key for form in forms for key in dictionary_keys(form)]
        terms += stems[done:n] + chunk_terms
        words += folded[done:n] + keys
        counts[n] = len(chunk_terms), len(keys)
        done = n + 1
    ends = np.cumsum(counts, axis=0)
    return ChunkTerms(terms + stems[done:], ends[:, 0], words + folded[done:], ends[:, 1])


def _stem_lowercase_words(chunks: Sequence[str], languages: Sequence[int]) -> list[str]:
    """The term of each chunk that is one lower-case word; empty for the others."""
    stems = [""] * len(chunks)
    by_language: defaultdict[int, list[int]] = defaultdict(list)
    for n, (chunk, language) in enumerate(zip(chunks, languages, strict=True)):
        if language != TURKISH_ID and (
            (chunk.isascii() and chunk.isalnum()) or is_lowercase_word(chunk)
        ):
            by_language[language].append(n)
    for language, numbers in by_language.items():
        language_stems = terms_of_lowercase_words(
            [chunks[n] for n in numbers], LANGUAGE_NAMES[language]
        )
        for n, stem in zip(numbers, language_stems, strict=True):
            stems[n] = stem
    return stems


def _select(values: list[str], ends: Ends, predicate: TermPredicate) -> tuple[list[str], Ends]:
    mask = [*map(predicate, values)]
    return [*compress(values, mask)], np.cumsum(np.array([False, *mask]), dtype=np.int64)[ends]
