"""Eval: how good are the answers?"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from byway.app.evaluation import Judge, judging, judging_data, with_urls
from byway.cli.support.options import Json, Set, Verbose, known_signals, require_writable
from byway.cli.support.output import counted, out, print_json, progress, say
from byway.core.errors import UsageError
from byway.core.settings.load import load
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, Judgements, read_collection
from byway.evaluate.runs import Run, Scores, as_trec, ask, score
from byway.evaluate.significance import Difference

ORDER = 14

Where = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", help="A folder with docs.jsonl, queries.jsonl and qrels.tsv, or TREC files."
    ),
]
Profile = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE", help="Use the settings in this file.")
]
Against = Annotated[
    Path | None,
    typer.Option("--against", metavar="FILE", help="Compare with the settings in this file."),
]
RunFile = Annotated[
    Path | None,
    typer.Option("--run", metavar="FILE", help="Write the answers there, as a TREC run."),
]
OfData = Annotated[
    Path | None,
    typer.Option("--data", help="Ask this data folder; the qrels name pages by their URLs."),
]


def command(
    where: Where,
    settings: Profile = None,
    against: Against = None,
    run: RunFile = None,
    data: OfData = None,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Measure how good the answers to judged queries are, or compare two settings files."""
    require_writable(run)
    collection = read_collection(where)
    mine = settings_from(settings, set, data)
    theirs = settings_from(against, None) if against else None
    answers, scores, missing = _measured(collection, mine, data)
    if run:
        run.write_text("".join(f"{line}\n" for line in as_trec(answers)), encoding="utf-8")
    other: Scores | None = None
    if theirs:
        _, other, _ = _measured(collection, theirs, data)
    changes = scores.against(other) if other else {}
    if json:
        print_json(_as_json(collection, scores, other, changes) | {"missing": missing})
        return
    out.print(
        f"[bold]{collection.name}[/bold]: {counted(len(scores.queries), 'query', 'queries')} "
        "with something relevant to find"
    )
    for line in _lines(scores, other, changes):
        out.print(line, markup=False)
    if changes:
        out.print(_sentence(changes["nDCG@10"], str(against)), markup=False)
    if run:
        say(f"the answers are in {run}")


def cache_folder() -> Path:
    """Where collections stay indexed between two runs."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "byway" / "eval"


def settings_from(
    path: Path | None, overrides: list[str] | None, data: Path | None = None
) -> Settings:
    """The settings in a file that somebody named, so that it must be there, or of a data folder."""
    if path and not path.exists():
        raise UsageError(f"there is no settings file {path}")
    found = path or (data / "byway.toml" if data else None)
    return load(found, os.environ, overrides or (), known_signals)


def tell_missing(judge: Judge, judgements: Judgements, data: Path | None) -> int:
    """Say how many of the judged pages are not there, since nothing can find those."""
    missing, judged = judge.missing(judgements)
    if missing:
        verb = "is" if missing == 1 else "are"
        pages, where = counted(judged, "judged page"), data or "the collection"
        say(escape(f"{missing:,} of {pages} {verb} not in {where}, so that no answer has them"))
    return missing


def _measured(
    collection: Collection, settings: Settings, data: Path | None
) -> tuple[Run, Scores, int]:
    """The answers, what they are worth, and how many judged pages are not there."""
    judgements = with_urls(collection.judgements) if data else collection.judgements
    opened = judging_data(data, settings) if data else judging(collection, settings, cache_folder())
    with progress(f"indexing and asking {collection.name}"), opened as judge:
        missing = tell_missing(judge, judgements, data)
        answers = ask(collection.queries, judge.answer)
    return answers, score(answers, judgements), missing


def _lines(
    scores: Scores, other: Scores | None, changes: Mapping[str, Difference]
) -> Iterator[str]:
    """A line for each measure."""
    yield f"measure    mean  {' against   change       p' if other else '95 % between'}"
    for name, one in scores.intervals().items():
        if other:
            change = changes[name]
            rest = f" {other.mean(name):.4f}  {change.mean:+.4f}  {change.p:.4f}  {change.verdict}"
        else:
            rest = f"{one.low:.4f} – {one.high:.4f}"
        yield f"{name:8} {one.mean:.4f}  {rest}"


def _sentence(change: Difference, against: str) -> str:
    """The comparison in words."""
    if not change.better and not change.worse:
        return f"{against} answers every query the same."
    how = "significant" if change.significant else "not significant: chance may explain it"
    better = counted(change.better, "query", "queries")
    return (
        f"With {against}, nDCG@10 is {change.mean:+.4f}: better on {better}, "
        f"worse on {change.worse}; {how} (p = {change.p:.4f}, paired randomisation test)."
    )


def _as_json(
    collection: Collection,
    scores: Scores,
    other: Scores | None,
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
