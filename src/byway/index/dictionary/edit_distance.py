"""How many slips are between a word and each of many others? Measured side by side."""

from collections.abc import Iterator
from functools import lru_cache
from string import ascii_lowercase, digits

import numpy as np
from numpy.typing import NDArray

TYPO_SCAN_CHARS = 24
"""Letters of what was typed in which a slip is looked for."""


def edit_distances_up_to_one(word: str, others: NDArray[np.str_]) -> NDArray[np.int64]:
    """0 where a word is the same, 1 where there is one slip between, 2 where there are more.

    What two words begin and end with alike leaves room for one letter, or for two swapped ones.
    """
    length = len(word)
    width = max(length, _width(others))
    own, codes = code_points(np.array([word]), width), code_points(others, width)
    lengths = np.strings.str_len(others).astype(np.int64)
    before = _alike(own == codes)
    backwards = np.arange(width)
    turned = np.take_along_axis(codes, np.maximum(0, lengths[:, None] - 1 - backwards), axis=1)
    after = _alike(own[:, np.maximum(0, length - 1 - backwards)] == turned)
    shorter = np.minimum(lengths, length)
    alike = np.minimum(before + after, shorter)
    same_length = lengths == length
    rows, here = np.arange(len(codes)), np.minimum(before, length - 1)
    behind = np.minimum(here + 1, length - 1)
    swapped = (own[0][here] == codes[rows, behind]) & (own[0][behind] == codes[rows, here])
    one = (same_length & ((alike == length - 1) | (swapped & (alike == length - 2)))) | (
        (np.abs(lengths - length) == 1) & (alike == shorter)
    )
    slips: NDArray[np.int64] = np.where(same_length & (before >= length), 0, np.where(one, 1, 2))
    return slips


def edit_distances(word: str, others: NDArray[np.str_]) -> NDArray[np.int64]:
    """Slips between a word and each other: letters changed, lost, added, or two swapped.

    The usual table, worked out for all the others at once; two swapped letters are one slip.
    """
    codes = code_points(others, _width(others)).astype(np.int64)
    lengths = np.strings.str_len(others).astype(np.int64)
    width = int(lengths.max(initial=0))
    before: NDArray[np.int64] = np.zeros((0, 0), np.int64)
    line = np.tile(np.arange(width + 1), (len(codes), 1))
    for n, letter in enumerate(map(ord, word), 1):
        here = np.full_like(line, n)
        same = codes[:, :width] != letter
        for m in range(1, width + 1):
            here[:, m] = np.minimum(
                np.minimum(here[:, m - 1], line[:, m]) + 1, line[:, m - 1] + same[:, m - 1]
            )
            if n > 1 and m > 1:
                swapped = (codes[:, m - 1] == ord(word[n - 2])) & (codes[:, m - 2] == letter)
                here[:, m] = np.where(
                    swapped, np.minimum(here[:, m], before[:, m - 2] + 1), here[:, m]
                )
        before, line = line, here
    return line[np.arange(len(codes)), lengths]


def single_edit_prefixes(prefix: str) -> Iterator[list[str]]:
    """What may be meant by an unfinished text in which there is one slip, the likeliest first.

    Hardly anybody slips in the first letter, and the last one may be just the last so far.
    """
    prefix, rest = prefix[:TYPO_SCAN_CHARS], prefix[TYPO_SCAN_CHARS:]
    letters = _alphabet(max(prefix, default="a"))
    likely: dict[str, None] = {}
    others: dict[str, None] = {}
    for here in range(len(prefix)):
        before, letter, after = prefix[:here], prefix[here], prefix[here + 1 :]
        found = others if not before else likely
        found.update(dict.fromkeys([f"{before}{one}{letter}{after}" for one in letters]))
        found = others if not before or not after else likely
        found.update(dict.fromkeys([f"{before}{one}{after}" for one in letters]))
        found[before + after] = None
        if after:
            likely[f"{before}{after[0]}{letter}{after[1:]}"] = None
    for found in (likely, others):
        found.pop(prefix, None)
        whole = (one + rest for one in found)
        yield [one for one in whole if one == one.strip()]


def single_edits(word: str) -> list[str]:
    """All that is one slip away from a whole word."""
    longer = [word + letter for letter in _alphabet(max(word, default="a"))]
    return [one for some in (*single_edit_prefixes(word), longer) for one in some]


@lru_cache(maxsize=16)
def _alphabet(letter: str) -> str:
    """The letters of its script, and the space: a block of 128 has all that folding leaves."""
    if letter.isascii():
        return f"{ascii_lowercase}{digits} "
    block = ord(letter) & ~0x7F
    return "".join(filter(str.isalpha, map(chr, range(block, block + 128)))) + " "


def code_points(words: NDArray[np.str_], width: int) -> NDArray[np.uint32]:
    """Words as rows of code points, 0 behind their end."""
    whole = np.ascontiguousarray(words.astype(f"U{width}"))
    return whole.view(np.uint32).reshape(len(whole), width)


def _width(written: NDArray[np.str_]) -> int:
    """Letters that each has room for."""
    return written.dtype.itemsize // np.dtype("U1").itemsize


def _alike(same: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of each row are true before the first that is not."""
    first: NDArray[np.int64] = np.argmin(same, axis=1)
    return np.where(same.all(axis=1), same.shape[1], first)
