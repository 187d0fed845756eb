"""Where does byway's time go, page by page? Samples of a crawl's stacks, put down to stages."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.speed.crawl.contestants import byway_crawl, crawl_command
from bench.speed.crawl.web import ServedSites
from bench.speed.measure import measure_cost

SAMPLES_PER_SECOND = 100
"""Samples a second."""

STAGES = (
    ("documents", "put (byway/storage/sqlite/documents.py"),
    ("commit: WARC", "append (byway/storage/warc/page_store.py"),
    ("frontier: record", "finish (byway/storage/sqlite/crawl_db/frontier.py"),
    ("frontier: lease", "lease (byway/storage/sqlite/crawl_db/frontier.py"),
    ("frontier: release", "release (byway/storage/sqlite/crawl_db/frontier.py"),
    ("commit: other", "_commit (byway/crawl/recorder.py"),
    ("robots", "decide (byway/crawl/robots/parser.py"),
    ("fetch", "fetch (byway/crawl/http/fetcher.py"),
    ("outcome", "of_page (byway/crawl/outcome.py"),
    ("answers unpacked", "unpacked (byway/extract/worker/protocol.py"),
    ("pages handed over", "send (byway/extract/worker/process.py"),
    ("reading: inflate", "decoded (byway/core/content_encoding.py"),
    ("reading: parse", "parsed (byway/extract/formats/html/dom.py"),
    ("reading: links", "outlinks (byway/extract/formats/html/links.py"),
    ("reading: article", "read (byway/extract/formats/html/main_text.py"),
    ("reading: answers packed", "packed (byway/extract/worker/protocol.py"),
    ("reading: other", "main (byway/extract/worker/child.py"),
    ("crawl loop", "byway/crawl/crawler.py"),
    ("loading modules", "importlib"),
    ("event loop", "asyncio/"),
)
"""The first stage whose mark is in a stack has the sample."""

FRAME_PATTERN = re.compile(r"(\S+) \((.+):(\d+)\)$")
PATH_PREFIX_PATTERN = re.compile(r"^.*/(?=byway/|asyncio/|aiohttp/)")
MAX_SHOWN_LINES = 25


def profile(web: ServedSites, folder: Path, python: Path) -> str:
    """Crawl once as it is and once under py-spy; the milliseconds a page costs, and where.

    A thread that waits for its turn counts as running, so samples are scaled to the CPU time of
    the crawl without them.
    """
    unwatched = byway_crawl(web, folder)
    stacks = list(_stacks(_sampled(web, folder, python)))
    each = unwatched.cpu_seconds_per_1000_pages / sum(count for _, count in stacks)
    lines = [
        f"{len(unwatched.pages):,} pages, "
        f"{unwatched.cpu_seconds_per_1000_pages:.3f} ms of CPU a page, by stage:"
    ]
    lines += _counted(_by_stage(stacks), each, len(STAGES) + 1)
    lines += ["", "by line of byway, with all that it calls:"]
    lines += _counted(_by_line(stacks), each, 3 * MAX_SHOWN_LINES)
    lines += ["", "by line, alone:"]
    lines += _counted(_alone(stacks), each, MAX_SHOWN_LINES)
    return "\n".join(lines)


def _sampled(web: ServedSites, folder: Path, python: Path) -> Path:
    """A file with the stacks of a crawl, each followed by how often it was seen."""
    samples = folder / "samples.txt"
    spy = [str(python.parent / "py-spy"), "record", "--subprocesses", "--format", "raw"]
    spy += ["--rate", str(SAMPLES_PER_SECOND), "--output", str(samples), "--"]
    measure_cost([[*spy, *crawl_command(web, folder / "profiled")]], folder / "profile.log")
    return samples


def _stacks(samples: Path) -> Iterator[tuple[str, int]]:
    for line in samples.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        yield stack, int(count)


def _by_stage(stacks: list[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stack, count in stacks:
        frames = ";".join(f"{name} ({where}" for name, where in _frames(stack))
        stage = next((name for name, mark in STAGES if mark in frames), "other")
        found[stage] += count
    return found


def _by_line(stacks: list[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stack, count in stacks:
        for place in {f"{name} {where}" for name, where in _frames(stack) if "byway/" in where}:
            found[place] += count
    return found


def _alone(stacks: list[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stack, count in stacks:
        frames = _frames(stack)
        if frames:
            name, where = frames[-1]
            found[f"{name} {where}"] += count
    return found


def _frames(stack: str) -> list[tuple[str, str]]:
    """The functions of a stack, outermost first, each with its file and line."""
    found = [FRAME_PATTERN.search(frame) for frame in stack.split(";")]
    return [
        (each[1], f"{PATH_PREFIX_PATTERN.sub('', each[2])}:{each[3]}") for each in found if each
    ]


def _counted(found: Counter[str], each: float, most: int) -> list[str]:
    return [f"  {count * each:7.3f}  {name}" for name, count in found.most_common(most)]
