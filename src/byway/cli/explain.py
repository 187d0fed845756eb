"""Explain: why does this page stand where it does?"""

from collections.abc import Sequence
from typing import Annotated

import typer

from byway.cli.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.output import out, plain, print_json
from byway.cli.unfound import NAME_IT
from byway.cli.unfound import why_not as why_not_found
from byway.errors import UsageError
from byway.model import Signal, Url, UrlRecord, shares
from byway.reading import Reading
from byway.text import storable
from byway.url import guess

ORDER = 12

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
        record = _known(reading, page)
        signals = reading.explain(words, record.id)
        same = reading.hidden_by(words, record.id) if signals else None
        why_not = "" if signals else why_not_found(words, record, reading)
    if json:
        told = {"url": page, "query": words, **_as_json(signals)}
        print_json(told | {"duplicate_of": same, "why_not": why_not})
    elif signals:
        _print(signals, same)
    else:
        out.print(why_not, markup=False)


def _known(reading: Reading, page: Url) -> UrlRecord:
    """What is known of a page; or what helps where nothing is."""
    record = reading.look_up(page)
    if record is None:
        removed = reading.removed(page)
        why = removed or "no seed, sitemap or link led to it"
        cure = "`byway remove --undo --site` lets the site in again" if removed else NAME_IT
        raise UsageError(f"{page} is not known: {why}; {cure.format(page)}")
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


def _print(signals: Sequence[Signal], same: str | None) -> None:
    """What the signals say, for people; `same` is the page that is shown instead."""
    if same:
        out.print(
            f"left out of the results: the same as {plain(same)} (--duplicates shows both)",
            markup=False,
        )
    out.print(f"[bold]score {_score(signals):.3f}[/bold]")
    for signal, share in zip(signals, shares(signals), strict=True):
        out.print(
            f"{signal.name:11} {signal.value:7.3f} × {signal.weight:<5g} = {signal.score:6.3f} "
            f"{'█' * round(20 * abs(share)):20} {share:4.0%}  {signal.sentence}",
            markup=False,
        )


def _score(signals: Sequence[Signal]) -> float:
    return sum(signal.score for signal in signals)
