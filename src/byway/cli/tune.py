"""Tune: which weights order the answers best?"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from byway.app.evaluation import (
    normalize_judged_urls,
    open_collection,
    open_data_folder,
    signal_weights,
)
from byway.cli.eval import (
    JudgedDataOption,
    SettingsFileOption,
    cache_folder,
    load_settings_file,
    report_missing_pages,
)
from byway.cli.support.options import JsonOption, SetOption, VerboseOption, require_writable
from byway.cli.support.output import out, pluralize, print_json, print_notice, progress
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, read_collection
from byway.evaluate.significance import Difference
from byway.evaluate.weight_tuner import TrainingExample, TunedWeights, tune, weights_toml

ORDER = 15

CollectionsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DIR...", help="Folders with judged queries, as `byway eval` reads."),
]
OutputFileOption = Annotated[
    Path, typer.Option("--to", metavar="FILE", help="Where the weights are written, as TOML.")
]
MaxQueriesOption = Annotated[
    int, typer.Option("--queries", min=5, help="Queries of each folder that are learnt from.")
]


def command(
    folders: CollectionsArgument,
    output_file: OutputFileOption = Path("tuned.toml"),
    max_queries: MaxQueriesOption = 500,
    settings_file: SettingsFileOption = None,
    data: JudgedDataOption = None,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Learn how much each signal should count from judged queries, and write a settings file."""
    require_writable(output_file)
    mine = load_settings_file(settings_file, set, data)
    collections = [read_collection(folder) for folder in folders]
    examples = [_examples(collection, mine, data, max_queries) for collection in collections]
    before = signal_weights(mine)
    with progress("learning weights"):
        tuned = tune(examples, before)
    names = ", ".join(collection.name for collection in collections)
    output_file.write_text(weights_toml(tuned, names), encoding="utf-8")
    if json:
        print_json({**asdict(tuned), "verdict": tuned.change.verdict, "file": str(output_file)})
        return
    _print(tuned)
    print_notice(escape(advice(tuned.change, folders[0], output_file)))


def advice(change: Difference, folder: Path, output_file: Path) -> str:
    """What to do with the weights."""
    if not change.significant:
        said = "chance may explain what they change, so keep yours, or judge more queries"
        return f"the weights are in {output_file}; {said}"
    if change.mean < 0:
        return f"the weights are in {output_file}, but they are worse than yours: do not use them"
    trial = f"byway eval {folder} --against {output_file}"
    return f"the weights are in {output_file}; try them with {trial}"


def _examples(
    collection: Collection, settings: Settings, data: Path | None, most: int
) -> Sequence[TrainingExample]:
    judgements = normalize_judged_urls(collection.judgements) if data else collection.judgements
    opened = (
        open_data_folder(data, settings)
        if data
        else open_collection(collection, settings, cache_folder())
    )
    chosen = collection.sample(most)
    with progress(f"indexing and asking {collection.name}"), opened as judge:
        report_missing_pages(judge, judgements, data)
        found = [judge.training_example(query.text, judgements[query.id]) for query in chosen]
    return [example for example in found if example.ideal_dcg > 0]


def _print(tuned: TunedWeights) -> None:
    out.print("[dim]fold  queries  before   after  on queries they were not learnt from[/dim]")
    for number, fold in enumerate(tuned.folds, 1):
        out.print(f"{number:4}  {fold.queries:7,}  {fold.before:.4f}  {fold.after:.4f}")
    change = tuned.change
    better = pluralize(change.better, "query", "queries")
    out.print(
        f"nDCG@10 {change.mean:+.4f}: better on {better}, worse on "
        f"{change.worse:,}; {change.verdict_text} (p = {change.p:.4f})"
    )
    for name, weight in tuned.weights.items():
        out.print(f"{name:11} {weight:g}")
