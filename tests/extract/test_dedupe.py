"""Small edits are seen through, different pages are told apart, and no near one is missed."""

import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from extract.making import document
from hypothesis import given
from hypothesis import strategies as st

from byway.extract.dedupe import NEAR, NearDuplicates, distance, simhash
from byway.model import UrlId
from byway.text import terms
from byway.village.server import SITES

ARTICLES = sorted((SITES / "encyclopaedia" / "wiki").glob("*.html"))
MANUAL = Path("/usr/share/doc/postgresql-doc-15/html")
LEAST = 50
"""Words; what is shorter says too little to be compared."""


def texts(files: list[Path]) -> list[str]:
    read = [document(file.read_bytes()).text for file in files]
    return [text for text in read if len(terms(text)) >= LEAST]


@pytest.fixture(scope="module")
def articles() -> list[str]:
    return texts(ARTICLES)


# The hash.


@pytest.mark.parametrize(
    ("said", "hash"),
    [
        ("", 0),
        ("pagerank", 7493335925431599113),
        ("the quick brown fox jump over the lazi dog", 4900325836739799857),
        ("елк и the run cafe", -8547713296950565416),
        ("one two three " * 100, 8662188789082307526),
        ("12 34", 2181136361204944373),
        ("\ud800", -1411708172596134671),
    ],
)
def test_a_hash_is_the_same_for_ever(said: str, hash: int) -> None:
    """Stores keep them: if this fails, all pages must be hashed again."""
    assert simhash(said.split()) == hash


def test_numbers_can_be_left_out() -> None:
    may, june = terms("Calendar for 2025-05: nothing"), terms("Calendar for 1999-06: nothing")
    assert simhash(may) != simhash(june)
    assert simhash(may, numbers=False) == simhash(june, numbers=False)
    assert simhash(["2025", "05"], numbers=False) == 0


def test_distance_counts_bits_whatever_the_sign() -> None:
    assert distance(-1, 0) == 64
    assert distance(-1, -2) == 1
    assert distance(1 << 63, -(1 << 63)) == 0


def edits(text: str, seed: int) -> list[str]:
    """The text with a word, a date and the foot changed: four small edits."""
    chance = random.Random(seed)
    words = text.split()
    at = chance.randrange(len(words))
    return [
        " ".join([*words[:at], "zebra", *words[at + 1 :]]),
        " ".join([*words[:at], *words[at + 1 :]]),
        f"{text}\nLast changed on {chance.randrange(1, 29)} May 2024",
        f"Home Contents Help\n{text}",
    ]


def test_small_edits_are_seen_through(articles: list[str]) -> None:
    """Articles of 61 to 222 words: the shorter a page, the more a changed word is of it."""
    edited = [
        (simhash(terms(text)), simhash(terms(other)))
        for seed, text in enumerate(articles[:26])
        for other in edits(text, seed)
    ]
    assert len(edited) == 104
    apart = [distance(*pair) for pair in edited]
    assert sum(each <= NEAR for each in apart) >= 88  # 91 when measured
    assert max(apart) <= NEAR + 4  # 5


def test_different_articles_are_told_apart(articles: list[str]) -> None:
    hashes = [simhash(terms(text)) for text in articles]
    assert len(hashes) > 25
    assert min(distance(*pair) for pair in combinations(hashes, 2)) > NEAR


def test_different_pages_of_a_manual_are_told_apart() -> None:
    if not MANUAL.exists():
        pytest.skip("not installed here")
    hashes = [simhash(terms(text)) for text in texts(sorted(MANUAL.glob("*.html"))[::3])]
    assert len(hashes) > 300
    near = [pair for pair in combinations(hashes, 2) if distance(*pair) <= NEAR]
    assert len(near) <= 1  # none of 72,771 when measured, but some of these pages are much alike


# The index.

HASHES = st.one_of(
    st.integers(-(1 << 63), (1 << 63) - 1),
    # Few bits set: near one another, so that there is something to find.
    st.lists(st.integers(0, 62), max_size=4).map(lambda bits: sum({1 << bit for bit in bits})),
)


@given(st.lists(HASHES, max_size=40), st.lists(HASHES, max_size=10), st.integers(0, 40))
def test_the_nearest_is_found_exactly_when_there_is_one(
    known: list[int], asked: list[int], arranged: int
) -> None:
    first = known[:arranged]
    index = NearDuplicates(range(1, len(first) + 1), first)
    for id, hash in enumerate(known[arranged:], len(first) + 1):
        index.add(UrlId(id), hash)
    assert len(index) == len(known)
    for hash in [*asked, *known]:
        apart = [(distance(hash, other), id) for id, other in enumerate(known, 1)]
        best = min(apart, default=(64, 0))
        assert index.nearest(hash) == (best[1] if best[0] <= NEAR else None)


def test_three_bits_anywhere_are_forgiven_and_four_are_not() -> None:
    chance = random.Random(7)
    hashes = [chance.getrandbits(64) - (1 << 63) for _ in range(5000)]
    index = NearDuplicates(range(1, 5001), hashes)
    for id, hash in enumerate(hashes[:500], 1):
        bits = chance.sample(range(64), 4)
        three = hash ^ sum(1 << bit for bit in bits[:3])
        assert index.nearest(three) == id
        assert index.nearest(three ^ (1 << bits[3])) is None


def test_many_can_be_added_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NearDuplicates, "LOOSE", 100)
    index = NearDuplicates()
    chance = random.Random(8)
    hashes = [chance.getrandbits(64) - (1 << 63) for _ in range(2500)]
    for id, hash in enumerate(hashes, 1):
        index.add(UrlId(id), hash)
    assert [index.nearest(hash) for hash in hashes] == list(range(1, 2501))


def test_a_page_that_was_removed_is_not_found() -> None:
    index = NearDuplicates([1, 2], [8, 9])
    index.add(UrlId(3), 11)
    index.remove(UrlId(1))
    assert (index.nearest(8), len(index)) == (2, 2)
    index.remove(UrlId(2))
    index.remove(UrlId(3))
    assert (index.nearest(8), len(index)) == (None, 0)


def test_an_index_is_made_of_arrays_as_stores_have_them() -> None:
    ids = np.arange(1, 4, dtype=np.int64)
    index = NearDuplicates(ids, np.array([-1, 0, 1 << 40], dtype=np.int64))
    assert [index.nearest(hash) for hash in (-1, 0, (1 << 40) | 1)] == [1, 2, 3]


def test_ids_and_hashes_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="as many hashes as ids"):
        NearDuplicates([1], [])
