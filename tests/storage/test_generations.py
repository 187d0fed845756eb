"""Generations: which documents and index are live, and what the sweep deletes."""

from pathlib import Path

import pytest

from byway.core.errors import DataError
from byway.storage.data_folder import DataFolder


def test_the_default_names_are_live_without_a_marker(tmp_path: Path) -> None:
    live = DataFolder(tmp_path).live_generation
    assert (live.documents.name, live.index.name) == ("documents.db", "index")


def test_a_promoted_generation_is_live_and_the_old_one_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "documents.db").touch()
    new = DataFolder(tmp_path).begin_generation(new_documents=True)
    new.documents.touch()
    assert DataFolder(tmp_path).live_generation.index.name == "index"
    DataFolder(tmp_path).promote_generation()
    assert DataFolder(tmp_path).live_generation == new
    names = {"generation.json", new.documents.name, new.index.name}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_generation_named_by_an_older_version_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "built.json").write_text(
        '{"documents": "documents-0123abcd.db", "index": "index-0123abcd"}'
    )
    (tmp_path / "index-0123abcd").mkdir()
    (tmp_path / "documents-0123abcd.db").touch()
    folder = DataFolder(tmp_path)
    for use in (lambda: folder.live_generation, folder.delete_unused_generations):
        with pytest.raises(DataError) as refused:
            use()
        assert refused.value.code == "index.damaged_generation_file"
    assert len(list(tmp_path.iterdir())) == 3
