"""Document frequencies count live pages only, however the index came to be."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byway.core.model import Document, UrlId
from byway.core.model.candidates import term_code
from byway.core.settings.schema import IndexSettings
from byway.core.url import normalize
from byway.index import forward_index
from byway.index.forward_index import (
    CodeCounts,
    ForwardReader,
    LiveFrequencies,
    recount,
    sum_counts,
)
from byway.index.index_files import CommitMarker
from byway.index.index_shard import IndexShard
from byway.search.rank.position_features import position_features

WORDS = ("red", "shoe", "blue", "hat", "apple")


def document(number: int, text: str) -> Document:
    return Document(normalize(f"http://a.org/{number}"), UrlId(number), title="Page", text=text)


def opened(folder: Path) -> IndexShard:
    return IndexShard(folder, IndexSettings(), position_features)


def stored(folder: Path) -> CodeCounts:
    frequencies = LiveFrequencies(folder)
    frequencies.load(CommitMarker(folder).frequency_files())
    return frequencies.all()


def counted_anew(folder: Path) -> CodeCounts:
    forward = ForwardReader(folder)
    forward.refresh()
    return recount(forward.distinct_codes(id) for id in forward.live_ids().tolist())


def assert_exact(folder: Path) -> None:
    assert [column.tolist() for column in stored(folder)] == [
        column.tolist() for column in counted_anew(folder)
    ]


def test_frequencies_equal_a_recount_after_updates_and_removals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward_index, "MIN_MERGE_CODES", 3)  # so that files are merged
    texts = {number: " ".join(WORDS[: 1 + number % 5]) for number in range(1, 30)}
    with closing(opened(tmp_path)) as index:
        for number, text in texts.items():
            index.add([document(number, text)])
            index.commit(number)
        index.add([document(3, "new words"), document(4, "red"), document(4, "blue blue")])
        index.remove([UrlId(5), UrlId(6), UrlId(99)])
        index.commit(31)
        assert_exact(tmp_path)
        texts |= {3: "new words", 4: "blue blue"}
        del texts[5], texts[6]
        wanted = {word: sum(word in text for text in texts.values()) for word in WORDS[:4]}
        assert dict(index.statistics(WORDS[:4]).document_frequencies) == wanted
        index.add([document(5, "red")])
        index.commit(32)
        assert_exact(tmp_path)
    assert len([*tmp_path.glob("frequencies-*.npy")]) == 2


def test_a_commit_that_was_interrupted_after_tantivy_is_finished(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as index:
        index.add([document(1, "red shoe"), document(2, "red hat")])
        index.commit(2)
    index = opened(tmp_path)
    index.add([document(1, "blue shoe"), document(3, "red")])
    index.remove([UrlId(2)])
    index._load_frequencies()
    index._files.commit(index._frequencies.prepare())  # and no more: the process dies here
    index.close()
    with closing(opened(tmp_path)) as index:
        index.add([document(4, "apple")])
        assert index.committed_sequence() == 2
        assert dict(index.statistics(WORDS).document_frequencies) == {
            **dict.fromkeys(("red", "shoe", "blue"), 1),
            **dict.fromkeys(("hat", "apple"), 0),
        }
        index.commit(4)
        assert_exact(tmp_path)
        index.add([document(1, "blue shoe"), document(3, "red")])
        index.commit(4)
    assert_exact(tmp_path)


def test_a_commit_that_never_reached_tantivy_is_forgotten(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as index:
        index.add([document(1, "red shoe")])
        index.commit(1)
        log = '{"version": %d, "opstamp": %d, "frequencies": ["a", "b"], "rows": []}'
        version = CommitMarker(tmp_path)._read()["version"]
        (tmp_path / "commit.json").write_text(log % (version, index._files._opstamp()))
    with closing(opened(tmp_path)) as index:
        index.add([document(2, "red")])
        assert index.committed_sequence() == 1
        index.commit(2)
        assert index.statistics(["red"]).document_frequencies == {"red": 2}
    assert_exact(tmp_path)


def test_a_term_beyond_the_forward_index_is_counted(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as index:
        long = "filler " * 40_000 + "needle"
        index.add([document(1, long), document(2, long), document(3, "short")])
        index.commit(3)
        assert index.statistics(["needl", "needle"]).document_frequencies.get("needl") == 2
        index.remove([UrlId(1)])
        index.commit(4)
        assert index.statistics(["needl"]).document_frequencies == {"needl": 1}
        assert_exact(tmp_path)


codes = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(-3, 3)), max_size=12)


@given(codes, codes)
@settings(deadline=None)
def test_counts_add_up_in_any_order(
    one: list[tuple[str, int]], other: list[tuple[str, int]]
) -> None:
    first, second = (
        sum_counts(
            np.array([term_code(word) for word, _ in rows], np.uint32),
            np.array([count for _, count in rows], np.int32),
        )
        for rows in (one, other)
    )
    wanted_codes = np.array([term_code(word) for word in WORDS], np.uint32)
    wanted = [sum(count for name, count in [*one, *other] if name == word) for word in WORDS]
    assert first.plus(second).of(wanted_codes).tolist() == wanted
    assert second.plus(first).of(wanted_codes).tolist() == wanted
