"""Does byway rank better than BM25? Judged collections, one profile for all of them.

    python -m bench.quality.search [--data FOLDER] [--settings FILE] [--pin] [--json FILE] [SET]...

Beside each figure stands what plain BM25 over the text gives in the same run, and the anchor: what
another implementation of BM25 gave on the same data. Below stands what weights do that were learnt
without the queries they are tried on.
"""

import argparse
import json
import os
import sys
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.quality import floors
from bench.quality.bm25 import Bm25
from bench.quality.search import held_out
from bench.test_data import folder
from byway.app.evaluation import open_collection
from byway.cli.eval import cache_folder
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, read_collection
from byway.evaluate.runs import RankingFunction, RunScores, run_queries, score
from byway.evaluate.significance import ConfidenceInterval, interval
from byway.evaluate.weight_tuner import TrainingExample
from byway.extract.language.detect import detect_text_language

ANCHOR_SCORES = tomllib.loads(Path(__file__).with_name("anchors.toml").read_text())
MEASURE = "nDCG@10"
FLOOR_SLACK = 0.001
"""Two machines add up the same numbers in different orders."""
TARGET_MEAN_GAIN = 0.02
"""How far above the anchors byway is to be, on average."""
ENGLISH_SET, TRANSLATED_SETS = "xquad-en", ("xquad-de", "xquad-ru")
"""The same questions about the same texts: other languages are to gain no less than English."""


@dataclass(frozen=True, slots=True)
class SetResult:
    """How one set came out."""

    name: str
    queries: int
    byway_score: ConfidenceInterval
    bm25_score: float
    anchor_score: float
    recall: float
    has_ranks: bool
    """Whether links say anything of its documents."""

    @property
    def gain(self) -> float:
        """How far above the anchor we are."""
        return self.byway_score.mean - self.anchor_score


def main() -> None:
    """Measure every set, print a table, and fail when a figure is below its floor."""
    asked = _arguments()
    settings = load_settings(asked.settings, os.environ)
    rows, learnt = [], []
    print(f"{'set':20} {'queries':>7} {MEASURE:>8} {'95 % between':>13} {'plain':>6} anchor   gain")
    for name in asked.sets or ANCHOR_SCORES:
        row, some = measure_set(asked.data / name, settings)
        rows.append(row)
        learnt += [some] if row.anchor_score else []
        print(format_row(row), flush=True)
    judged = [row for row in rows if row.anchor_score]
    mean = sum(row.gain for row in judged) / max(1, len(judged))
    print(f"{'mean gain over the anchors':58} {mean:+.4f} (wanted: {TARGET_MEAN_GAIN:+.2f})")
    for row in judged:
        if row.gain <= 0:
            print(f"{row.name} is not above its anchor")
    gains = {row.name: row.gain for row in judged}
    for name in TRANSLATED_SETS:
        if gains.get(name, 1.0) < gains.get(ENGLISH_SET, 0.0):
            print(f"{name} gains less over its anchor than {ENGLISH_SET}")
    print(*held_out.report_lines(learnt, settings) if judged else "", sep="\n", flush=True)
    ranked = [row.name for row in rows if row.has_ranks]
    print(
        f"sets with ranks: {', '.join(ranked) or 'none'}; the others have no links, so that every "
        "answer is the same without ranks"
    )
    figures = {row.name: row.byway_score.mean for row in rows}
    if asked.json:
        asked.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    if asked.pin:
        floors.pin("search", figures, frozenset(), dict.fromkeys(figures, FLOOR_SLACK))
    failed = [] if asked.sets else floors.floor_violations("search", figures, frozenset())
    sys.exit("\n".join(failed) or None)


def measure_set(folder: Path, settings: Settings) -> tuple[SetResult, list[TrainingExample]]:
    """One set, asked of byway and of plain BM25; and what may be learnt from it."""
    collection = read_collection(folder)
    with open_collection(collection, settings, cache_folder()) as judge:
        ours = _scores(collection, judge.run_query)
        learnt = held_out.examples(collection, judge, settings)
    plain = Bm25(
        (one.id, one.text, detect_text_language(one.text)) for one in collection.documents()
    )
    row = SetResult(
        folder.name,
        len(ours.queries),
        interval(ours.values[MEASURE]),
        _scores(collection, plain.search).mean(MEASURE),
        ANCHOR_SCORES.get(folder.name, 0.0),
        ours.mean("R@100"),
        judge.has_link_ranks,
    )
    return row, learnt


def format_row(row: SetResult) -> str:
    """A row of the table."""
    ours = f"{row.byway_score.mean:8.4f}  {row.byway_score.low:.3f} – {row.byway_score.high:.3f}"
    beside = f"{row.anchor_score:6.3f} {row.gain:+.4f}" if row.anchor_score else "     –"
    return f"{row.name:20} {row.queries:7,} {ours} {row.bm25_score:6.3f} {beside}"


def _scores(collection: Collection, answer: RankingFunction) -> RunScores:
    return score(run_queries(collection.queries, answer), collection.judgements)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench-quality", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help="measure these sets alone")
    parser.add_argument("--data", type=Path, help="the folder with the sets")
    parser.add_argument("--settings", type=Path, metavar="FILE", help="use these settings")
    parser.add_argument("--pin", action="store_true", help="raise the floors to what was reached")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    asked = parser.parse_args()
    asked.data = asked.data or folder() / "relevance"
    if not asked.data.is_dir():
        sys.exit(f"no judged collections in {asked.data}; name their folder with --data")
    return asked


if __name__ == "__main__":
    main()
