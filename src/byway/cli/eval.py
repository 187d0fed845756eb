"""Eval: how good are the answers?"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

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
from byway.cli.support.output import out, pluralize, print_json, print_notice, progress
from byway.core.errors import UsageError
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, Judgements, read_collection
from byway.evaluate.runs import Run, RunScores, as_trec, run_queries, score
from byway.evaluate.significance import Difference

ORDER = 14

CollectionArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", help="A folder with docs.jsonl, queries.jsonl and qrels.tsv, or TREC files."
    ),
]
SettingsFileOption = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE", help="Use the settings in this file.")
]
AgainstOption = Annotated[
    Path | None,
    typer.Option("--against", metavar="FILE", help="Compare with the settings in this file."),
]
RunFileOption = Annotated[
    Path | None,
    typer.Option("--run", metavar="FILE", help="Write the answers there, as a TREC run."),
]
JudgedDataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Ask this data folder; the qrels name pages by their URLs."),
]


def command(
    folder: CollectionArgument,
    settings_file: SettingsFileOption = None,
    baseline_file: AgainstOption = None,
    run_file: RunFileOption = None,
    data: JudgedDataOption = None,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Measure how good the answers to judged queries are, or compare two settings files."""
    require_writable(run_file)
    collection = read_collection(folder)
    mine = load_settings_file(settings_file, set, data)
    theirs = load_settings_file(baseline_file, None) if baseline_file else None
    answers, scores, missing = _measured(collection, mine, data)
    if run_file:
        run_file.write_text("".join(f"{line}\n" for line in as_trec(answers)), encoding="utf-8")
    other: RunScores | None = None
    if theirs:
        _, other, _ = _measured(collection, theirs, data)
    changes = scores.compare_to(other) if other else {}
    if json:
        print_json(_as_json(collection, scores, other, changes) | {"missing": missing})
        return
    out.print(
        f"[bold]{collection.name}[/bold]: {pluralize(len(scores.queries), 'query', 'queries')} "
        "with something relevant to find"
    )
    for line in _lines(scores, other, changes):
        out.print(line, markup=False)
    if changes:
        out.print(_sentence(changes["nDCG@10"], str(baseline_file)), markup=False)
    if run_file:
        print_notice(f"the answers are in {run_file}")


def cache_folder() -> Path:
    """Where collections stay indexed between two runs."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "byway" / "eval"


def load_settings_file(
    path: Path | None, overrides: list[str] | None, data: Path | None = None
) -> Settings:
    """The settings in a file that somebody named, so that it must be there, or of a data folder."""
    if path and not path.exists():
        raise UsageError(f"there is no settings file {path}")
    found = path or (data / "byway.toml" if data else None)
    return load_settings(found, os.environ, overrides or (), check_signal_weights)


def report_missing_pages(judge: EvaluatedEngine, judgements: Judgements, data: Path | None) -> int:
    """Say how many of the judged pages are not there, since nothing can find those."""
    missing, judged = judge.count_missing(judgements)
    if missing:
        verb = "is" if missing == 1 else "are"
        pages, where = pluralize(judged, "judged page"), data or "the collection"
        print_notice(
            escape(f"{missing:,} of {pages} {verb} not in {where}, so that no answer has them")
        )
    return missing


def _measured(
    collection: Collection, settings: Settings, data: Path | None
) -> tuple[Run, RunScores, int]:
    """The answers, what they are worth, and how many judged pages are not there."""
    judgements = normalize_judged_urls(collection.judgements) if data else collection.judgements
    opened = (
        open_data_folder(data, settings)
        if data
        else open_collection(collection, settings, cache_folder())
    )
    with progress(f"indexing and asking {collection.name}"), opened as judge:
        missing = report_missing_pages(judge, judgements, data)
        answers = run_queries(collection.queries, judge.run_query)
    return answers, score(answers, judgements), missing


def _lines(
    scores: RunScores, other: RunScores | None, changes: Mapping[str, Difference]
) -> Iterator[str]:
    """A line for each measure."""
    yield f"measure    mean  {' against   change       p' if other else '95 % between'}"
    for name, one in scores.intervals().items():
        if other:
            change = changes[name]
            figures = f"{other.mean(name):.4f}  {change.mean:+.4f}  {change.p:.4f}"
            rest = f" {figures}  {change.verdict_text}"
        else:
            rest = f"{one.low:.4f} – {one.high:.4f}"
        yield f"{name:8} {one.mean:.4f}  {rest}"


def _sentence(change: Difference, against: str) -> str:
    """The comparison in words."""
    if not change.better and not change.worse:
        return f"{against} answers every query the same."
    how = "significant" if change.significant else "not significant: chance may explain it"
    better = pluralize(change.better, "query", "queries")
    return (
        f"With {against}, nDCG@10 is {change.mean:+.4f}: better on {better}, "
        f"worse on {change.worse}; {how} (p = {change.p:.4f}, paired randomisation test)."
    )


def _as_json(
    collection: Collection,
    scores: RunScores,
    other: RunScores | None,
    changes: Mapping[str, Difference],
) -> dict[str, object]:
    shown: dict[str, object] = {
        "collection": collection.name,
        "queries": len(scores.queries),
        "measures": {name: asdict(one) for name, one in scores.intervals().items()},
    }
    if other:
        shown["against"] = {name: asdict(one) for name, one in other.intervals().items()}
        shown["differences"] = {
            name: {**asdict(one), "verdict": one.verdict} for name, one in changes.items()
        }
    return shown
