"""Ranking quality on judged collections, compared with BM25; one profile for all of them.

    python -m bench.quality.search [--data FOLDER] [--settings FILE] [--pin] [--json FILE] [SET]...

Each figure is printed with that of plain BM25 over the text in the same run, and with the anchor:
the figure of another implementation of BM25 on the same data. The cross-validation of learned
weights follows.
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
from byway.app.evaluation import cache_folder, open_collection
from byway.core.model.measurement import ConfidenceInterval
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, read_collection
from byway.evaluate.runs import RankingFunction, RunScores, run_queries, score
from byway.evaluate.significance import interval
from byway.evaluate.weight_tuner import TrainingExample
from byway.extract.language import detect_text_language

ANCHOR_SCORES = tomllib.loads(Path(__file__).with_name("anchors.toml").read_text())
MEASURE = "nDCG@10"
FLOOR_SLACK = 0.001
"""Tolerance for sums in another order on other machines."""
TARGET_MEAN_GAIN = 0.02
"""The target of the mean gain over the anchors."""
ENGLISH_SET, TRANSLATED_SETS = "xquad-en", ("xquad-de", "xquad-ru")
"""The same queries about the same texts: other languages should gain no less than English."""


@dataclass(frozen=True, slots=True)
class SetResult:
    """The result of one collection."""

    name: str
    queries: int
    byway_score: ConfidenceInterval
    bm25_score: float
    anchor_score: float
    recall: float
    has_ranks: bool
    """Do its documents have link ranks?"""

    @property
    def gain(self) -> float:
        """The difference to the anchor."""
        return self.byway_score.mean - self.anchor_score


def main() -> None:
    """Measure every set, print a table, and fail if a figure is below its floor."""
    args = _arguments()
    settings = load_settings(args.settings, os.environ)
    rows, examples = [], []
    print(f"{'set':20} {'queries':>7} {MEASURE:>8} {'95 % between':>13} {'plain':>6} anchor   gain")
    for name in args.sets or ANCHOR_SCORES:
        row, row_examples = measure_set(args.data / name, settings)
        rows.append(row)
        examples += [row_examples] if row.anchor_score else []
        print(format_row(row), flush=True)
    judged = [row for row in rows if row.anchor_score]
    mean = sum(row.gain for row in judged) / max(1, len(judged))
    print(f"{'mean gain over the anchors':58} {mean:+.4f} (target: {TARGET_MEAN_GAIN:+.2f})")
    for row in judged:
        if row.gain <= 0:
            print(f"{row.name} is not above its anchor")
    gains = {row.name: row.gain for row in judged}
    for name in TRANSLATED_SETS:
        if gains.get(name, 1.0) < gains.get(ENGLISH_SET, 0.0):
            print(f"{name} gains less over its anchor than {ENGLISH_SET}")
    print(*held_out.report_lines(examples, settings) if judged else "", sep="\n", flush=True)
    ranked = [row.name for row in rows if row.has_ranks]
    print(f"sets with link ranks: {', '.join(ranked) or 'none'}; the others have no links")
    figures = {row.name: row.byway_score.mean for row in rows}
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    if args.pin:
        floors.pin("search", figures, frozenset(), dict.fromkeys(figures, FLOOR_SLACK))
    failed = [] if args.sets else floors.floor_violations("search", figures, frozenset())
    sys.exit("\n".join(failed) or None)


def measure_set(folder: Path, settings: Settings) -> tuple[SetResult, list[TrainingExample]]:
    """The result of one collection with byway and with plain BM25, and training examples."""
    collection = read_collection(folder)
    with open_collection(collection, settings, cache_folder()) as judge:
        ours = _scores(collection, judge.run_query)
        examples = held_out.examples(collection, judge, settings)
    plain = Bm25(
        (document.id, document.text, detect_text_language(document.text))
        for document in collection.documents()
    )
    row = SetResult(
        name=folder.name,
        queries=len(ours.queries),
        byway_score=interval(ours.values[MEASURE]),
        bm25_score=_scores(collection, plain.search).mean(MEASURE),
        anchor_score=ANCHOR_SCORES.get(folder.name, 0.0),
        recall=ours.mean("R@100"),
        has_ranks=judge.has_link_ranks,
    )
    return row, examples


def format_row(row: SetResult) -> str:
    """A row of the table."""
    ours = f"{row.byway_score.mean:8.4f}  {row.byway_score.low:.3f} – {row.byway_score.high:.3f}"
    anchor = f"{row.anchor_score:6.3f} {row.gain:+.4f}" if row.anchor_score else "     –"
    return f"{row.name:20} {row.queries:7,} {ours} {row.bm25_score:6.3f} {anchor}"


def _scores(collection: Collection, rank: RankingFunction) -> RunScores:
    return score(run_queries(collection.queries, rank), collection.judgements)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench-quality", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help="measure these sets only")
    parser.add_argument("--data", type=Path, help="the folder with the sets")
    parser.add_argument("--settings", type=Path, metavar="FILE", help="use these settings")
    parser.add_argument("--pin", action="store_true", help="raise the floors to these figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    args = parser.parse_args()
    args.data = args.data or folder() / "relevance"
    if not args.data.is_dir():
        sys.exit(f"no judged collections in {args.data}; name their folder with --data")
    return args


if __name__ == "__main__":
    main()
