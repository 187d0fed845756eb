"""What is a text like? `byway.core.text.simhash` over codes of terms, compiled. Import it late."""

import numpy as np
from numpy.typing import NDArray

from byway.core.numba import jit
from byway.core.text.simhash import (
    HASH_SALT,
    MAX_TERM_VOTES,
    MIN_EXACT_HASH_WORDS,
    MIN_SIMHASH_WORDS,
)

Hashes = NDArray[np.uint64]

MIX_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
MIX_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
SALT_UINT64 = np.uint64(HASH_SALT)
LOW_BIT_OF_EACH_BYTE = np.uint64(0x0101010101010101)
"""The lowest bit of each byte."""
BYTE_MASK = np.uint64(0xFF)
MAX_VOTES_PER_BYTE = 255
"""Votes that a byte can count."""
ONE = np.uint64(1)
ZERO = np.uint64(0)


@jit
def duplicate_hash_of_codes(codes: NDArray[np.uint32], title: NDArray[np.uint32]) -> np.int64:
    """What `simhash.duplicate_hash` makes of the terms with these codes; 0 is no term."""
    words = np.empty(len(codes), np.uint64)
    size = 0
    for code in codes:
        if code:
            words[size] = _mixed(np.uint64(code) + SALT_UINT64)
            size += 1
    if size < MIN_SIMHASH_WORDS:
        return _exactly(codes, title) if size >= MIN_EXACT_HASH_WORDS else np.int64(0)
    pairs = np.empty(size - 1, np.uint64)
    for n in range(size - 1):
        pairs[n] = _mixed(_mixed(words[n]) + words[n + 1])
    votes = np.zeros(64, np.int64)
    _vote(words[:size], 2, votes)
    _vote(pairs, 1, votes)
    said = ZERO
    for bit in range(64):
        if votes[bit] > 0:
            said |= ONE << np.uint64(bit)
    return np.int64(said)


@jit
def _exactly(codes: NDArray[np.uint32], title: NDArray[np.uint32]) -> np.int64:
    said = SALT_UINT64
    for code in title:
        if code:
            said = _mixed(said ^ np.uint64(code))
    said = _mixed(said)
    for code in codes:
        if code:
            said = _mixed(said ^ np.uint64(code))
    return np.int64(said)


@jit
def _mixed(key: np.uint64) -> np.uint64:
    key = key + MIX_INCREMENT
    key = (key ^ (key >> np.uint64(30))) * MIX_MULTIPLIER_1
    key = (key ^ (key >> np.uint64(27))) * MIX_MULTIPLIER_2
    return key ^ (key >> np.uint64(31))


@jit
def _vote(hashes: Hashes, weight: int, votes: NDArray[np.int64]) -> None:
    """For each bit: add in how many hashes it is 1, less those in which it is 0."""
    room = 16
    while room < 2 * len(hashes):
        room *= 2
    mask = np.uint64(room - 1)
    known, often = np.empty(room, np.uint64), np.zeros(room, np.uint8)
    ones = np.zeros(8, np.uint64)  # in the nth: how often the nth bit of each byte is 1
    all_in_all = 0
    for each in hashes:
        place = each & mask
        while often[place] and known[place] != each:
            place = (place + ONE) & mask
        known[place] = each
        if often[place] == MAX_TERM_VOTES:
            continue
        often[place] += np.uint8(1)
        for n in range(8):
            ones[n] += (each >> np.uint64(n)) & LOW_BIT_OF_EACH_BYTE
        all_in_all += 1
        if all_in_all % MAX_VOTES_PER_BYTE == 0:
            _tell(ones, weight, votes)
    _tell(ones, weight, votes)
    for bit in range(64):
        votes[bit] -= weight * all_in_all


@jit
def _tell(ones: Hashes, weight: int, votes: NDArray[np.int64]) -> None:
    """Add what the bytes have counted, and let them count anew."""
    for n in range(8):
        for byte in range(8):
            counted = np.int64((ones[n] >> np.uint64(8 * byte)) & BYTE_MASK)
            votes[8 * byte + n] += 2 * weight * counted
        ones[n] = ZERO
