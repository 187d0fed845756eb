"""Damaged index files are refused, and the error names the cure."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from byway.core.errors import DataError
from byway.core.model import Document, UrlId
from byway.core.model.candidates import Candidates
from byway.core.model.document import pack
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import find_candidates
from byway.core.settings.schema import IndexSettings
from byway.core.url import normalize
from byway.index.analysis.document_analyzer import analyze_uncompiled
from byway.index.forward_index import ForwardWriter
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features
from byway.storage.sqlite.documents import open_documents_to_read, open_documents_to_write

CURE = "`byway index --rebuild`"
RED = ParsedQuery((TermClause("red", (TermAnalysis(("red",)),)),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an index of fifty documents."""
    with closing(ShardedIndex(tmp_path, IndexSettings(), position_features)) as index:
        index.add(document(number) for number in range(1, 51))
        index.commit(50)
    return tmp_path


def document(number: int) -> Document:
    url = normalize(f"http://a.org/{number}")
    return Document(url, UrlId(number), title=f"Page {number}", text="Red shoes. " * number)


def ask(folder: Path) -> Candidates:
    with closing(ShardedIndex(folder, IndexSettings(), position_features)) as index:
        index.ports.dictionary.fuzzy("shos", 1)
        index.ports.dictionary.surface_forms("shoes")
        index.ports.suggestions.complete("pa", 3)
        return find_candidates(index, RED, 100)


def add(folder: Path) -> None:
    with closing(ShardedIndex(folder, IndexSettings(), position_features)) as index:
        index.add([document(51)])
        index.commit(51)


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 0x55
    path.write_bytes(content)


def test_an_undamaged_index_is_used(folder: Path) -> None:
    assert len(ask(folder).ids) == 50
    add(folder)


@pytest.mark.parametrize("ending", ["fast", "fieldnorm", "idx", "pos", "store", "term"])
def test_a_changed_byte_is_noticed_before_anything_is_added(folder: Path, ending: str) -> None:
    flip(next((folder / "shard-0" / "tantivy").glob(f"*.{ending}")), 3)
    with pytest.raises(DataError, match=CURE):
        add(folder)


@pytest.mark.parametrize("use", [ask, add])
@pytest.mark.parametrize("ending", ["fast", "idx", "term"])
def test_a_truncated_file_is_noticed_by_readers_and_writers(
    folder: Path, ending: str, use: Callable[[Path], object]
) -> None:
    path = next((folder / "shard-0" / "tantivy").glob(f"*.{ending}"))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match=rf"{path.name} is damaged .*{CURE}"):
        use(folder)


@pytest.mark.parametrize(
    "name",
    [
        "shard-0/tantivy/meta.json",
        "shard-0/state.json",
        "terms.npy",
        "surface_forms.npy",
        "suggestions.npy",
    ],
)
def test_a_file_with_garbage_is_named(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"garbage")
    with pytest.raises(DataError, match=rf"{Path(name).name} is damaged .*{CURE}"):
        ask(folder)


@pytest.mark.parametrize("place", range(0, 300, 20))
@pytest.mark.parametrize("ending", ["fast", "term"])
def test_a_changed_byte_gives_an_answer_or_a_damage_error(
    folder: Path, ending: str, place: int
) -> None:
    flip(next((folder / "shard-0" / "tantivy").glob(f"*.{ending}")), place)
    try:
        ask(folder)
    except DataError as error:
        assert CURE in str(error)


def test_field_lengths_that_do_not_add_up_are_noticed(folder: Path) -> None:
    flip(folder / "shard-0" / "forward.terms", 0)
    with pytest.raises(DataError, match=CURE):
        ask(folder)


def test_a_damaged_document_store_names_the_rebuild_command(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    with closing(open_documents_to_write(path)) as documents:
        documents.put((n, UrlId(n), pack(document(n))) for n in range(1, 200))
        documents.put([(200, UrlId(200), b"garbage")])
        with pytest.raises(DataError, match=CURE):
            documents.get(UrlId(200))
    path.write_bytes(b"garbage " * 1000)
    for left in tmp_path.glob("documents.db-*"):
        left.unlink()
    with pytest.raises(DataError, match=CURE):
        open_documents_to_read(path)
    with pytest.raises(DataError, match=CURE):
        open_documents_to_write(path)


def test_a_page_is_replaced_even_if_the_forward_index_lost_it(folder: Path) -> None:
    (folder / "shard-0" / "forward.offsets").unlink()
    with closing(ShardedIndex(folder, IndexSettings(), position_features)) as index:
        index.add([document(50)])
        index.commit(51)
        assert index.statistics().page_count == 50


def test_pages_keep_their_terms_while_they_are_indexed_again(folder: Path) -> None:
    with closing(ShardedIndex(folder, IndexSettings(), position_features)) as index:
        index.add(document(n) for n in range(1, 51))
        assert ask(folder).features.field_lengths.any(axis=1).all()


def test_uncommitted_terms_of_a_crash_do_no_harm(folder: Path) -> None:
    with closing(ForwardWriter(folder / "shard-0")) as lost:
        for _ in range(200):
            lost.add(UrlId(7), analyze_uncompiled(document(7)))
    with (folder / "shard-0" / "forward.terms").open("ab") as file:
        file.write(b"cut")
    with closing(ShardedIndex(folder, IndexSettings(), position_features)) as index:
        index.add([document(8)])
        index.commit(51)
    assert ask(folder).features.field_lengths.any(axis=1).all()
