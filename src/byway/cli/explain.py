"""Explain: why does this page stand where it does?"""

from typing import Annotated

import typer

from byway.cli.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.output import out, print_json
from byway.crawl.outcome import NOINDEX
from byway.model import Signal, State, UrlRecord, shares
from byway.text import storable
from byway.url import guess

ORDER = 12

Words = Annotated[str, typer.Argument(metavar="WORDS", help="What was searched for, in quotes.")]
Url = Annotated[str, typer.Argument(metavar="URL", help="The page.")]


def command(
    words: Words,
    url: Url,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what each signal says for a page and a query, or why the page is not found."""
    page = guess(url)
    words = storable(words)
    with reading_of(data, set) as reading:
        record = reading.look_up(page)
        signals = reading.explain(words, record.id) if record else ()
    score = sum(signal.score for signal in signals)
    if json:
        shown = [
            {
                "name": s.name,
                "value": s.value,
                "weight": s.weight,
                "score": s.score,
                "share": share,
                "says": s.sentence,
            }
            for s, share in zip(signals, shares(signals), strict=True)
        ]
        print_json(
            {
                "url": page,
                "query": words,
                "score": score,
                "signals": shown,
                "why_not": "" if signals else _why_not(words, record),
            }
        )
    elif signals:
        _print(signals, score)
    else:
        out.print(_why_not(words, record), markup=False)


def _print(signals: tuple[Signal, ...], score: float) -> None:
    out.print(f"[bold]score {score:.3f}[/bold]")
    for signal, share in zip(signals, shares(signals), strict=True):
        out.print(
            f"{signal.name:11} {signal.value:7.3f} × {signal.weight:<5g} = {signal.score:6.3f} "
            f"{'█' * round(20 * abs(share)):20} {share:4.0%}  {signal.sentence}",
            markup=False,
        )


def _why_not(words: str, record: UrlRecord | None) -> str:
    if record is None:
        return "This page is not known: no seed, sitemap or link led to it."
    if record.state is State.REMOVED:
        return f"This page was {record.reason}; `byway remove --undo` lets it in again."
    if record.state is not State.KEPT:
        return f"This page was not kept: {record.state} ({record.reason or 'no reason recorded'})."
    if record.reason == NOINDEX:
        return f"This page cannot be found: it {record.reason}."
    besides = f" ({record.reason})" if record.reason else ""
    return f"This page is known{besides}, but does not match {words!r}, or is not indexed yet."
