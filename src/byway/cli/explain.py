"""`byway explain`: the score of a page for a query, or why the page is not found."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from byway.app.missing_page import explain_missing_page
from byway.app.search import SearchSession
from byway.cli.support import options
from byway.cli.support.options import open_search_session
from byway.cli.support.output import out, print_json, sanitize
from byway.cli.support.page_argument import data_option
from byway.core.errors import UsageError
from byway.core.messages import Diagnosis, decimal, t, text
from byway.core.model import ResultPosition, Signal, Url, UrlRecord, score_shares
from byway.core.text import storable_text
from byway.core.url import host_of, parse_typed_url

PANEL = "Inspect"
ORDER = 1
NO_POSITION = ResultPosition(0, 0, None)
MAX_SHOWN_RANK = 200
"""The lowest position that is shown."""

QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="The query, in quotes.")]
UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="URL of the page.")]


def command(
    query: QueryArgument,
    url: UrlArgument,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Explain the rank of a page, or why it is missing.

    Shows the score of every ranking signal for this query and page.
    """
    page = parse_typed_url(url)
    query = storable_text(query)
    with open_search_session(data, set) as session:
        record = _require_known(session, page, data)
        signals = session.explain(query, record.id)
        position = session.result_position(query, record.id) if signals else NO_POSITION
        mismatches = session.mismatches(query, record.id) if session.is_indexed(record.id) else ()
        missing = "" if signals else explain_missing_page(query, record, session, data_option(data))
        not_found = sanitize(missing)
    if json:
        fields = {"url": page, "query": query, **_as_json(signals)}
        fields["mismatches"] = [{"code": one.code, "message": text(one)} for one in mismatches]
        fields |= {"rank": position.position or None, "total": position.total}
        print_json(fields | {"duplicate_of": position.duplicate_of, "not_found_reason": not_found})
    elif signals:
        _print(signals, position, mismatches)
    else:
        out.print(not_found, markup=False)


def _require_known(session: SearchSession, page: Url, data: Path) -> UrlRecord:
    """The record of a URL; if it is unknown, the error says what to do."""
    record = session.catalog.find_url(page)
    if record is None:
        option = data_option(data)
        if removed := session.catalog.removal_reason(page):
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
    """The score and its signals."""
    fields = [
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
    return {"score": _score(signals), "signals": fields}


def _print(
    signals: Sequence[Signal], position: ResultPosition, mismatches: Sequence[Diagnosis]
) -> None:
    """Print the position of the page and the score of each signal."""
    if position.duplicate_of:
        out.print(t("cli.explain.duplicate", url=sanitize(position.duplicate_of)), markup=False)
    elif 0 < position.position <= MAX_SHOWN_RANK:
        numbers = {"position": position.position, "total": position.total}
        out.print(t("cli.explain.position", **numbers), markup=False)
    for diagnosis in mismatches:
        out.print(sanitize(text(diagnosis)), markup=False)
    out.print(t("cli.explain.score", score=decimal(_score(signals), ".3f")), style="bold")
    for signal, share in zip(signals, score_shares(signals), strict=True):
        value, score = decimal(signal.value, "7.3f"), decimal(signal.score, "6.3f")
        out.print(
            f"{signal.name:16} {value} × {decimal(signal.weight, '<5g')} = {score} "
            f"{'█' * round(20 * abs(share)):20} {share:4.0%}  {text(signal.message)}",
            markup=False,
        )


def _score(signals: Sequence[Signal]) -> float:
    return sum(signal.score for signal in signals)
