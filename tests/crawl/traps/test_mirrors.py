"""A host under a second name is found out, also when its first name was crawled long before."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

from crawl.test_trap_sites import WORDS, served

from byway.app.engine import Engine
from byway.core.messages import Reason
from byway.core.model import Url
from byway.core.settings.schema import CrawlSettings, Settings
from byway.core.url import normalize
from byway.crawl.traps.detector import MAX_STORE_LOOKUPS_PER_HOST, MIN_MIRROR_PAGES, MirrorDetector

MANY = 120


def manual(path: str) -> str:
    """A page of a manual that is the same under each of its names."""
    text = " ".join(random.Random(path).choices(WORDS, k=120))
    links = "".join(f'<a href="/part-{n}.html">part {n}</a>' for n in range(MANY))
    return f"<title>{path}</title><p>{text}</p><nav>{links}</nav>"


def page(host: str, number: int) -> tuple[Url, bytes]:
    return normalize(f"http://{host}/{number}"), b"digest %d" % number


def test_the_second_name_of_a_host_is_found_out_in_a_later_run(tmp_path: Path) -> None:
    settings = CrawlSettings(delay=0.0, allow_private=("127.0.0.0/8",))
    engine = Engine(tmp_path, Settings(crawl=settings))
    with served({"first": manual, "second": manual}) as web:
        for name in ("first", "second"):
            crawl = engine.crawl([normalize(web.urls[name])], lambda crawler: None)
            ended = asyncio.run(crawl)
    traps = [note.params["trap"] for note in ended.notes if note.code == "note.pattern_paused"]
    causes = [trap.params["cause"] for trap in traps if isinstance(trap, Reason)]
    assert [cause.code for cause in causes if isinstance(cause, Reason)] == ["trap.mirror"]
    assert web.asked["first"] > MANY > web.asked["second"]


def test_hosts_with_other_pages_at_the_same_paths_are_no_mirrors() -> None:
    mirrors = MirrorDetector()
    for number in range(3 * MIN_MIRROR_PAGES):
        assert not mirrors.record_page(*page("a.org", number))
        url, digest = page("b.org", number)
        assert not mirrors.record_page(url, b"another " + digest)


def test_the_disk_is_asked_for_the_first_pages_of_a_host_only() -> None:
    asked: list[bytes] = []

    def kept_as(digest: bytes) -> Sequence[Url]:
        asked.append(digest)
        return ()

    mirrors = MirrorDetector(kept_as)
    for number in range(10 * MIN_MIRROR_PAGES):
        mirrors.record_page(*page("a.org", number))
    assert len(asked) == MAX_STORE_LOOKUPS_PER_HOST
