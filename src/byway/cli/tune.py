"""`byway tune`: learn signal weights from judged queries."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

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
from byway.cli.support.output import counted, out, print_json, print_notice, progress
from byway.core.messages import decimal, t
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, read_collection
from byway.evaluate.significance import Difference
from byway.evaluate.weight_tuner import TrainingExample, TunedWeights, tune, weights_toml

PANEL = "Rank and evaluate"
ORDER = 3

CollectionsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DIR...", help="Folders with judged queries, as for `byway eval`."),
]
OutputFileOption = Annotated[
    Path, typer.Option("--output", metavar="FILE", help="TOML file for the weights.")
]
MaxQueriesOption = Annotated[
    int, typer.Option("--queries", min=5, help="Queries used from each folder.")
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
    """Learn signal weights from judged queries.

    Writes a settings file with the weights, and reports their effect by cross-validation.
    """
    require_writable(output_file)
    settings = load_settings_file(settings_file, set, data)
    collections = [read_collection(folder) for folder in folders]
    examples = [_examples(collection, settings, data, max_queries) for collection in collections]
    with progress(t("cli.tune.learning")):
        tuned = tune(examples, signal_weights(settings))
    names = ", ".join(collection.name for collection in collections)
    output_file.write_text(weights_toml(tuned, names), encoding="utf-8")
    if json:
        fields = asdict(tuned)
        difference = {"difference": fields.pop("change"), "verdict": tuned.change.verdict}
        print_json(fields | difference | {"file": str(output_file)})
        return
    _print(tuned)
    print_notice(advice(tuned.change, folders[0], output_file))


def advice(change: Difference, folder: Path, output_file: Path) -> str:
    """Whether to use the weights."""
    if not change.significant:
        return t("cli.tune.not_significant", file=output_file)
    if change.mean < 0:
        return t("cli.tune.worse", file=output_file)
    return t("cli.tune.better", file=output_file, folder=folder)


def _examples(
    collection: Collection, settings: Settings, data: Path | None, max_queries: int
) -> Sequence[TrainingExample]:
    judgements = normalize_judged_urls(collection.judgements) if data else collection.judgements
    opened = (
        open_data_folder(data, settings)
        if data
        else open_collection(collection, settings, cache_folder())
    )
    queries = collection.sample(max_queries)
    with progress(t("cli.eval.running", name=collection.name)), opened as engine:
        report_missing_pages(engine, judgements, data)
        examples = [engine.training_example(query.text, judgements[query.id]) for query in queries]
    return [example for example in examples if example.ideal_dcg > 0]


def _print(tuned: TunedWeights) -> None:
    heads = [t(f"cli.tune.head_{name}") for name in ("fold", "queries", "before", "after")]
    columns = f"{heads[0]:>4}  {heads[1]:>7}  {heads[2]:>6}  {heads[3]:>6}"
    out.print(f"{columns}  {t('cli.tune.held_out')}", markup=False, style="dim")
    for number, fold in enumerate(tuned.folds, 1):
        scores = f"{decimal(fold.before, '.4f')}  {decimal(fold.after, '.4f')}"
        out.print(f"{number:4}  {decimal(fold.queries, '7,')}  {scores}")
    change = tuned.change
    out.print(
        t(
            "cli.tune.change",
            change=decimal(change.mean, "+.4f"),
            better=counted("queries", change.better),
            worse=change.worse,
            verdict=change.verdict_text,
            p=decimal(change.p, ".4f"),
        ),
        markup=False,
    )
    for name, weight in tuned.weights.items():
        out.print(f"{name:11} {weight:g}")
