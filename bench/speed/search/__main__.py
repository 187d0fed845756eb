"""How fast does byway search? Beside other engines, over the same pages, in one run.

    python -m bench.speed.search [--pages N] [--queries N] [--keep FOLDER] [--json FILE] [--profile]

CPU seconds are what is compared: they stay the same when other processes take the machine.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.speed.environment import describe_machine
from bench.speed.search.engines import (
    BenchEngine,
    Byway,
    Fts5,
    RawTantivy,
    TantivyAllFields,
    TantivySameTerms,
    folder_bytes,
)
from bench.speed.search.first_byte import measure_first_byte
from bench.speed.search.lucene_engine import Lucene, unavailable_reason
from bench.speed.search.pages import collect_pages, read_documents
from bench.speed.search.queries import QUERY_KINDS, BenchQuery, make_queries
from bench.speed.search.typed import TARGET_P99_SECONDS, measure_suggest, title_prefixes, with_typos
from bench.speed.search.whoosh_engine import Whoosh
from byway.core.model import Document
from byway.storage.data_folder import DataFolder

DEFAULT_PAGES = 100_000
WHOOSH_PAGES = 4000
"""Whoosh takes hours for a hundred thousand pages; it gets a part, and is no slower for it."""
ENGINE_FOLDERS = {"SQLite FTS5": "fts5", "tantivy, all fields": "whole"}
"""Folders of engines that are not called like them."""
SAMPLE_PAGES = 5000
PREFIX_COUNT = 2000
"""Beginnings of titles for which suggestions are asked."""
WARM_UP_QUERIES = 50
MIN_QUERIES_PER_KIND = 1000
"""Queries of each kind by which retrieval is compared. Some take ten times as long as others, so
that the medians of 150 and of another 150 differ by a fifth."""

Times = dict[str, list[float]]
Figures = dict[str, list[float]]


def main() -> None:
    """Measure, and print what came out."""
    asked = _arguments()
    print(f"machine: {describe_machine()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="byway-search-") as name:
        folder = Path(name)
        data = collect_pages(asked.keep or folder / "pages", asked.pages)
        sample = list(
            _every(read_documents(data, asked.pages), max(1, asked.pages // SAMPLE_PAGES))
        )
        queries = make_queries(sample, asked.queries)
        byway, tantivy = Byway(folder / "byway", data), RawTantivy(folder / "tantivy")
        others: list[tuple[BenchEngine, int]] = [
            (tantivy, asked.pages),
            (Fts5(folder / "fts5"), asked.pages),
            (Whoosh(folder / "whoosh"), min(WHOOSH_PAGES, asked.pages)),
        ]
        if reason := unavailable_reason():
            print(f"without Lucene: {reason}")
        else:
            others.insert(1, (Lucene(folder / "lucene"), asked.pages))
        print(f"\n{'engine':20} {'pages':>8} {'pages/CPU s':>12} {'MB':>7}  indexing, one thread")
        figures: dict[str, Any] = {}
        first: list[tuple[BenchEngine, int]] = [
            (byway, asked.pages),
            (TantivyAllFields(folder / "whole"), asked.pages),
        ]
        for engine, pages in [*first, *others]:
            where = folder / ENGINE_FOLDERS.get(engine.name, engine.name)
            figures[engine.name] = _indexed(engine, data, pages, where)
        _compare(figures)
        print(f"\n{'p50 / p99, ms of CPU':22} " + " ".join(f"{kind:>13}" for kind in QUERY_KINDS))
        many = make_queries(sample, max(asked.queries, MIN_QUERIES_PER_KIND))
        _side_by_side(byway, tantivy, TantivySameTerms(folder / "byway"), many, figures)
        for engine, _ in others[1:]:
            times = _asked(engine.run_query, queries, engine.clock, getattr(engine, "warm_up", 0))
            figures[engine.name]["asking"] = _shown(engine.name, times)
        whole, stages = _answered(byway, queries)
        figures["byway"]["answering"] = _shown("byway, whole answer", whole)
        every = [one for some in whole.values() for one in some]
        print(f"whole answers: p50 {_ms(every, 50)} ms, p99 {_ms(every, 99)} ms of CPU, one core")
        figures["byway"]["suggesting"] = _suggested(byway, sample)
        figures["byway"]["first byte"] = _first_bytes(byway, asked.pages, queries)
        if asked.profile:
            for step, each in stages.items():
                print(f"    {step:12} p50 {_ms(each, 50)} ms, p99 {_ms(each, 99)} ms of CPU")
        for engine, _ in others:
            if isinstance(engine, Lucene):
                engine.close()
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n")


def _indexed(engine: BenchEngine, data: DataFolder, pages: int, folder: Path) -> dict[str, Any]:
    """How long indexing took, reading the documents not counted.

    What is left out is the time of the thread that reads: others may be indexing meanwhile.
    """
    spent = engine.clock()
    read = 0.0

    def documents() -> Iterator[Document]:
        nonlocal read
        source = read_documents(data, pages)
        while True:
            started = engine.caller_clock()
            document = next(source, None)
            read += engine.caller_clock() - started
            if document is None:
                return
            yield document

    engine.index(documents())
    seconds = engine.clock() - spent - read
    size = folder_bytes(folder) / 1e6
    print(f"{engine.name:20} {pages:8,} {pages / seconds:12,.0f} {size:7,.0f}", flush=True)
    return {"pages": pages, "seconds": seconds, "megabytes": size}


def _compare(figures: dict[str, Any]) -> None:
    """Say how fast byway indexes beside tantivy."""
    for name, fields in (("tantivy, all fields", "the same fields"), ("tantivy", "texts alone")):
        share = figures[name]["seconds"] / figures["byway"]["seconds"]
        print(f"byway indexes {share:.2f} x as fast as tantivy does with {fields}")
        figures["byway"][f"indexing, of {name}"] = share


def _asked(
    ask: Callable[[BenchQuery], Sequence[int]],
    queries: Sequence[BenchQuery],
    clock: Callable[[], float] = time.process_time,
    warm_up: int = 0,
) -> Times:
    for one in [*queries[:: max(1, len(queries) // WARM_UP_QUERIES)], *(list(queries) * warm_up)]:
        ask(one)
    times: Times = {kind: [] for kind in QUERY_KINDS}
    for one in queries:
        started = clock()
        ask(one)
        times[one.kind].append(clock() - started)
    return times


def _side_by_side(
    byway: Byway,
    tantivy: RawTantivy,
    plain: TantivySameTerms,
    queries: Sequence[BenchQuery],
    figures: dict[str, Any],
) -> None:
    """Retrieval by byway and by tantivy: each query once, first to the one, then to the other.

    What else the machine does is the same for both, and so is what its caches hold.
    """
    names = ("byway", "byway, understood", "tantivy")
    times: dict[str, Times] = {name: {kind: [] for kind in QUERY_KINDS} for name in names}

    def ours(one: BenchQuery) -> None:
        started = time.process_time()
        question = byway.parse_query(one)
        understood = time.process_time()
        byway.retrieve(question)
        done = time.process_time()
        times["byway"][one.kind].append(done - started)
        times["byway, understood"][one.kind].append(done - understood)

    def theirs(one: BenchQuery) -> None:
        started = time.process_time()
        tantivy.run_query(one)
        times["tantivy"][one.kind].append(time.process_time() - started)

    for one in queries[:: max(1, len(queries) // WARM_UP_QUERIES)]:
        byway.run_query(one)
        tantivy.run_query(one)
    for n, one in enumerate(queries):
        for ask in (ours, theirs) if n % 2 else (theirs, ours):
            ask(one)
    shown = {name: _shown(name, each) for name, each in times.items()}
    known = {one: byway.parse_query(one).words for one in queries}
    same = _shown(
        "tantivy, same words", _asked(lambda one: plain.run_query(one.kind, known[one]), queries)
    )
    figures["byway"] |= {"asking": shown["byway"], "retrieval": shown["byway, understood"]}
    figures["tantivy"] |= {"asking": shown["tantivy"], "same words": same}
    print("retrieval by byway, ratios of the medians, at most 1.30 wanted:")
    _ratios("alone / tantivy", shown["byway, understood"], shown["tantivy"])
    _ratios("as typed / tantivy", shown["byway"], shown["tantivy"])
    _ratios("alone / same words", shown["byway, understood"], same)


def _ratios(name: str, ours: Figures, theirs: Figures) -> None:
    cells = [f"{ours[kind][0] / theirs[kind][0]:.2f}" for kind in QUERY_KINDS]
    print(f"{name:25} " + " ".join(f"{cell:>13}" for cell in cells))


def _answered(byway: Byway, queries: Sequence[BenchQuery]) -> tuple[Times, Times]:
    stages: Times = {}

    def answer(one: BenchQuery) -> Sequence[int]:
        for step, seconds in byway.stage_seconds(one).items():
            stages.setdefault(step, []).append(seconds)
        return ()

    return _asked(answer, queries), stages


def _suggested(byway: Byway, sample: Sequence[Document]) -> Figures:
    right = title_prefixes(sample, PREFIX_COUNT)
    figures: Figures = {}
    for name, typed in (("typed right", right), ("with a slip", with_typos(right))):
        times = measure_suggest(byway.suggest, typed)
        figures[name] = [_percentile(times, 50), _percentile(times, 99)]
        print(
            f"suggestions, {name}: p50 {_ms(times, 50)} ms, p99 {_ms(times, 99)} ms of CPU "
            f"for {len(typed):,} beginnings of titles; "
            f"p99 of {1000 * TARGET_P99_SECONDS:.0f} ms is wanted"
        )
    return figures


def _first_bytes(byway: Byway, pages: int, queries: Sequence[BenchQuery]) -> dict[str, float]:
    clock, cpu, sizes = measure_first_byte(byway.search, pages, queries)
    print(
        f"first byte of the page: p50 {_ms(clock, 50)} ms, p99 {_ms(clock, 99)} ms by the clock, "
        f"p50 {_ms(cpu, 50)} ms of CPU; the page is {max(sizes) / 1000:.1f} kB at most"
    )
    return {"clock": _percentile(clock, 50), "cpu": _percentile(cpu, 50), "bytes": max(sizes)}


def _shown(name: str, times: Times) -> dict[str, list[float]]:
    cells = [f"{_ms(each, 50)} / {_ms(each, 99)}" for each in times.values()]
    print(f"{name:22} " + " ".join(f"{cell:>13}" for cell in cells), flush=True)
    return {kind: [_percentile(each, 50), _percentile(each, 99)] for kind, each in times.items()}


def _ms(times: Sequence[float], share: int) -> str:
    return f"{1000 * _percentile(times, share):.2f}"


def _percentile(times: Sequence[float], share: int) -> float:
    return float(np.percentile(times, share)) if times else 0.0


def _every(documents: Iterator[Document], step: int) -> Iterator[Document]:
    return (document for n, document in enumerate(documents) if n % step == 0)


def _arguments() -> argparse.Namespace:
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="bench-search", description=about)
    parser.add_argument("--pages", type=int, default=DEFAULT_PAGES, help="pages that are searched")
    parser.add_argument("--queries", type=int, default=150, help="queries of each kind")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the pages there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--profile", action="store_true", help="show where byway's time goes")
    asked = parser.parse_args()
    if asked.pages < SAMPLE_PAGES // 10:
        sys.exit(f"--pages {asked.pages} is too few; ask for {SAMPLE_PAGES // 10} at least")
    return asked


if __name__ == "__main__":
    main()
