"""`byway explain`: the score of a page for a query, or why the page is not found."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from byway.app.missing_page import data_option
from byway.app.missing_page import explain_missing_page as why_not_found
from byway.app.search import SearchSession
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.core.errors import UsageError
from byway.core.messages import text
from byway.core.model import ResultPosition, Signal, Url, UrlRecord, score_shares
from byway.core.model.message import Diagnosis
from byway.core.text import storable_text
from byway.core.url import host_of, parse_typed_url

PANEL = "Inspect"
ORDER = 1
NO_STANDING = ResultPosition(0, 0, None)
MAX_SHOWN_RANK = 200
"""Lower positions are not shown."""

QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="The query, in quotes.")]
UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="URL of the page.")]


def command(
    query: QueryArgument,
    url: UrlArgument,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Explain the rank of a page, or why it is missing.

    Shows the score of every ranking signal for this query and page.
    """
    page = parse_typed_url(url)
    query = storable_text(query)
    with open_search_session(data, set) as reading:
        record = _known(reading, page, data)
        signals = reading.explain(query, record.id)
        stands = reading.result_position(query, record.id) if signals else NO_STANDING
        lacks = reading.mismatches(query, record.id) if reading.is_indexed(record.id) else ()
        why_not = "" if signals else why_not_found(query, record, reading, data)
    if json:
        told = {"url": page, "query": query, **_as_json(signals)}
        told["mismatches"] = [{"code": one.code, "message": text(one)} for one in lacks]
        told |= {"rank": stands.position or None, "total": stands.total}
        print_json(told | {"duplicate_of": stands.duplicate_of, "not_found_reason": why_not})
    elif signals:
        _print(signals, stands, lacks)
    else:
        out.print(why_not, markup=False)


def _known(reading: SearchSession, page: Url, data: Path) -> UrlRecord:
    """What is known of a page; or what helps where nothing is."""
    record = reading.find_url(page)
    if record is None:
        option = data_option(data)
        if removed := reading.removal_reason(page):
            raise UsageError(
                "app.url_of_removed_site",
                url=page,
                reason=removed,
                site=shlex.quote(host_of(page)),
                data=option,
            )
        raise UsageError("app.url_unknown", url=page, quoted=shlex.quote(page), data=option)
    return record


def _as_json(signals: Sequence[Signal]) -> dict[str, object]:
    """What the signals say, for programs."""
    shown = [
        {
            "name": signal.name,
            "value": signal.value,
            "weight": signal.weight,
            "score": signal.score,
            "share": share,
            "description": text(signal.message),
        }
        for signal, share in zip(signals, score_shares(signals), strict=True)
    ]
    return {"score": _score(signals), "signals": shown}


def _print(signals: Sequence[Signal], stands: ResultPosition, lacks: Sequence[Diagnosis]) -> None:
    """Where the page stands and what the signals say, for people."""
    if stands.duplicate_of:
        out.print(
            f"left out of the results: the same as {sanitize(stands.duplicate_of)} "
            "(--duplicates shows both)",
            markup=False,
        )
    elif 0 < stands.position <= MAX_SHOWN_RANK:
        out.print(f"{_ordinal(stands.position)} of {stands.total:,}", markup=False)
    for diagnosis in lacks:
        out.print(sanitize(text(diagnosis)), markup=False)
    out.print(f"[bold]score {_score(signals):.3f}[/bold]")
    for signal, share in zip(signals, score_shares(signals), strict=True):
        out.print(
            f"{signal.name:16} {signal.value:7.3f} × {signal.weight:<5g} = {signal.score:6.3f} "
            f"{'█' * round(20 * abs(share)):20} {share:4.0%}  {text(signal.message)}",
            markup=False,
        )


def _ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 // 10 == 1 else ending}"


def _score(signals: Sequence[Signal]) -> float:
    return sum(signal.score for signal in signals)
