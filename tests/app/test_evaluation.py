"""The cache of indexed collections: which code an index depends on."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from byway.app.evaluation import PACKAGE, cached_folder, index_sources
from byway.core.settings.schema import Settings
from byway.evaluate.collections import read_collection

DOCUMENTS = """{"id": "1", "title": "The mill", "text": "The mill grinds grain from the fields."}
{"id": "2", "title": "Die Mühle", "text": "Die Mühle mahlt das Korn und den Weizen."}
"""


def make_collection(folder: Path) -> Path:
    (folder / "docs.jsonl").write_text(DOCUMENTS)
    (folder / "queries.jsonl").write_text('{"id": "q", "text": "mill"}\n')
    (folder / "qrels.tsv").write_text("q\t1\t1\n")
    return folder


def executed_files(work: Callable[[], object]) -> set[Path]:
    """The files of the package whose functions run, in all threads."""
    files: set[str] = set()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        files.add(frame.f_code.co_filename)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {Path(one).relative_to(PACKAGE) for one in files if Path(one).is_relative_to(PACKAGE)}


def test_all_code_that_makes_an_index_is_in_its_cache_key(tmp_path: Path) -> None:
    collection = read_collection(make_collection(tmp_path))
    cached_folder(collection, Settings(), tmp_path / "imports")  # imports run code, too
    made = executed_files(lambda: cached_folder(collection, Settings(), tmp_path / "cache"))
    assert made - {*index_sources()} == set()
    assert len(made) > 20


def test_data_files_are_in_the_cache_key_and_messages_are_not() -> None:
    names = {one.as_posix() for one in index_sources()}
    assert {"core/fields.py", "core/languages/de.toml", "index/schema.py"} <= names
    assert "extract/language.py" in names
    assert not [one for one in names if "messages" in one or one.endswith(".pyc")]
