"""CPU profile of a crawl by stage: stack samples of py-spy, assigned to stages."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.speed.crawl.contestants import byway_crawl, crawl_command
from bench.speed.crawl.web import ServedSites
from bench.speed.measure import measure_cost

SAMPLES_PER_SECOND = 100

STAGES = (
    ("documents", "byway/storage/sqlite/documents.py"),
    ("commit: WARC", "byway/storage/warc/page_store.py"),
    ("frontier: record", "finish (byway/storage/sqlite/crawl_db/frontier.py"),
    ("frontier: lease", "lease (byway/storage/sqlite/crawl_db/frontier.py"),
    ("frontier: release", "release (byway/storage/sqlite/crawl_db/frontier.py"),
    ("commit: other", "byway/crawl/recorder.py"),
    ("robots", "byway/crawl/robots.py"),
    ("fetch", "byway/crawl/http/fetcher.py"),
    ("outcome", "byway/crawl/outcome.py"),
    ("unpack results", "unpack_result (byway/extract/worker/process.py"),
    ("send pages", "send (byway/extract/worker/process.py"),
    ("extract: decompress", "byway/core/content_encoding.py"),
    ("extract: parse", "parse_html (byway/extract/formats/html/dom.py"),
    ("extract: links", "outlinks (byway/extract/formats/html/links.py"),
    ("extract: main text", "byway/extract/formats/html/main_text.py"),
    ("extract: pack results", "pack_result (byway/extract/worker/process.py"),
    ("extract: other", "byway/extract/worker/child.py"),
    ("crawl loop", "byway/crawl/crawler.py"),
    ("loading modules", "importlib"),
    ("event loop", "asyncio/"),
)
"""A sample belongs to the first stage whose text is in its stack."""

FRAME_PATTERN = re.compile(r"(\S+) \((.+):(\d+)\)$")
PATH_PREFIX_PATTERN = re.compile(r"^.*/(?=byway/|asyncio/|aiohttp/)")
MAX_SHOWN_LINES = 25


def profile(web: ServedSites, folder: Path, python: Path) -> str:
    """Crawl once without and once with py-spy; milliseconds per page by stage and by line.

    py-spy counts a thread that waits for the GIL as running, so samples are scaled to the CPU time
    of the crawl without it.
    """
    unprofiled = byway_crawl(web, folder)
    stacks = list(_stacks(_record_samples(web, folder, python)))
    sample_ms = unprofiled.cpu_seconds_per_1000_pages / sum(count for _, count in stacks)
    lines = [
        f"{len(unprofiled.pages):,} pages, "
        f"{unprofiled.cpu_seconds_per_1000_pages:.3f} ms of CPU a page, by stage:"
    ]
    lines += _format_counts(_by_stage(stacks), sample_ms, len(STAGES) + 1)
    lines += ["", "by line of byway, cumulative:"]
    lines += _format_counts(_by_line(stacks), sample_ms, 3 * MAX_SHOWN_LINES)
    lines += ["", "by line, self time:"]
    lines += _format_counts(_by_innermost_line(stacks), sample_ms, MAX_SHOWN_LINES)
    return "\n".join(lines)


def _record_samples(web: ServedSites, folder: Path, python: Path) -> Path:
    """A file with the stacks of a crawl, each followed by its number of samples."""
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
        stage = next((name for name, text in STAGES if text in frames), "other")
        found[stage] += count
    return found


def _by_line(stacks: list[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stack, count in stacks:
        for place in {f"{name} {where}" for name, where in _frames(stack) if "byway/" in where}:
            found[place] += count
    return found


def _by_innermost_line(stacks: list[tuple[str, int]]) -> Counter[str]:
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
        (match[1], f"{PATH_PREFIX_PATTERN.sub('', match[2])}:{match[3]}")
        for match in found
        if match
    ]


def _format_counts(found: Counter[str], sample_ms: float, limit: int) -> list[str]:
    return [f"  {count * sample_ms:7.3f}  {name}" for name, count in found.most_common(limit)]
