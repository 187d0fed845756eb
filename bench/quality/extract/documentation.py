"""Extraction speed on documentation pages: pages per CPU second of one core.

The pages are those of the crawl benchmark, the same number of each site, compressed as servers send
them. Three steps are timed: the whole work of an extraction worker, from the bytes of the server to
the packed result (decompress, parse, fields, main text, links, digest, packing); the extraction of
document and links from HTML; and the parser alone.
"""

import gzip
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.quality.extract.reading import MAX_PAGE_BYTES, SETTINGS, SITE_RULES, make_page
from bench.speed.crawl.web import load_sites
from bench.speed.environment import require_packages
from byway.extract.dispatch import extract
from byway.extract.formats import ReaderContext
from byway.extract.formats.html.dom import parse_html
from byway.extract.formats.html.html_reader import read_html
from byway.extract.worker.process import pack_result

PAGES_PER_SITE = 40
ROUNDS = 6
"""Each page counts with its shortest time, since other processes use the machine."""
CONTENT_TYPE = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class ExtractionSpeed:
    """Pages a second of CPU time on one core."""

    pages: int
    mean_kilobytes: float
    """The mean size of a page."""
    pages_per_second: float
    """From the server's bytes to the packed result."""
    documents_per_second: float
    """From HTML to a document and links."""
    parses_per_second: float


def measure_speed(quick: bool) -> ExtractionSpeed:
    """Measure the three steps on all pages."""
    bodies = _bodies(quick)
    pages = [make_page(gzip.compress(body, 6), content_encoding="gzip") for body in bodies]
    read = [
        lambda one=one: pack_result(extract(one, SETTINGS, MAX_PAGE_BYTES, SITE_RULES))
        for one in pages
    ]
    plain = [make_page(body) for body in bodies]
    context = ReaderContext(SETTINGS, SITE_RULES)
    fields = [lambda one=one: read_html(one, one.body, context) for one in plain]
    parse = [lambda one=one: parse_html(one, CONTENT_TYPE) for one in bodies]
    size = sum(map(len, bodies)) / len(bodies) / 1000
    rates = [len(pages) / _best_seconds(calls) for calls in (read, fields, parse)]
    return ExtractionSpeed(len(pages), size, *rates)


def _bodies(quick: bool) -> list[bytes]:
    chosen = load_sites(quick)
    require_packages([site.package for site in chosen])
    bodies = []
    for site in chosen:
        files = sorted(path for path in site.root.resolve().rglob("*.html") if path.is_file())
        random.Random(1).shuffle(files)
        bodies += [path.read_bytes() for path in files[:PAGES_PER_SITE]]
    return bodies


def _best_seconds(calls: Sequence[Callable[[], object]]) -> float:
    """The sum of the shortest CPU times of all calls."""
    best = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for number, call in enumerate(calls):
            start = time.thread_time()
            call()
            best[number] = min(best[number], time.thread_time() - start)
    return sum(best)
