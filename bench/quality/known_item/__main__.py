"""Known-item benchmark: are the pages found that the printed index of a manual names?

    python -m bench.quality.known_item [--queries N] [--pin] [--json FILE] [--keep FOLDER]

Two documentation sites are crawled from loopback hosts without their index pages; the index entries
are the queries. byway is compared with byway without the PageRank signals, with a paired test of
the difference, and with plain BM25 over the text of the same pages. Some entries are also queried
with a typo in one of their words.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from bench.quality import floors
from bench.quality.bm25 import Bm25
from bench.quality.known_item.index_entries import IndexEntry, postgresql_entries, python_entries
from bench.quality.known_item.site import crawl_site
from bench.speed.crawl.web import BenchSite, load_sites
from bench.speed.environment import require_packages
from bench.speed.search.queries import with_typo
from byway.app.evaluation import open_data_folder
from byway.core.model import Document
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.measures import reciprocal_rank
from byway.evaluate.runs import RankingFunction
from byway.evaluate.significance import difference
from byway.storage.sqlite.documents import open_documents_to_read
from byway.storage.sqlite.storage import SqliteStorage

RANKING_DEPTH = 10
MAX_SHOWN_ENTRIES = 10
SEED = 11
FLOOR_SLACK = 0.001
MAX_TYPO_ENTRIES = 700
"""Entries of a site that are queried with a typo."""
MIN_TYPO_WORD_CHARS = 5
"""The shortest word that gets a typo."""


@dataclass(frozen=True, slots=True)
class SiteTarget:
    """A site, the parser of its index, and the target figures."""

    site: str
    read_entries: Callable[[Path], list[IndexEntry]]
    min_mrr: float
    min_top3: float


TARGETS = (
    SiteTarget("python", python_entries, 0.87, 0.92),
    SiteTarget("postgresql", postgresql_entries, 0.80, 0.90),
)


@dataclass(frozen=True, slots=True)
class EntryResult:
    """The result of one entry."""

    entry: IndexEntry
    score: float
    top_pages: Sequence[str]


class RankComparison:
    """Scores of the same entries with and without the PageRank signals."""

    def __init__(self) -> None:
        self._without: list[float] = []
        self._with: list[float] = []

    def add(self, unranked: Sequence[EntryResult], ranked: Sequence[EntryResult]) -> None:
        """Add the results of some entries."""
        self._without += [result.score for result in unranked]
        self._with += [result.score for result in ranked]

    def summary(self) -> str:
        """The mean difference and its p-value."""
        found = difference(self._without, self._with)
        return f"{found.mean:+.4f}, p = {found.p:.3f}"


def main() -> None:
    """Measure both sites; fail if a figure is below its floor."""
    args = _arguments()
    chosen = {site.name: site for site in load_sites(quick=True)}
    require_packages(["nginx-light", *(chosen[target.site].package for target in TARGETS)])
    figures: dict[str, float] = {}
    print(f"{'site':12} {'pages':>6} {'entries':>7} {'MRR@10':>7} {'top 3':>6}", end="  ")
    print(f"{'without ranks (difference)':34} plain BM25")
    total = RankComparison()
    for target in TARGETS:
        with tempfile.TemporaryDirectory(prefix="byway-known-") as name:
            folder = args.keep / target.site if args.keep else Path(name)
            figures |= _measure(target, chosen[target.site], folder, args.queries, total)
    print(f"both sites: PageRank changes MRR@10 by {total.summary()}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=2) + "\n")
    if args.pin:
        floors.pin("known-item", figures, frozenset(), dict.fromkeys(figures, FLOOR_SLACK))
    sys.exit("\n".join(floors.floor_violations("known-item", figures, frozenset())) or None)


def _measure(
    target: SiteTarget, site: BenchSite, folder: Path, max_entries: int, total: RankComparison
) -> dict[str, float]:
    data = folder / "data"
    if not data.exists():
        (folder / "web").mkdir(parents=True)
        crawl_site(site, folder)
    documents = _documents(data)
    pages = {_path(document.url) for document in documents}
    entries = [entry for entry in target.read_entries(site.root) if entry.pages & pages]
    sample = random.Random(SEED).sample(entries, min(max_entries, len(entries)))
    settings = load_settings(None, os.environ)
    with open_data_folder(data, settings) as judge:
        ours = _run(sample, judge.run_query)
        mistyped = _run(_with_typos(sample), judge.run_query)
    with open_data_folder(data, _without_ranks(settings)) as judge:
        unranked = _run(sample, judge.run_query)
    compared = RankComparison()
    for comparison in (compared, total):
        comparison.add(unranked, ours)
    plain = Bm25((document.url, document.text, document.language) for document in documents)
    baseline = _run(sample, plain.search)
    mrr, top3 = _means(ours)
    plain_mrr, plain_top3 = _means(baseline)
    unranked_mrr, unranked_top3 = _means(unranked)
    print(
        f"{site.name:12} {len(pages):6,} {len(sample):7,} {mrr:7.4f} {top3:6.1%}  "
        f"{unranked_mrr:.4f} {unranked_top3:.1%} ({compared.summary()})  "
        f"{plain_mrr:.4f} {plain_top3:.1%}   target: {target.min_mrr:.2f} {target.min_top3:.0%}"
    )
    typo_mrr, typo_top3 = _means(mistyped)
    print(f"    with a typo in each of {len(mistyped):,}: {typo_mrr:.4f} {typo_top3:.1%}")
    for result in sorted(ours, key=lambda result: result.score)[:MAX_SHOWN_ENTRIES]:
        expected = _first_three(sorted(result.entry.pages))
        print(
            f"    {result.entry.text!r} is in {expected}; first: {_first_three(result.top_pages)}"
        )
    return {
        f"{site.name} MRR@10": mrr,
        f"{site.name} top 3": top3,
        f"{site.name} MRR@10 with a typo": typo_mrr,
    }


def _without_ranks(settings: Settings) -> Settings:
    weights = {**settings.search.weights, "pagerank": 0.0, "host_rank": 0.0}
    return replace(settings, search=replace(settings.search, weights=weights))


def _with_typos(entries: Sequence[IndexEntry]) -> list[IndexEntry]:
    """The first entries with long enough words, one of them mistyped."""
    generator = random.Random(SEED)
    found = []
    for entry in entries:
        words = entry.text.split()
        long = [
            n for n, word in enumerate(words) if word.isalpha() and len(word) >= MIN_TYPO_WORD_CHARS
        ]
        if long:
            chosen = generator.choice(long)
            words[chosen] = with_typo(words[chosen], generator)
            found.append(replace(entry, text=" ".join(words)))
    return found[:MAX_TYPO_ENTRIES]


def _run(entries: Sequence[IndexEntry], rank: RankingFunction) -> list[EntryResult]:
    found = []
    for entry in entries:
        ranking = [_path(url) for url, _ in rank(entry.text, RANKING_DEPTH)]
        score = reciprocal_rank(ranking, dict.fromkeys(entry.pages, 1))
        found.append(EntryResult(entry, score, ranking[:3]))
    return found


def _means(found: Sequence[EntryResult]) -> tuple[float, float]:
    scores = [result.score for result in found]
    return sum(scores) / len(scores), sum(score >= 1 / 3 for score in scores) / len(scores)


def _documents(data: Path) -> list[Document]:
    with closing(open_documents_to_read(SqliteStorage(data).documents_db)) as documents:
        rows = documents.changes_since(0, 1_000_000)
    return [document for _, _, document in rows if document is not None]


def _path(url: str) -> str:
    return url.split("/", 3)[3]


def _first_three(pages: Sequence[str]) -> str:
    return ", ".join(pages[:3]) or "nothing"


def _arguments() -> argparse.Namespace:
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="bench-known-item", description=about)
    parser.add_argument("--queries", type=int, default=3000, help="entries queried per site")
    parser.add_argument("--pin", action="store_true", help="raise the floors to these figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the crawled data in this folder"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
