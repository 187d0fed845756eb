"""Behaviour check: does the new commit differ from the old one more than the old from itself?

The old commit runs twice, the new one once in between: crawl, index, rank, ask. What the two runs
of the old commit do not agree on is noise.
"""

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.comparison.aliases import load_aliases
from bench.comparison.commits import Checkout
from bench.comparison.crawl_results import Values, read_graph, read_pages
from bench.comparison.differences import (
    CATEGORIES,
    Difference,
    compare_folders,
    count_places,
    read_results,
    write_results,
)
from bench.comparison.errors import ComparisonError
from bench.comparison.program import Program
from bench.comparison.queries import draw_queries, draw_sample
from bench.comparison.sample_web import Manual, sample_web
from bench.comparison.search_results import read_documents, read_hits

SAMPLE_PAGES = 60
"""Pages that are extracted once more, for the fields that the API leaves out: 1 s each."""
MAX_SHOWN_DIFFERENCES = 5
"""Differences of a category that are printed; differences.json has all."""
MAX_SHOWN_PLACES = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a category came out."""

    category: str
    items: int
    noise: Sequence[Difference]
    """Between the two runs of the old commit."""
    change: Sequence[Difference]
    """Between the new commit and the run of the old one that is nearer to it."""

    @property
    def passed(self) -> bool:
        """Whether the new commit differs no more than the old one from itself."""
        return len(self.change) <= len(self.noise)


def compare_behaviour(
    old: Checkout, new: Checkout, manuals: Sequence[Manual], count: int, folder: Path
) -> list[Verdict]:
    """Run both commits and compare their results, which stay in the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sides = ("old-1", old), ("new", new), ("old-2", old)
    runs = {name: Program(side, load_aliases(), folder / name / "data") for name, side in sides}
    for program in runs.values():
        program.run("init")
    settings = {name: program.crawl_settings() for name, program in runs.items()}
    with sample_web(old, manuals) as seeds:
        for name, program in runs.items():
            _run(program, [*seeds, *settings[name]], folder / name, count)
    verdicts = judge(folder)
    written = {one.category: asdict(one) for one in verdicts}
    text = json.dumps(written, ensure_ascii=False, indent=1)
    (folder / "differences.json").write_text(text, "utf-8")
    return verdicts


def judge(folder: Path) -> list[Verdict]:
    """Compare the results in old-1, old-2 and new of a folder."""
    noise = compare_folders(folder / "old-1", folder / "old-2")
    changes = [compare_folders(folder / name, folder / "new") for name in ("old-1", "old-2")]
    items = {name: len(values) for name, values in read_results(folder / "old-1").items()}
    return [
        Verdict(name, items[name], noise[name], min((one[name] for one in changes), key=len))
        for name in CATEGORIES
    ]


def print_verdicts(verdicts: Sequence[Verdict], old: Checkout, new: Checkout) -> None:
    """Print how many items differ, and the first of those beyond noise."""
    print(f"old {old.name}, new {new.name}")
    print(f"{'':10} {'items':>7} {'old–old':>8} {'old–new':>8}")
    for one in verdicts:
        mark = "" if one.passed else "  differs"
        counts = f"{one.items:7,} {len(one.noise):8,} {len(one.change):8,}"
        print(f"{one.category:10} {counts}{mark}")
    failed = [one for one in verdicts if not one.passed]
    for one in failed:
        places = count_places(one.change).most_common(MAX_SHOWN_PLACES)
        where = ", ".join(f"{place} ({count:,})" for place, count in places if place)
        print(f"\n{one.category}: {where}".rstrip(": "))
        for difference in one.change[:MAX_SHOWN_DIFFERENCES]:
            print(f"  {difference.shown()}")
        if len(one.change) > MAX_SHOWN_DIFFERENCES:
            print(f"  … {len(one.change) - MAX_SHOWN_DIFFERENCES:,} more")
    print("\nthe new commit differs" if failed else "no difference beyond noise")


def _run(program: Program, crawl: Sequence[str], folder: Path, count: int) -> None:
    """Crawl, index, rank and ask; write the results into the folder."""
    with _step(folder.name, "crawl"):
        program.run("crawl", *crawl)
    with _step(folder.name, "index and rank"):
        program.run("index", "--rebuild")
        program.run("rank")
    try:
        write_results(folder, _results(program, folder, count))
    except KeyError as error:
        raise ComparisonError(
            f"{program.checkout.name} has no field {error}; "
            "add its new name to bench/comparison/aliases.toml"
        ) from error


def _results(program: Program, folder: Path, count: int) -> dict[str, Values]:
    """What a run has found, by category."""
    export = folder / "graph.graphml"
    program.run("links", "--export", str(export))
    graph = read_graph(export, program.aliases)
    pages = read_pages(program.data / "pages", graph)
    with program.serving() as server:
        with _step(folder.name, "documents"):
            sample = _drawn(folder, "sample", lambda: draw_sample(graph.kept, SAMPLE_PAGES))
            documents = read_documents(program, server, graph.kept, sample)
        with _step(folder.name, "hits"):
            queries = _drawn(folder, "queries", lambda: draw_queries(documents, count))
            hits = read_hits(server, queries, program.aliases)
    found = pages, documents, graph.links, graph.ranks, hits
    return dict(zip(CATEGORIES, found, strict=True))


def _drawn(folder: Path, name: str, draw: Callable[[], list[str]]) -> list[str]:
    """What all runs share: the first run draws it, the others read it."""
    path = folder.parent / f"{name}.json"
    if not path.exists():
        path.write_text(json.dumps(draw(), ensure_ascii=False, indent=1), "utf-8")
    shared: list[str] = json.loads(path.read_text("utf-8"))
    return shared


@contextmanager
def _step(run: str, name: str) -> Iterator[None]:
    """Say how long a step took."""
    started = time.monotonic()
    yield
    print(f"{run:6} {name:15} {time.monotonic() - started:6.1f} s", file=sys.stderr)
