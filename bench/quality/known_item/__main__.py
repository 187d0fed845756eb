"""Is the page found that the author of a printed index would send you to?

    python -m bench.quality.known_item [--queries N] [--pin] [--json FILE] [--keep FOLDER]

Two documentation sites are crawled from loopback hosts without their printed indexes, and asked
for the entries of those. Beside byway stand byway without the signals that PageRank gives, with a
paired test of the difference, and plain BM25 over the text of the same pages. Some entries are
asked for once more, with a slip in one of their words.
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
from bench.quality.known_item.printed import IndexEntry, postgresql_entries, python_entries
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
from byway.storage.data_folder import DataFolder
from byway.storage.sqlite.documents import open_documents_to_read

RANKING_DEPTH = 10
MAX_SHOWN_ENTRIES = 10
SEED = 11
FLOOR_SLACK = 0.001
MAX_TYPO_ENTRIES = 700
"""Entries that are asked for with a slip, per site."""
MIN_TYPO_WORD_CHARS = 5
"""Of a word that gets a slip."""


@dataclass(frozen=True, slots=True)
class SiteTarget:
    """A site, how its index is read, and what is wanted there."""

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
    """What came of one entry."""

    entry: IndexEntry
    score: float
    top_pages: Sequence[str]


class RankComparison:
    """The same entries asked for without ranks and with them."""

    def __init__(self) -> None:
        self._without: list[float] = []
        self._with: list[float] = []

    def add(self, unranked: Sequence[EntryResult], ranked: Sequence[EntryResult]) -> None:
        """Take what came of some entries."""
        self._without += [one.score for one in unranked]
        self._with += [one.score for one in ranked]

    def summary(self) -> str:
        """How much ranks change the mean, and how likely chance alone does that."""
        found = difference(self._without, self._with)
        return f"{found.mean:+.4f}, p = {found.p:.3f}"


def main() -> None:
    """Measure both sites, and fail when a figure is below its floor."""
    asked = _arguments()
    chosen = {site.name: site for site in load_sites(quick=True)}
    require_packages(["nginx-light", *(chosen[target.site].package for target in TARGETS)])
    figures: dict[str, float] = {}
    print(f"{'site':12} {'pages':>6} {'entries':>7} {'MRR@10':>7} {'top 3':>6}", end="  ")
    print(f"{'without ranks (difference)':34} plain BM25")
    together = RankComparison()
    for target in TARGETS:
        with tempfile.TemporaryDirectory(prefix="byway-known-") as name:
            folder = asked.keep / target.site if asked.keep else Path(name)
            figures |= _measured(target, chosen[target.site], folder, asked.queries, together)
    print(f"both sites: ranks change MRR@10 by {together.summary()}")
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n")
    if asked.pin:
        floors.pin("known-item", figures, frozenset(), dict.fromkeys(figures, FLOOR_SLACK))
    sys.exit("\n".join(floors.floor_violations("known-item", figures, frozenset())) or None)


def _measured(
    target: SiteTarget, site: BenchSite, folder: Path, most: int, together: RankComparison
) -> dict[str, float]:
    data = folder / "data"
    if not data.exists():
        (folder / "web").mkdir(parents=True)
        crawl_site(site, folder)
    documents = _documents(data)
    pages = {_path(document.url) for document in documents}
    entries = [entry for entry in target.read_entries(site.root) if entry.pages & pages]
    sample = random.Random(SEED).sample(entries, min(most, len(entries)))
    settings = load_settings(None, os.environ)
    with open_data_folder(data, settings) as judge:
        ours = _found(sample, judge.run_query)
        slipped = _found(_with_slips(sample), judge.run_query)
    with open_data_folder(data, _without_ranks(settings)) as judge:
        unranked = _found(sample, judge.run_query)
    compared = RankComparison()
    for comparison in (compared, together):
        comparison.add(unranked, ours)
    plain = Bm25((document.url, document.text, document.language) for document in documents)
    theirs = _found(sample, plain.search)
    mrr, top3 = _means(ours)
    plain_mrr, plain_top3 = _means(theirs)
    unranked_mrr, unranked_top3 = _means(unranked)
    print(
        f"{site.name:12} {len(pages):6,} {len(sample):7,} {mrr:7.4f} {top3:6.1%}  "
        f"{unranked_mrr:.4f} {unranked_top3:.1%} ({compared.summary()})  "
        f"{plain_mrr:.4f} {plain_top3:.1%}   wanted: {target.min_mrr:.2f} {target.min_top3:.0%}"
    )
    slipped_mrr, slipped_top3 = _means(slipped)
    print(f"    with a slip in each of {len(slipped):,}: {slipped_mrr:.4f} {slipped_top3:.1%}")
    for one in sorted(ours, key=lambda one: one.score)[:MAX_SHOWN_ENTRIES]:
        right = _some(sorted(one.entry.pages))
        print(f"    {one.entry.text!r} is in {right}; first: {_some(one.top_pages)}")
    return {
        f"{site.name} MRR@10": mrr,
        f"{site.name} top 3": top3,
        f"{site.name} MRR@10 with a slip": slipped_mrr,
    }


def _without_ranks(settings: Settings) -> Settings:
    weights = {**settings.search.weights, "pagerank": 0.0, "host_rank": 0.0}
    return replace(settings, search=replace(settings.search, weights=weights))


def _with_slips(entries: Sequence[IndexEntry]) -> list[IndexEntry]:
    """The first of these that have words of some length, one of them mistyped."""
    chance = random.Random(SEED)
    found = []
    for entry in entries:
        words = entry.text.split()
        long = [
            n for n, one in enumerate(words) if one.isalpha() and len(one) >= MIN_TYPO_WORD_CHARS
        ]
        if long:
            place = chance.choice(long)
            words[place] = with_typo(words[place], chance)
            found.append(replace(entry, text=" ".join(words)))
    return found[:MAX_TYPO_ENTRIES]


def _found(entries: Sequence[IndexEntry], answer: RankingFunction) -> list[EntryResult]:
    found = []
    for entry in entries:
        ranking = [_path(url) for url, _ in answer(entry.text, RANKING_DEPTH)]
        score = reciprocal_rank(ranking, dict.fromkeys(entry.pages, 1))
        found.append(EntryResult(entry, score, ranking[:3]))
    return found


def _means(found: Sequence[EntryResult]) -> tuple[float, float]:
    scores = [one.score for one in found]
    return sum(scores) / len(scores), sum(score >= 1 / 3 for score in scores) / len(scores)


def _documents(data: Path) -> list[Document]:
    with closing(open_documents_to_read(DataFolder(data).documents_db)) as documents:
        rows = documents.changes_since(0, 1_000_000)
    return [document for _, _, document in rows if document is not None]


def _path(url: str) -> str:
    return url.split("/", 3)[3]


def _some(pages: Sequence[str]) -> str:
    return ", ".join(pages[:3]) or "nothing"


def _arguments() -> argparse.Namespace:
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="bench-known-item", description=about)
    parser.add_argument("--queries", type=int, default=3000, help="entries asked for, per site")
    parser.add_argument("--pin", action="store_true", help="raise the floors to what was reached")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what was crawled there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
