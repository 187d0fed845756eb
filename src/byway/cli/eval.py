"""`byway eval`: search quality on judged queries."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from byway.app.quality import Evaluation, JudgedPages, evaluate
from byway.cli.support import options
from byway.cli.support.options import check_signal_weights, require_writable
from byway.cli.support.output import counted, out, print_json, print_notice, progress
from byway.core.errors import UsageError
from byway.core.messages import decimal, t
from byway.core.model.measurement import Difference
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings

PANEL = "Rank and evaluate"
ORDER = 2

CollectionArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", help="Folder with docs.jsonl, queries.jsonl and qrels.tsv, or TREC files."
    ),
]
SettingsFileOption = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE", help="Settings file to evaluate.")
]
BaselineOption = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="FILE", help="Settings file to compare with."),
]
RunFileOption = Annotated[
    Path | None,
    typer.Option("--run-file", metavar="FILE", help="Write the results to a file as a TREC run."),
]
JudgedDataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Search this data folder; the qrels identify pages by URL."),
]


def command(
    folder: CollectionArgument,
    settings_file: SettingsFileOption = None,
    baseline_file: BaselineOption = None,
    run_file: RunFileOption = None,
    data: JudgedDataOption = None,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Measure search quality on judged queries.

    Prints nDCG, MAP, MRR, precision and recall, or compares two settings files.
    """
    require_writable(run_file)
    settings = load_settings_file(settings_file, set, data)
    baseline = load_settings_file(baseline_file, None) if baseline_file else None
    with progress(t("cli.eval.running", name=folder.resolve().name)):
        result = evaluate(folder, settings, data, baseline, run_file)
    print_missing_pages(result.judged_pages, data)
    if json:
        print_json(_as_json(result))
        return
    title = t("cli.eval.title", name=result.collection, count=result.query_count)
    out.print(title, markup=False, style="bold")
    for line in _lines(result):
        out.print(line, markup=False)
    if result.differences:
        change = _comparison(result.differences["nDCG@10"], str(baseline_file))
        out.print(change, markup=False)
    if run_file:
        print_notice(t("cli.eval.run_written", file=run_file))


def load_settings_file(
    path: Path | None, overrides: list[str] | None, data: Path | None = None
) -> Settings:
    """The settings from this file, which must exist, or from a data folder."""
    if path and not path.exists():
        raise UsageError("cli.no_settings_file", path=path)
    file = path or (data / "byway.toml" if data else None)
    return load_settings(file, os.environ, overrides or (), check_signal_weights)


def print_missing_pages(pages: JudgedPages, data: Path | None) -> None:
    """Warn about judged pages that are not indexed."""
    if pages.missing:
        place = data or t("cli.eval.collection")
        counts = {"missing": pages.missing, "count": pages.total}
        print_notice(t("cli.eval.missing_pages", **counts, place=place))


def _lines(result: Evaluation) -> Iterator[str]:
    """A table with a line for each measure."""
    heads = [t(f"cli.eval.head_{name}") for name in ("measure", "mean", "baseline", "change")]
    if result.baseline:
        yield f"{heads[0]:8} {heads[1]:>6}  {heads[2]:>7}  {heads[3]:>7}  {'p':>6}"
    else:
        yield f"{heads[0]:8} {heads[1]:>6}  {t('cli.eval.head_interval')}"
    for name, interval in result.measures.items():
        if result.baseline:
            change = result.differences[name]
            before, p = decimal(result.baseline[name].mean, ".4f"), decimal(change.p, ".4f")
            rest = f" {before}  {decimal(change.mean, '+.4f')}  {p}  {change.verdict_text}"
        else:
            rest = f"{decimal(interval.low, '.4f')} – {decimal(interval.high, '.4f')}"
        yield f"{name:8} {decimal(interval.mean, '.4f')}  {rest}"


def _comparison(change: Difference, baseline: str) -> str:
    """A sentence that compares a measure with its baseline."""
    if not change.better and not change.worse:
        return t("cli.eval.no_difference", baseline=baseline)
    key = "cli.eval.significant" if change.significant else "cli.eval.not_significant"
    return t(
        key,
        baseline=baseline,
        change=decimal(change.mean, "+.4f"),
        better=counted("queries", change.better),
        worse=change.worse,
        p=decimal(change.p, ".4f"),
    )


def _as_json(result: Evaluation) -> dict[str, object]:
    fields: dict[str, object] = {
        "collection": result.collection,
        "queries": result.query_count,
        "measures": {name: asdict(interval) for name, interval in result.measures.items()},
        "missing_judged_pages": result.judged_pages.missing,
    }
    if result.baseline:
        baseline, changes = result.baseline.items(), result.differences.items()
        fields["baseline"] = {name: asdict(interval) for name, interval in baseline}
        fields["differences"] = {
            name: {**asdict(change), "verdict": change.verdict} for name, change in changes
        }
    return fields
