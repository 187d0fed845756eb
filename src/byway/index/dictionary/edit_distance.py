"""Fuzzy and prefix lookups in arrays of words, by edit distance (Damerau-Levenshtein)."""

from collections.abc import Iterator
from functools import lru_cache
from string import ascii_lowercase, digits

import numpy as np
from numpy.typing import NDArray

from byway.core.ports import FuzzyMatch

TYPO_SCAN_CHARS = 24
"""Leading letters of a prefix in which edits are tried."""

MAX_WORD_CHARS = 24
"""Maximum length of a word; longer ones are left out, because they are rare in queries."""
ROW_DTYPE = np.dtype(
    [("word", f"U{MAX_WORD_CHARS}"), ("letters", np.uint64), ("count", np.int64), ("nth", np.int64)]
)

Rows = NDArray[np.void]


def edit_distances_up_to_one(word: str, others: NDArray[np.str_]) -> NDArray[np.int64]:
    """Edit distance from a word to each of the others: 0, 1, or 2 for any greater distance.

    Outside their common prefix and suffix, two words at distance 1 differ in one letter or in two
    swapped ones.
    """
    length = len(word)
    width = max(length, _width(others))
    word_codes, codes = code_points(np.array([word]), width), code_points(others, width)
    lengths = np.strings.str_len(others).astype(np.int64)
    prefix = _leading_true(word_codes == codes)
    backwards = np.arange(width)
    reversed_codes = np.take_along_axis(
        codes, np.maximum(0, lengths[:, None] - 1 - backwards), axis=1
    )
    suffix = _leading_true(word_codes[:, np.maximum(0, length - 1 - backwards)] == reversed_codes)
    shorter = np.minimum(lengths, length)
    common = np.minimum(prefix + suffix, shorter)
    same_length = lengths == length
    rows, position = np.arange(len(codes)), np.minimum(prefix, length - 1)
    following = np.minimum(position + 1, length - 1)
    swapped = (word_codes[0][position] == codes[rows, following]) & (
        word_codes[0][following] == codes[rows, position]
    )
    is_one = (same_length & ((common == length - 1) | (swapped & (common == length - 2)))) | (
        (np.abs(lengths - length) == 1) & (common == shorter)
    )
    distances: NDArray[np.int64] = np.where(
        same_length & (prefix >= length), 0, np.where(is_one, 1, 2)
    )
    return distances


def edit_distances(word: str, others: NDArray[np.str_]) -> NDArray[np.int64]:
    """Damerau-Levenshtein distance from a word to each of the others.

    Computes the usual dynamic-programming table for all the others at once.
    """
    codes = code_points(others, _width(others)).astype(np.int64)
    lengths = np.strings.str_len(others).astype(np.int64)
    width = int(lengths.max(initial=0))
    previous: NDArray[np.int64] = np.zeros((0, 0), np.int64)
    row = np.tile(np.arange(width + 1), (len(codes), 1))
    for n, letter in enumerate(map(ord, word), 1):
        current = np.full_like(row, n)
        differs = codes[:, :width] != letter
        for m in range(1, width + 1):
            current[:, m] = np.minimum(
                np.minimum(current[:, m - 1], row[:, m]) + 1, row[:, m - 1] + differs[:, m - 1]
            )
            if n > 1 and m > 1:
                swapped = (codes[:, m - 1] == ord(word[n - 2])) & (codes[:, m - 2] == letter)
                current[:, m] = np.where(
                    swapped, np.minimum(current[:, m], previous[:, m - 2] + 1), current[:, m]
                )
        previous, row = row, current
    return row[np.arange(len(codes)), lengths]


def single_edit_prefixes(prefix: str) -> Iterator[list[str]]:
    """All prefixes at edit distance one, in two lists, the likelier ones first.

    Edits of the first letter and replacements of the last are less likely.
    """
    prefix, rest = prefix[:TYPO_SCAN_CHARS], prefix[TYPO_SCAN_CHARS:]
    letters = _alphabet(max(prefix, default="a"))
    likely: dict[str, None] = {}
    unlikely: dict[str, None] = {}
    for position in range(len(prefix)):
        before, letter, after = prefix[:position], prefix[position], prefix[position + 1 :]
        edits = unlikely if not before else likely
        edits.update(dict.fromkeys([f"{before}{new}{letter}{after}" for new in letters]))
        edits = unlikely if not before or not after else likely
        edits.update(dict.fromkeys([f"{before}{new}{after}" for new in letters]))
        edits[before + after] = None
        if after:
            likely[f"{before}{after[0]}{letter}{after[1:]}"] = None
    for edits in (likely, unlikely):
        edits.pop(prefix, None)
        with_rest = (edit + rest for edit in edits)
        yield [edit for edit in with_rest if edit == edit.strip()]


def single_edits(word: str) -> list[str]:
    """All words at edit distance one from a complete word."""
    longer = [word + letter for letter in _alphabet(max(word, default="a"))]
    return [edit for edits in (*single_edit_prefixes(word), longer) for edit in edits]


@lru_cache(maxsize=16)
def _alphabet(letter: str) -> str:
    """The letters of a letter's script, and the space. A folded script fits in a block of 128."""
    if letter.isascii():
        return f"{ascii_lowercase}{digits} "
    block = ord(letter) & ~0x7F
    return "".join(filter(str.isalpha, map(chr, range(block, block + 128)))) + " "


def code_points(words: NDArray[np.str_], width: int) -> NDArray[np.uint32]:
    """Words as rows of code points, padded with 0."""
    padded = np.ascontiguousarray(words.astype(f"U{width}"))
    return padded.view(np.uint32).reshape(len(padded), width)


def _width(words: NDArray[np.str_]) -> int:
    """The maximum number of letters per element."""
    return words.dtype.itemsize // np.dtype("U1").itemsize


def _leading_true(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of true values at the start of each row."""
    first: NDArray[np.int64] = np.argmin(flags, axis=1)
    return np.where(flags.all(axis=1), flags.shape[1], first)


class TermArrays:
    """The rows of the file, with the letter bits and lengths of its words."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.letters = np.ascontiguousarray(rows["letters"])
        self.lengths = np.strings.str_len(rows["word"]).astype(np.int8)


def fuzzy_matches(arrays: TermArrays, word: str, max_distance: int) -> Iterator[FuzzyMatch]:
    """Words in the file within this edit distance."""
    own_bits = letter_bits(np.array([word], f"U{MAX_WORD_CHARS}"))[0]
    # An edit changes two letter bits at most: it clears one and sets one.
    possible = np.bitwise_count(arrays.letters ^ own_bits) <= 2 * max_distance
    rows = arrays.rows[possible & (np.abs(arrays.lengths - len(word)) <= max_distance)]
    measure = edit_distances if max_distance > 1 else edit_distances_up_to_one
    distances = measure(word, rows["word"])
    for n in np.flatnonzero((distances > 0) & (distances <= max_distance)):
        yield FuzzyMatch(str(rows["word"][n]), int(distances[n]), int(rows["count"][n]))


def letter_bits(words: NDArray[np.str_]) -> NDArray[np.uint64]:
    """The letters of each word as bits; some letters share a bit."""
    codes = code_points(words, MAX_WORD_CHARS)
    bits = np.uint64(1) << (codes % 61).astype(np.uint64)
    return np.asarray(np.bitwise_or.reduce(np.where(codes > 0, bits, 0), axis=1), np.uint64)
