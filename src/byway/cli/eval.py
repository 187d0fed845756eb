"""`byway eval`: search quality on judged queries."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from byway.app.evaluation import (
    EvaluatedEngine,
    normalize_judged_urls,
    open_collection,
    open_data_folder,
)
from byway.cli.support.options import (
    JsonOption,
    SetOption,
    VerboseOption,
    check_signal_weights,
    require_writable,
)
from byway.cli.support.output import counted, out, print_json, print_notice, progress
from byway.core.errors import UsageError
from byway.core.messages import decimal, t
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, Judgements, read_collection
from byway.evaluate.runs import Run, RunScores, as_trec, run_queries, score
from byway.evaluate.significance import Difference

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
    typer.Option("--run-file", metavar="FILE", help="Write the results here, as a TREC run."),
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
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Measure search quality on judged queries.

    Prints nDCG, MAP, MRR, precision and recall, or compares two settings files.
    """
    require_writable(run_file)
    collection = read_collection(folder)
    settings = load_settings_file(settings_file, set, data)
    baseline_settings = load_settings_file(baseline_file, None) if baseline_file else None
    run, scores, missing = _evaluate(collection, settings, data)
    if run_file:
        run_file.write_text("".join(f"{line}\n" for line in as_trec(run)), encoding="utf-8")
    baseline: RunScores | None = None
    if baseline_settings:
        _, baseline, _ = _evaluate(collection, baseline_settings, data)
    changes = scores.compare_to(baseline) if baseline else {}
    if json:
        fields = _as_json(collection, scores, baseline, changes)
        print_json(fields | {"missing_judged_pages": missing})
        return
    title = t("cli.eval.title", name=collection.name, count=len(scores.queries))
    out.print(title, markup=False, style="bold")
    for line in _lines(scores, baseline, changes):
        out.print(line, markup=False)
    if changes:
        out.print(_comparison(changes["nDCG@10"], str(baseline_file)), markup=False)
    if run_file:
        print_notice(t("cli.eval.run_written", file=run_file))


def cache_folder() -> Path:
    """The folder of indexed collections, kept between runs."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "byway" / "eval"


def load_settings_file(
    path: Path | None, overrides: list[str] | None, data: Path | None = None
) -> Settings:
    """The settings in this file, which must exist, or of a data folder."""
    if path and not path.exists():
        raise UsageError("cli.no_settings_file", path=path)
    file = path or (data / "byway.toml" if data else None)
    return load_settings(file, os.environ, overrides or (), check_signal_weights)


def report_missing_pages(engine: EvaluatedEngine, judgements: Judgements, data: Path | None) -> int:
    """Warn about judged pages that are not indexed; returns their number."""
    missing, judged = engine.count_missing(judgements)
    if missing:
        place = data or t("cli.eval.collection")
        print_notice(t("cli.eval.missing_pages", missing=missing, count=judged, place=place))
    return missing


def _evaluate(
    collection: Collection, settings: Settings, data: Path | None
) -> tuple[Run, RunScores, int]:
    """The results, their scores, and the number of judged pages that are not indexed."""
    judgements = normalize_judged_urls(collection.judgements) if data else collection.judgements
    opened = (
        open_data_folder(data, settings)
        if data
        else open_collection(collection, settings, cache_folder())
    )
    with progress(t("cli.eval.running", name=collection.name)), opened as engine:
        missing = report_missing_pages(engine, judgements, data)
        run = run_queries(collection.queries, engine.run_query)
    return run, score(run, judgements), missing


def _lines(
    scores: RunScores, baseline: RunScores | None, changes: Mapping[str, Difference]
) -> Iterator[str]:
    """A table with a line for each measure."""
    heads = [t(f"cli.eval.head_{name}") for name in ("measure", "mean", "baseline", "change")]
    if baseline:
        yield f"{heads[0]:8} {heads[1]:>6}  {heads[2]:>7}  {heads[3]:>7}  {'p':>6}"
    else:
        yield f"{heads[0]:8} {heads[1]:>6}  {t('cli.eval.head_interval')}"
    for name, interval in scores.intervals().items():
        if baseline:
            change = changes[name]
            before, p = decimal(baseline.mean(name), ".4f"), decimal(change.p, ".4f")
            rest = f" {before}  {decimal(change.mean, '+.4f')}  {p}  {change.verdict_text}"
        else:
            rest = f"{decimal(interval.low, '.4f')} – {decimal(interval.high, '.4f')}"
        yield f"{name:8} {decimal(interval.mean, '.4f')}  {rest}"


def _comparison(change: Difference, baseline: str) -> str:
    """The comparison with a baseline in one sentence."""
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


def _as_json(
    collection: Collection,
    scores: RunScores,
    baseline: RunScores | None,
    changes: Mapping[str, Difference],
) -> dict[str, object]:
    fields: dict[str, object] = {
        "collection": collection.name,
        "queries": len(scores.queries),
        "measures": {name: asdict(interval) for name, interval in scores.intervals().items()},
    }
    if baseline:
        intervals = baseline.intervals().items()
        fields["baseline"] = {name: asdict(interval) for name, interval in intervals}
        fields["differences"] = {
            name: {**asdict(change), "verdict": change.verdict} for name, change in changes.items()
        }
    return fields
