"""How many files of the package one query and one crawl run through: few enough to read."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from web.crawled_site import crawl, engine_at, local_site, served_search

import byway
from byway.core.url import normalize

PACKAGE = str(Path(byway.__file__).parent)
MAX_QUERY_FILES = 45
MAX_CRAWL_FILES = 45
"""More files than a person reads in one sitting."""
PAGES = {
    "/": "<title>Fruit</title><h1>Fruit</h1><p>Apples and pears. <a href='/pears'>Pears</a>",
    "/pears": "<title>Pears</title><h1>Pears</h1><p>Pears are not apples.",
}


class CallRecorder:
    """The files of byway whose functions any thread calls while it is recording."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self._recording = False

    @contextmanager
    def recording(self) -> Iterator[None]:
        self._recording = True
        yield
        self._recording = False

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        called = event == "call" and frame.f_code.co_name != "<module>"
        if self._recording and called and name.startswith(PACKAGE) and name.endswith(".py"):
            self.files.add(name.removeprefix(PACKAGE))


@pytest.fixture
def recorder() -> Iterator[CallRecorder]:
    """A recorder of all threads that start from now on, and of this one."""
    recorder = CallRecorder()
    threading.setprofile(recorder.profile)
    sys.setprofile(recorder.profile)
    yield recorder
    sys.setprofile(None)
    threading.setprofile(None)


def test_one_query_to_html_runs_through_few_files(recorder: CallRecorder, tmp_path: Path) -> None:
    engine = engine_at(tmp_path)
    with local_site(PAGES) as site:
        crawl(engine, site)
    with served_search(engine) as browser:
        assert "Fruit" in browser.get("/search?q=apples").text  # opens the index
        with recorder.recording():
            assert "Fruit" in browser.get("/search?q=apples").text
    assert len(recorder.files) <= MAX_QUERY_FILES, "\n".join(sorted(recorder.files))


def test_one_crawl_runs_through_few_files(recorder: CallRecorder, tmp_path: Path) -> None:
    first, second = engine_at(tmp_path / "first"), engine_at(tmp_path / "second")
    with local_site(PAGES) as site:
        seeds = [normalize(site.url)]
        asyncio.run(first.crawl(seeds, lambda crawler: None))  # imports run code, too
        with recorder.recording():
            asyncio.run(second.crawl(seeds, lambda crawler: None))
    assert len(recorder.files) <= MAX_CRAWL_FILES, "\n".join(sorted(recorder.files))
