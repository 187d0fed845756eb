"""`byway tune`: learn signal weights from judged queries."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from byway.app.quality import tune_weights
from byway.cli.eval import (
    JudgedDataOption,
    SettingsFileOption,
    load_settings_file,
    print_missing_pages,
)
from byway.cli.support import options
from byway.cli.support.options import require_writable
from byway.cli.support.output import counted, out, print_json, print_notice, progress
from byway.core.messages import decimal, t
from byway.core.model.measurement import Difference, TunedWeights

PANEL = "Rank and evaluate"
ORDER = 3

CollectionsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DIR...", help="Folders with judged queries, as for `byway eval`."),
]
OutputFileOption = Annotated[
    Path, typer.Option("--output", metavar="FILE", help="TOML file to write the weights to.")
]
MaxQueriesOption = Annotated[
    int, typer.Option("--queries", min=5, help="Maximum number of queries per folder.")
]


def command(
    folders: CollectionsArgument,
    output_file: OutputFileOption = Path("tuned.toml"),
    max_queries: MaxQueriesOption = 500,
    settings_file: SettingsFileOption = None,
    data: JudgedDataOption = None,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Learn signal weights from judged queries.

    Writes a settings file with the weights, and reports their effect by cross-validation.
    """
    require_writable(output_file)
    settings = load_settings_file(settings_file, set, data)
    with progress(t("cli.tune.learning")) as line:

        def show(name: str) -> None:
            line.update(t("cli.eval.running", name=name) if name else t("cli.tune.learning"))

        tuned, judged = tune_weights(folders, settings, output_file, max_queries, data, show)
    for pages in judged:
        print_missing_pages(pages, data)
    if json:
        fields = asdict(tuned)
        difference = {"difference": fields.pop("change"), "verdict": tuned.change.verdict}
        print_json(fields | difference | {"file": str(output_file)})
        return
    _print(tuned)
    print_notice(advice(tuned.change, folders[0], output_file))


def advice(change: Difference, folder: Path, output_file: Path) -> str:
    """Advice on whether to use the learned weights."""
    if not change.significant:
        return t("cli.tune.not_significant", file=output_file)
    if change.mean < 0:
        return t("cli.tune.worse", file=output_file)
    return t("cli.tune.better", file=output_file, folder=folder)


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
