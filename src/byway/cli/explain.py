"""Explain: why does this page stand where it does?"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from byway.app.missing_page import NAME_IT, in_folder
from byway.app.missing_page import why_not as why_not_found
from byway.app.search import Reading
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.support.output import out, plain, print_json
from byway.core.errors import UsageError
from byway.core.model import Signal, Standing, Url, UrlRecord, shares
from byway.core.text import storable
from byway.core.url import guess, host_of

ORDER = 12
NOWHERE = Standing(0, 0, None)
FURTHEST = 200
"""Places that are told: nobody looks further."""

Words = Annotated[str, typer.Argument(metavar="WORDS", help="What was searched for, in quotes.")]
Address = Annotated[str, typer.Argument(metavar="URL", help="The page.")]


def command(
    words: Words,
    url: Address,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what each signal says for a page and a query, or why the page is not found."""
    page = guess(url)
    words = storable(words)
    with reading_of(data, set) as reading:
        record = _known(reading, page, data)
        signals = reading.explain(words, record.id)
        stands = reading.standing(words, record.id) if signals else NOWHERE
        lacks = reading.lacks(words, record.id) if reading.is_indexed(record.id) else []
        why_not = "" if signals else in_folder(why_not_found(words, record, reading), data)
    if json:
        told = {"url": page, "query": words, **_as_json(signals), "lacks": lacks}
        told |= {"place": stands.place or None, "total": stands.total}
        print_json(told | {"duplicate_of": stands.hidden_by, "why_not": why_not})
    elif signals:
        _print(signals, stands, lacks)
    else:
        out.print(why_not, markup=False)


def _known(reading: Reading, page: Url, data: Path) -> UrlRecord:
    """What is known of a page; or what helps where nothing is."""
    record = reading.look_up(page)
    if record is None:
        removed = reading.removed(page)
        why = removed or "no seed, sitemap or link led to it"
        undo = f"`byway remove --undo --site {shlex.quote(host_of(page))}` lets the site in again"
        cure = undo if removed else NAME_IT.format(shlex.quote(page))
        raise UsageError(f"{page} is not known: {why}; {in_folder(cure, data)}")
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
            "says": signal.sentence,
        }
        for signal, share in zip(signals, shares(signals), strict=True)
    ]
    return {"score": _score(signals), "signals": shown}


def _print(signals: Sequence[Signal], stands: Standing, lacks: Sequence[str]) -> None:
    """Where the page stands and what the signals say, for people."""
    if stands.hidden_by:
        out.print(
            f"left out of the results: the same as {plain(stands.hidden_by)} "
            "(--duplicates shows both)",
            markup=False,
        )
    elif 0 < stands.place <= FURTHEST:
        out.print(f"{_ordinal(stands.place)} of {stands.total:,}", markup=False)
    for sentence in lacks:
        out.print(plain(sentence), markup=False)
    out.print(f"[bold]score {_score(signals):.3f}[/bold]")
    for signal, share in zip(signals, shares(signals), strict=True):
        out.print(
            f"{signal.name:11} {signal.value:7.3f} × {signal.weight:<5g} = {signal.score:6.3f} "
            f"{'█' * round(20 * abs(share)):20} {share:4.0%}  {signal.sentence}",
            markup=False,
        )


def _ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 // 10 == 1 else ending}"


def _score(signals: Sequence[Signal]) -> float:
    return sum(signal.score for signal in signals)
