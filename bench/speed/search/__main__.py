"""Indexing and search speed, compared with other engines over the same pages, in one run.

    python -m bench.speed.search [--pages N] [--queries N] [--keep FOLDER] [--json FILE] [--profile]

CPU seconds are compared, since they hardly depend on other load.
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
from bench.speed.search.prefixes import (
    TARGET_P99_SECONDS,
    measure_suggest,
    title_prefixes,
    with_typos,
)
from bench.speed.search.queries import QUERY_KINDS, BenchQuery, make_queries
from bench.speed.search.whoosh_engine import Whoosh
from byway.core.model import Document
from byway.storage.sqlite.storage import SqliteStorage

DEFAULT_PAGES = 100_000
WHOOSH_PAGES = 4000
"""Whoosh would take hours for a hundred thousand pages, so it gets fewer."""
ENGINE_FOLDERS = {"SQLite FTS5": "fts5", "tantivy, all fields": "whole"}
"""Folders of engines whose name is no folder name."""
SAMPLE_PAGES = 5000
PREFIX_COUNT = 2000
"""Title prefixes that are completed."""
WARM_UP_QUERIES = 50
MIN_QUERIES_PER_KIND = 1000
"""Queries of each kind in the comparison of retrieval. Some take ten times as long as others, so
the medians of two samples of 150 differ by a fifth."""

Times = dict[str, list[float]]
Figures = dict[str, list[float]]


def main() -> None:
    """Measure all engines and print the results."""
    args = _arguments()
    print(f"machine: {describe_machine()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="byway-search-") as name:
        folder = Path(name)
        data = collect_pages(args.keep or folder / "pages", args.pages)
        sample = list(_every(read_documents(data, args.pages), max(1, args.pages // SAMPLE_PAGES)))
        queries = make_queries(sample, args.queries)
        byway, tantivy = Byway(folder / "byway", data), RawTantivy(folder / "tantivy")
        others: list[tuple[BenchEngine, int]] = [
            (tantivy, args.pages),
            (Fts5(folder / "fts5"), args.pages),
            (Whoosh(folder / "whoosh"), min(WHOOSH_PAGES, args.pages)),
        ]
        if reason := unavailable_reason():
            print(f"Lucene is skipped: {reason}")
        else:
            others.insert(1, (Lucene(folder / "lucene"), args.pages))
        print(f"\n{'engine':20} {'pages':>8} {'pages/CPU s':>12} {'MB':>7}  indexing, one thread")
        figures: dict[str, Any] = {}
        first: list[tuple[BenchEngine, int]] = [
            (byway, args.pages),
            (TantivyAllFields(folder / "whole"), args.pages),
        ]
        for engine, pages in [*first, *others]:
            engine_folder = folder / ENGINE_FOLDERS.get(engine.name, engine.name)
            figures[engine.name] = _measure_indexing(engine, data, pages, engine_folder)
        _compare(figures)
        print(f"\n{'p50 / p99, ms of CPU':22} " + " ".join(f"{kind:>13}" for kind in QUERY_KINDS))
        many = make_queries(sample, max(args.queries, MIN_QUERIES_PER_KIND))
        _compare_retrieval(byway, tantivy, TantivySameTerms(folder / "byway"), many, figures)
        for engine, _ in others[1:]:
            times = _measure_queries(
                engine.run_query, queries, engine.clock, getattr(engine, "warm_up", 0)
            )
            figures[engine.name]["asking"] = _shown(engine.name, times)
        answers, stages = _measure_answers(byway, queries)
        figures["byway"]["answering"] = _shown("byway, complete answer", answers)
        every = [seconds for times in answers.values() for seconds in times]
        print(
            f"complete answers: p50 {_ms(every, 50)} ms, p99 {_ms(every, 99)} ms of CPU, one core"
        )
        figures["byway"]["suggesting"] = _measure_suggestions(byway, sample)
        figures["byway"]["first byte"] = _measure_first_bytes(byway, args.pages, queries)
        if args.profile:
            for step, each in stages.items():
                print(f"    {step:12} p50 {_ms(each, 50)} ms, p99 {_ms(each, 99)} ms of CPU")
        for engine, _ in others:
            if isinstance(engine, Lucene):
                engine.close()
    if args.json:
        args.json.write_text(json.dumps(figures, indent=2) + "\n")


def _measure_indexing(
    engine: BenchEngine, data: SqliteStorage, pages: int, folder: Path
) -> dict[str, Any]:
    """The cost of indexing, without the time of the thread that reads the documents."""
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
    """Print the indexing speed of byway relative to tantivy."""
    for name, fields in (("tantivy, all fields", "the same fields"), ("tantivy", "texts alone")):
        share = figures[name]["seconds"] / figures["byway"]["seconds"]
        print(f"byway indexes {share:.2f} x as fast as tantivy does with {fields}")
        figures["byway"][f"indexing, of {name}"] = share


def _measure_queries(
    run: Callable[[BenchQuery], Sequence[int]],
    queries: Sequence[BenchQuery],
    clock: Callable[[], float] = time.process_time,
    warm_up: int = 0,
) -> Times:
    for one in [*queries[:: max(1, len(queries) // WARM_UP_QUERIES)], *(list(queries) * warm_up)]:
        run(one)
    times: Times = {kind: [] for kind in QUERY_KINDS}
    for one in queries:
        started = clock()
        run(one)
        times[one.kind].append(clock() - started)
    return times


def _compare_retrieval(
    byway: Byway,
    tantivy: RawTantivy,
    plain: TantivySameTerms,
    queries: Sequence[BenchQuery],
    figures: dict[str, Any],
) -> None:
    """Retrieval by byway and by tantivy: each query once with each engine, in alternating order.

    So other load and caches affect both alike.
    """
    names = ("byway", "byway, parsed", "tantivy")
    times: dict[str, Times] = {name: {kind: [] for kind in QUERY_KINDS} for name in names}

    def run_byway(one: BenchQuery) -> None:
        started = time.process_time()
        parsed = byway.parse_query(one)
        parsed_at = time.process_time()
        byway.retrieve(parsed)
        done = time.process_time()
        times["byway"][one.kind].append(done - started)
        times["byway, parsed"][one.kind].append(done - parsed_at)

    def run_tantivy(one: BenchQuery) -> None:
        started = time.process_time()
        tantivy.run_query(one)
        times["tantivy"][one.kind].append(time.process_time() - started)

    for one in queries[:: max(1, len(queries) // WARM_UP_QUERIES)]:
        byway.run_query(one)
        tantivy.run_query(one)
    for n, one in enumerate(queries):
        for run in (run_byway, run_tantivy) if n % 2 else (run_tantivy, run_byway):
            run(one)
    shown = {name: _shown(name, each) for name, each in times.items()}
    known = {one: byway.parse_query(one).words for one in queries}
    same = _shown(
        "tantivy, same words",
        _measure_queries(lambda one: plain.run_query(one.kind, known[one]), queries),
    )
    figures["byway"] |= {"asking": shown["byway"], "retrieval": shown["byway, parsed"]}
    figures["tantivy"] |= {"asking": shown["tantivy"], "same words": same}
    print("retrieval by byway, ratios of the medians (target: at most 1.30):")
    _ratios("retrieval / tantivy", shown["byway, parsed"], shown["tantivy"])
    _ratios("with parsing / tantivy", shown["byway"], shown["tantivy"])
    _ratios("retrieval / same words", shown["byway, parsed"], same)


def _ratios(name: str, ours: Figures, theirs: Figures) -> None:
    cells = [f"{ours[kind][0] / theirs[kind][0]:.2f}" for kind in QUERY_KINDS]
    print(f"{name:25} " + " ".join(f"{cell:>13}" for cell in cells))


def _measure_answers(byway: Byway, queries: Sequence[BenchQuery]) -> tuple[Times, Times]:
    stages: Times = {}

    def answer(one: BenchQuery) -> Sequence[int]:
        for step, seconds in byway.stage_seconds(one).items():
            stages.setdefault(step, []).append(seconds)
        return ()

    return _measure_queries(answer, queries), stages


def _measure_suggestions(byway: Byway, sample: Sequence[Document]) -> Figures:
    right = title_prefixes(sample, PREFIX_COUNT)
    figures: Figures = {}
    for name, typed in (("without typo", right), ("with a typo", with_typos(right))):
        times = measure_suggest(byway.suggest, typed)
        figures[name] = [_percentile(times, 50), _percentile(times, 99)]
        print(
            f"suggestions, {name}: p50 {_ms(times, 50)} ms, p99 {_ms(times, 99)} ms of CPU "
            f"for {len(typed):,} title prefixes; "
            f"target: p99 of {1000 * TARGET_P99_SECONDS:.0f} ms"
        )
    return figures


def _measure_first_bytes(
    byway: Byway, pages: int, queries: Sequence[BenchQuery]
) -> dict[str, float]:
    clock, cpu, sizes = measure_first_byte(byway.search, pages, queries)
    print(
        f"first byte of the page: p50 {_ms(clock, 50)} ms, p99 {_ms(clock, 99)} ms wall time, "
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
    parser.add_argument("--pages", type=int, default=DEFAULT_PAGES, help="number of pages")
    parser.add_argument("--queries", type=int, default=150, help="queries of each kind")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the pages in this folder")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    parser.add_argument("--profile", action="store_true", help="show where byway's time goes")
    args = parser.parse_args()
    if args.pages < SAMPLE_PAGES // 10:
        sys.exit(f"--pages {args.pages} is too few; use at least {SAMPLE_PAGES // 10}")
    return args


if __name__ == "__main__":
    main()
