"""PageRank of edge lists from .tsv, .npy and .parquet files."""

from pathlib import Path

import numpy as np
import pytest
from pagerank.graphs import EXACT_SETTINGS, random_edges, rank_edges

from byway.core.errors import BywayError, DataError, UsageError
from byway.core.settings.schema import RankSettings
from byway.pagerank import edge_buffer, node_ids
from byway.pagerank.edge_list_files import Integers
from byway.pagerank.edge_list_rank import RankedNodes, rank_edge_list, write_ranks

PAIRS = [(0, 1), (1, 2), (2, 0), (3, 0), (3, 3), (0, 1)]
BAD_LINE = "bad_edge_line"
IDS = [0, 7, 2**40, -5]
"""Other ids for the nodes of `PAIRS`."""


def write_file(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def by_id(found: RankedNodes) -> dict[object, float]:
    ids = found.ids if isinstance(found.ids, list) else found.ids.tolist()
    assert found.ranks.tolist() == sorted(found.ranks.tolist(), reverse=True)
    return dict(zip(ids, found.ranks.tolist(), strict=True))


def expected(ids: list[object]) -> dict[object, float]:
    return dict(zip(ids, rank_edges(PAIRS, 4).tolist(), strict=True))


def test_ids_are_small_or_large_integers_or_texts(tmp_path: Path) -> None:
    names: list[object] = [b"a", b"b b", b"\xff", "ё".encode()]
    for ids in ([0, 1, 2, 3], IDS, names):
        texts = [id if isinstance(id, bytes) else str(id).encode() for id in ids]
        lines = b"".join(b"%b\t%b\n" % (texts[one], texts[two]) for one, two in PAIRS)
        found = rank_edge_list(write_file(tmp_path / "edges.tsv", lines), EXACT_SETTINGS, tmp_path)
        assert by_id(found) == pytest.approx(expected(list(ids)))
        assert found.link_count == 5


def test_comments_empty_lines_and_crlf_are_accepted(tmp_path: Path) -> None:
    text = "# a graph\r\n0\t1\r\n\r\n1\t2\r\n2\t0\r\n#\r\n3\t0\r\n3\t3\r\n0\t1"
    found = rank_edge_list(write_file(tmp_path / "edges.tsv", text), EXACT_SETTINGS, tmp_path)
    assert by_id(found) == pytest.approx(expected([0, 1, 2, 3]))
    blanks = write_file(tmp_path / "blanks.tsv", "0 1\n1 2\n2 0\n3 0\n3 3\n")
    assert by_id(rank_edge_list(blanks, EXACT_SETTINGS, tmp_path)) == pytest.approx(
        expected([0, 1, 2, 3])
    )


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.int64, np.dtype(">i4")])
def test_arrays_have_two_rows_or_two_columns(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "edges.npy"
    columns: Integers = np.array(PAIRS).astype(kind)
    for array in (columns, columns.T):
        np.save(path, array)
        assert by_id(rank_edge_list(path, EXACT_SETTINGS, tmp_path)) == pytest.approx(
            expected([0, 1, 2, 3])
        )


def test_parquet_ids_are_integers_or_texts(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "edges.parquet"
    for ids in (IDS, ["a", "b", "c", "d"]):
        columns = [[ids[pair[end]] for pair in PAIRS] for end in (0, 1)]
        parquet.write_table(pyarrow.table({"from": columns[0], "to": columns[1]}), path)
        texts = [id.encode() if isinstance(id, str) else id for id in ids]
        assert by_id(rank_edge_list(path, EXACT_SETTINGS, tmp_path)) == pytest.approx(
            expected(list(texts))
        )


@pytest.mark.parametrize(
    ("ids", "code"),
    [([1.0, 2.5], "pagerank.bad_id_type"), (["a", ""], "pagerank.missing_id")],
)
def test_bad_parquet_ids_are_refused(tmp_path: Path, ids: list[object], code: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "edges.parquet"
    table = pyarrow.table({"from": ids, "to": ids})
    pytest.importorskip("pyarrow.parquet").write_table(table, path)
    with pytest.raises(DataError) as refused:
        rank_edge_list(path, EXACT_SETTINGS, tmp_path)
    assert refused.value.code == code


def test_nodes_without_links_are_ranked_with_node_count(tmp_path: Path) -> None:
    path = write_file(tmp_path / "edges.tsv", "0\t1\n")
    found = by_id(rank_edge_list(path, EXACT_SETTINGS, tmp_path, node_count=4))
    assert found == pytest.approx(dict(enumerate(rank_edges([(0, 1)], 4).tolist())))
    assert len(rank_edge_list(path, EXACT_SETTINGS, tmp_path).ids) == 2


def test_a_large_array_is_read_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_ids, "MAX_EDGES_IN_MEMORY", 1_000)
    monkeypatch.setattr(edge_buffer, "EDGES_PER_READ", 7_000)
    pairs = random_edges(nodes=2_000, edges=40_000, seed=3)
    pairs[pairs == 77] = 78
    path = tmp_path / "edges.npy"
    np.save(path, pairs.T.astype(np.int32).copy())
    found = by_id(rank_edge_list(path, EXACT_SETTINGS, tmp_path))
    small = tmp_path / "edges64.npy"
    np.save(small, pairs)
    assert found == pytest.approx(by_id(rank_edge_list(small, EXACT_SETTINGS, tmp_path)), abs=1e-12)
    assert 77 not in found
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("suffix", [".tsv", ".npy", ".parquet"])
def test_written_ranks_are_read_back_unchanged(tmp_path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    found = rank_edge_list(
        write_file(tmp_path / "edges.tsv", "5\t1\n1\t9\n"), EXACT_SETTINGS, tmp_path
    )
    path = tmp_path / f"ranks{suffix}"
    write_ranks(found, path)
    if suffix == ".tsv":
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        read = {int(id): float(rank) for id, rank in rows}
    elif suffix == ".npy":
        read = dict(np.load(path).tolist())
    else:
        table = pytest.importorskip("pyarrow.parquet").read_table(path).to_pydict()
        read = dict(zip(table["id"], table["rank"], strict=True))
    assert read == by_id(found)
    assert list(read) == [9, 1, 5]
    assert [one.name for one in tmp_path.glob("*draft*")] == []


@pytest.mark.parametrize(
    ("name", "content", "error", "code", "params"),
    [
        ("edges.csv", "", UsageError, "unknown_format", {}),
        ("edges.tsv", "", DataError, "no_edges", {}),
        ("edges.tsv", "1\t2\n3\n4\t5\n", DataError, BAD_LINE, {"line": 2, "text": "3"}),
        ("edges.tsv", "# a\r\n\r\n1\t2\r\n\n#\n3\n", DataError, BAD_LINE, {"line": 6}),
        ("edges.tsv", "1 2\n\n3\n", DataError, BAD_LINE, {"line": 3, "text": "3"}),
        ("edges.tsv", "1\t2\n" * 4_000_000 + "\n3", DataError, BAD_LINE, {"line": 4_000_002}),
        ("edges.tsv", "1\t2\n3\t4\t5\n6\n", DataError, BAD_LINE, {"text": "3\t4\t5"}),
        ("edges.tsv", "1\t2\n\t3\n", DataError, BAD_LINE, {"line": 2, "text": "\t3"}),
        ("edges.tsv", "a\tb\nc\t\n", DataError, BAD_LINE, {"line": 2, "text": "c\t"}),
        ("edges.npy", "", DataError, "not_npy", {}),
        ("edges.npy", b"\x93NUMPY\x01\x00", DataError, "not_npy", {}),
        ("edges.npy", np.zeros((3, 3), np.int32), DataError, "bad_array_shape", {}),
        ("edges.npy", np.zeros((2, 3)), DataError, "bad_id_type", {"type": "float64"}),
        ("edges.parquet", "no table", DataError, "not_parquet", {}),
    ],
)
def test_a_bad_edge_list_is_refused_with_the_reason(
    tmp_path: Path,
    name: str,
    content: str | bytes | np.ndarray[tuple[int, int], np.dtype[np.generic]],
    error: type[BywayError],
    code: str,
    params: dict[str, object],
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    if isinstance(content, np.ndarray):
        np.save(path, content)
    else:
        write_file(path, content)
    with pytest.raises(error) as refused:
        rank_edge_list(path, RankSettings(), tmp_path)
    assert refused.value.code == f"pagerank.{code}"
    assert {"path": path, **params}.items() <= refused.value.params.items()


def test_ids_above_node_count_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path / "edges.tsv", "0\t9\n")
    with pytest.raises(DataError, match="--nodes is 9"):
        rank_edge_list(path, EXACT_SETTINGS, tmp_path, node_count=9)
    monkeypatch.setattr(node_ids, "MAX_EDGES_IN_MEMORY", 0)
    np.save(tmp_path / "edges.npy", np.array([[0], [9]], np.int32))
    with pytest.raises(DataError, match="--nodes is 9"):
        rank_edge_list(tmp_path / "edges.npy", EXACT_SETTINGS, tmp_path, node_count=9)
    with pytest.raises(UsageError, match="has strings"):
        rank_edge_list(write_file(path, "a\tb\n"), EXACT_SETTINGS, tmp_path, node_count=9)
