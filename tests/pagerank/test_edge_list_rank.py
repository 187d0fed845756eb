"""Any list of edges can be ranked by itself."""

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
IDS = [0, 7, 2**40, -5]
"""What the nodes of `PAIRS` may be called, too."""


def listed(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def by_id(found: RankedNodes) -> dict[object, float]:
    ids = found.ids if isinstance(found.ids, list) else found.ids.tolist()
    assert found.ranks.tolist() == sorted(found.ranks.tolist(), reverse=True)
    return dict(zip(ids, found.ranks.tolist(), strict=True))


def wanted(ids: list[object]) -> dict[object, float]:
    return dict(zip(ids, rank_edges(PAIRS, 4).tolist(), strict=True))


def test_ids_are_numbers_small_or_large_or_texts(tmp_path: Path) -> None:
    names: list[object] = [b"a", b"b b", b"\xff", "ё".encode()]
    for ids in ([0, 1, 2, 3], IDS, names):
        texts = [id if isinstance(id, bytes) else str(id).encode() for id in ids]
        lines = b"".join(b"%b\t%b\n" % (texts[one], texts[two]) for one, two in PAIRS)
        found = rank_edge_list(listed(tmp_path / "edges.tsv", lines), EXACT_SETTINGS, tmp_path)
        assert by_id(found) == pytest.approx(wanted(list(ids)))
        assert found.link_count == 5


def test_comments_empty_lines_and_other_line_ends_do_no_harm(tmp_path: Path) -> None:
    text = "# a graph\r\n0\t1\r\n\r\n1\t2\r\n2\t0\r\n#\r\n3\t0\r\n3\t3\r\n0\t1"
    found = rank_edge_list(listed(tmp_path / "edges.tsv", text), EXACT_SETTINGS, tmp_path)
    assert by_id(found) == pytest.approx(wanted([0, 1, 2, 3]))
    blanks = listed(tmp_path / "blanks.tsv", "0 1\n1 2\n2 0\n3 0\n3 3\n")
    assert by_id(rank_edge_list(blanks, EXACT_SETTINGS, tmp_path)) == pytest.approx(
        wanted([0, 1, 2, 3])
    )


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.int64, np.dtype(">i4")])
def test_arrays_have_two_rows_or_two_columns(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "edges.npy"
    columns: Integers = np.array(PAIRS).astype(kind)
    for array in (columns, columns.T):
        np.save(path, array)
        assert by_id(rank_edge_list(path, EXACT_SETTINGS, tmp_path)) == pytest.approx(
            wanted([0, 1, 2, 3])
        )


def test_tables_have_numbers_or_texts(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "edges.parquet"
    for ids in (IDS, ["a", "b", "c", "d"]):
        columns = [[ids[pair[end]] for pair in PAIRS] for end in (0, 1)]
        parquet.write_table(pyarrow.table({"from": columns[0], "to": columns[1]}), path)
        texts = [id.encode() if isinstance(id, str) else id for id in ids]
        assert by_id(rank_edge_list(path, EXACT_SETTINGS, tmp_path)) == pytest.approx(
            wanted(list(texts))
        )


@pytest.mark.parametrize(
    ("ids", "said"), [([1.0, 2.5], "holds double; ids are whole"), (["a", ""], "an end missing")]
)
def test_tables_have_ids_that_other_lists_may_have_too(
    tmp_path: Path, ids: list[object], said: str
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "edges.parquet"
    table = pyarrow.table({"from": ids, "to": ids})
    pytest.importorskip("pyarrow.parquet").write_table(table, path)
    with pytest.raises(DataError, match=said):
        rank_edge_list(path, EXACT_SETTINGS, tmp_path)


def test_nodes_without_links_are_there_when_they_are_counted(tmp_path: Path) -> None:
    path = listed(tmp_path / "edges.tsv", "0\t1\n")
    found = by_id(rank_edge_list(path, EXACT_SETTINGS, tmp_path, node_count=4))
    assert found == pytest.approx(dict(enumerate(rank_edges([(0, 1)], 4).tolist())))
    assert len(rank_edge_list(path, EXACT_SETTINGS, tmp_path).ids) == 2


def test_a_large_array_is_ranked_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_ranks_are_written_as_they_are(tmp_path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    found = rank_edge_list(listed(tmp_path / "edges.tsv", "5\t1\n1\t9\n"), EXACT_SETTINGS, tmp_path)
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
    ("name", "content", "error", "said"),
    [
        ("edges.csv", "", UsageError, "cannot tell what"),
        ("edges.tsv", "", DataError, "no edges"),
        ("edges.tsv", "1\t2\n3\n4\t5\n", DataError, "edges.tsv, line 2: '3' is not two ids"),
        ("edges.tsv", "# a\r\n\r\n1\t2\r\n\n#\n3\n", DataError, "line 6: '3' is not two ids"),
        ("edges.tsv", "1 2\n\n3\n", DataError, "line 3: '3' is not two ids"),
        ("edges.tsv", "1\t2\n" * 4_000_000 + "\n3", DataError, "line 4000002: '3' is not two"),
        ("edges.tsv", "1\t2\n3\t4\t5\n6\n", DataError, "'3\\\\t4\\\\t5' is not two ids"),
        ("edges.tsv", "1\t2\n\t3\n", DataError, "line 2: '\\\\t3' is not two ids"),
        ("edges.tsv", "a\tb\nc\t\n", DataError, "line 2: 'c\\\\t' is not two ids"),
        ("edges.npy", "", DataError, "is no .npy file"),
        ("edges.npy", b"\x93NUMPY\x01\x00", DataError, "is no .npy file"),
        ("edges.npy", np.zeros((3, 3), np.int32), DataError, "two rows or two columns"),
        ("edges.npy", np.zeros((2, 3)), DataError, "holds float64"),
        ("edges.parquet", "no table", DataError, "cannot be read as Parquet"),
    ],
)
def test_a_bad_list_is_named_with_what_is_wrong(
    tmp_path: Path,
    name: str,
    content: str | bytes | np.ndarray[tuple[int, int], np.dtype[np.generic]],
    error: type[BywayError],
    said: str,
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    if isinstance(content, np.ndarray):
        np.save(path, content)
    else:
        listed(path, content)
    with pytest.raises(error, match=said):
        rank_edge_list(path, RankSettings(), tmp_path)


def test_too_few_nodes_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = listed(tmp_path / "edges.tsv", "0\t9\n")
    with pytest.raises(DataError, match="--nodes 9 is too few"):
        rank_edge_list(path, EXACT_SETTINGS, tmp_path, node_count=9)
    monkeypatch.setattr(node_ids, "MAX_EDGES_IN_MEMORY", 0)
    np.save(tmp_path / "edges.npy", np.array([[0], [9]], np.int32))
    with pytest.raises(DataError, match="--nodes 9 is too few"):
        rank_edge_list(tmp_path / "edges.npy", EXACT_SETTINGS, tmp_path, node_count=9)
    with pytest.raises(UsageError, match="has texts"):
        rank_edge_list(listed(path, "a\tb\n"), EXACT_SETTINGS, tmp_path, node_count=9)
