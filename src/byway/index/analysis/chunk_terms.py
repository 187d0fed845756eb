"""What do chunks of texts mean? The terms and the words of many chunks, asked for at once.

Nearly all are one word in small letters, and such ones are stemmed together.
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
"""The language whose chunks are not in small letters."""

Ends = NDArray[np.int64]
TermPredicate = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """The terms of some chunks, what their words are counted as, and where those of each end."""

    terms: list[str]
    term_ends: Ends
    words: list[str]
    word_ends: Ends

    def filter_terms(self, predicate: TermPredicate | None) -> tuple[list[str], Ends]:
        """Those that are kept: all if nobody judges them."""
        return (
            _those(self.terms, self.term_ends, predicate)
            if predicate
            else (self.terms, self.term_ends)
        )

    def filter_words(self, predicate: TermPredicate) -> tuple[list[str], Ends]:
        """Those that count."""
        return _those(self.words, self.word_ends, predicate)


def analyze_chunks(chunks: Sequence[str], languages: Sequence[int]) -> ChunkTerms:
    """What these chunks mean, each in its language."""
    stems = _stems(chunks, languages)
    low = [
        (chunk if not stem or chunk.isascii() else fold_surface_form(chunk))[:MAX_TOKEN_CHARS]
        for chunk, stem in zip(chunks, stems, strict=True)
    ]
    terms: list[str] = []
    words: list[str] = []
    many = np.ones((len(chunks), 2), np.int64)
    here = 0
    for n in [
        n for n, stem in enumerate(stems) if not stem or low[n] != chunks[n][:MAX_TOKEN_CHARS]
    ]:
        found, each = [stems[n]], [chunks[n][:MAX_TOKEN_CHARS]]
        if not stems[n]:
            found, each = terms_and_words(chunks[n], LANGUAGE_NAMES[languages[n]])
        counted = [one for spelt in each for one in dictionary_keys(spelt)]
        terms += stems[here:n] + found
        words += low[here:n] + counted
        many[n] = len(found), len(counted)
        here = n + 1
    ends = np.cumsum(many, axis=0)
    return ChunkTerms(terms + stems[here:], ends[:, 0], words + low[here:], ends[:, 1])


def _stems(chunks: Sequence[str], languages: Sequence[int]) -> list[str]:
    """The term of each chunk that is one word in small letters; nothing for the others."""
    stems = [""] * len(chunks)
    low: defaultdict[int, list[int]] = defaultdict(list)
    for n, (chunk, language) in enumerate(zip(chunks, languages, strict=True)):
        if language != TURKISH_ID and (
            (chunk.isascii() and chunk.isalnum()) or is_lowercase_word(chunk)
        ):
            low[language].append(n)
    for language, those in low.items():
        found = terms_of_lowercase_words([chunks[n] for n in those], LANGUAGE_NAMES[language])
        for n, stem in zip(those, found, strict=True):
            stems[n] = stem
    return stems


def _those(each: list[str], ends: Ends, judged: TermPredicate) -> tuple[list[str], Ends]:
    kept = [*map(judged, each)]
    return [*compress(each, kept)], np.cumsum(np.array([False, *kept]), dtype=np.int64)[ends]
