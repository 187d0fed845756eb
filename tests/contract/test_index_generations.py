"""What the index generations of every storage must do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from byway.app.storage import open_generations, open_storage
from byway.core.model import Document, UrlId
from byway.core.model.document import pack
from byway.core.ports import IndexGeneration, IndexGenerations
from byway.core.settings.schema import IndexSettings, Settings, StorageSettings
from byway.core.url import normalize
from byway.index.indexer import index_new


@pytest.fixture(params=["sqlite", "memory"])
def generations(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IndexGenerations]:
    settings = Settings(
        index=IndexSettings(writer_memory_mb=15), storage=StorageSettings(request.param)
    )
    storage = open_storage(tmp_path, settings)
    storage.create()
    yield open_generations(storage, settings)


def fill(generation: IndexGeneration, *titles: str) -> None:
    with generation.documents_to_write() as documents:
        documents.put(
            (n, UrlId(n), pack(Document(normalize(f"http://a.org/{n}"), UrlId(n), title)))
            for n, title in enumerate(titles, 1)
        )
    with generation.open_for_update() as stores:
        list(index_new(stores.documents, stores.index, 10, stores.anchors))


def test_a_rebuild_replaces_the_live_generation_as_a_whole(generations: IndexGenerations) -> None:
    old = generations.live()
    fill(old, "one", "two")
    assert old.committed_sequence() == 2
    opened = old.open_for_search()
    generations.begin_full_rebuild()
    new = generations.full_rebuild()
    assert new is not None and new != old
    fill(new, "three")
    assert (generations.live(), generations.readable()) == (old, old)
    generations.promote()
    assert generations.live() == new and generations.full_rebuild() is None
    assert generations.live().committed_sequence() == 1
    assert opened.ports.index.statistics().page_count == 2  # it can still be searched
    document = opened.documents.get(UrlId(2))
    assert document and document.title == "two"
    opened.close()


def test_an_abandoned_rebuild_leaves_the_live_generation(generations: IndexGenerations) -> None:
    old = generations.live()
    fill(old, "one")
    generations.begin_full_rebuild()
    generations.abandon()
    assert generations.live() == old and generations.full_rebuild() is None
    assert generations.rebuild() is None


def test_a_rebuild_reports_its_progress(generations: IndexGenerations) -> None:
    fill(generations.live(), "one", "two")
    assert generations.progress(2) is None
    generations.begin_full_rebuild()
    new = generations.full_rebuild()
    assert new is not None
    with new.documents_to_write() as documents:
        documents.put([(1, UrlId(1), pack(Document(normalize("http://a.org/"), UrlId(1))))])
    progress = generations.progress(2)
    assert progress and (progress.progress, progress.is_running) == (0.25, False)
