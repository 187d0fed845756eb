"""Tune: which weights order the answers best?"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from byway.app.evaluation import default_weights, judging, judging_data, with_urls
from byway.cli.eval import OfData, Profile, cache_folder, settings_from, tell_missing
from byway.cli.support.options import Json, Set, Verbose, require_writable
from byway.cli.support.output import counted, out, print_json, progress, say
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, read_collection
from byway.evaluate.significance import Difference
from byway.evaluate.weight_tuner import Example, Tuned, profile, tune

ORDER = 15

Where = Annotated[
    list[Path],
    typer.Argument(metavar="DIR...", help="Folders with judged queries, as `byway eval` reads."),
]
To = Annotated[
    Path, typer.Option("--to", metavar="FILE", help="Where the weights are written, as TOML.")
]
Most = Annotated[
    int, typer.Option("--queries", min=5, help="Queries of each folder that are learnt from.")
]


def command(
    where: Where,
    to: To = Path("tuned.toml"),
    queries: Most = 500,
    settings: Profile = None,
    data: OfData = None,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Learn how much each signal should count from judged queries, and write a settings file."""
    require_writable(to)
    mine = settings_from(settings, set, data)
    collections = [read_collection(folder) for folder in where]
    examples = [_examples(collection, mine, data, queries) for collection in collections]
    before = default_weights(mine)
    with progress("learning weights"):
        tuned = tune(examples, before)
    names = ", ".join(collection.name for collection in collections)
    to.write_text(profile(tuned, names), encoding="utf-8")
    if json:
        print_json({**asdict(tuned), "verdict": tuned.change.verdict, "file": str(to)})
        return
    _print(tuned)
    say(escape(advice(tuned.change, where[0], to)))


def advice(change: Difference, where: Path, to: Path) -> str:
    """What to do with the weights."""
    if not change.significant:
        said = "chance may explain what they change, so keep yours, or judge more queries"
        return f"the weights are in {to}; {said}"
    if change.mean < 0:
        return f"the weights are in {to}, but they are worse than yours: do not use them"
    return f"the weights are in {to}; try them with byway eval {where} --against {to}"


def _examples(
    collection: Collection, settings: Settings, data: Path | None, most: int
) -> Sequence[Example]:
    judgements = with_urls(collection.judgements) if data else collection.judgements
    opened = judging_data(data, settings) if data else judging(collection, settings, cache_folder())
    chosen = collection.sample(most)
    with progress(f"indexing and asking {collection.name}"), opened as judge:
        tell_missing(judge, judgements, data)
        found = [judge.example(query.text, judgements[query.id]) for query in chosen]
    return [example for example in found if example.ideal > 0]


def _print(tuned: Tuned) -> None:
    out.print("[dim]fold  queries  before   after  on queries they were not learnt from[/dim]")
    for number, fold in enumerate(tuned.folds, 1):
        out.print(f"{number:4}  {fold.queries:7,}  {fold.before:.4f}  {fold.after:.4f}")
    change = tuned.change
    better = counted(change.better, "query", "queries")
    out.print(
        f"nDCG@10 {change.mean:+.4f}: better on {better}, worse on "
        f"{change.worse:,}; {change.verdict} (p = {change.p:.4f})"
    )
    for name, weight in tuned.weights.items():
        out.print(f"{name:11} {weight:g}")
