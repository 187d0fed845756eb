"""What people see: data on stdout, everything else on stderr, progress only on a terminal."""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status as Spinner
from rich.table import Table
from rich.text import Text

from byway.core.messages import text
from byway.core.model import Hit, Results
from byway.core.url import host_of

# No `emoji`: what pages write between colons stays as they wrote it.
out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)

UNQUOTE_HINT = " Ask without the quotation marks, so that the words may stand apart."


def print_json(value: Any) -> None:
    """One JSON value, for programs."""
    whole = "utf" in (sys.stdout.encoding or "").lower()
    print(json.dumps(value, ensure_ascii=not whole, indent=2))


def pluralize(count: int, noun: str, plural: str = "") -> str:
    """`1 page`, `2,000 pages`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def print_notice(text: str) -> None:
    """One line for the person at the terminal."""
    err.print(text)


@contextmanager
def progress(text: str) -> Iterator["ProgressLine"]:
    """A line that changes while something goes on; nothing when nobody is looking."""
    if not sys.stderr.isatty():
        yield ProgressLine(None)
        return
    with err.status(escape(text)) as spinner:
        yield ProgressLine(spinner)


class ProgressLine:
    """The line that `progress` shows."""

    def __init__(self, spinner: Spinner | None) -> None:
        self._spinner = spinner
        self._at = 0.0

    def update(self, text: str) -> None:
        """Show another text, though not more than ten times a second."""
        if self._spinner is not None and time.monotonic() - self._at > 0.1:
            self._at = time.monotonic()
            self._spinner.update(escape(text))


def print_results(results: Results, product_options: str = "--products") -> None:
    """Results for a person: numbered, with the words that were asked for marked.

    `product_options` are the options by which goods only are looked for.
    """
    count = f"{results.total:,} result{'' if results.total == 1 else 's'}"
    count = f"about {count}" if results.total_is_estimate else count
    out.print(f"[dim]{count} in {results.seconds * 1000:.1f} ms[/dim]")
    _print_asides(results)
    for number, hit in enumerate(results.hits, results.query.offset + 1):
        _print_hit(number, hit)
    if results.related_searches:
        also = " · ".join(map(sanitize, results.related_searches))
        out.print(f"\n[dim]Related searches: {escape(also)}[/dim]")
    if not results.hits:
        out.print(_nothing(results, product_options))


def _print_asides(results: Results) -> None:
    """What is said before the answers: how the question was read, or should have been asked."""
    if results.did_you_mean:
        finds = results.did_you_mean_total
        much = f" ({pluralize(finds, 'page')})" if finds else ""
        out.print(f"Did you mean: [italic]{escape(sanitize(results.did_you_mean))}[/italic]{much}")
    if results.chips:
        chips = "  ".join(f"{chip.attribute}: {chip.label}" for chip in results.chips)
        out.print(f"[cyan]{escape(sanitize(chips))}[/cyan]")
    for diagnosis in results.diagnoses:
        if diagnosis not in results.no_results_reasons:
            out.print(escape(sanitize(text(diagnosis))))
    if len(results.currencies) > 1:
        apart = ", ".join(results.currencies)
        out.print(
            f"Prices are compared within a currency, never across: {escape(sanitize(apart))}."
        )


def _nothing(results: Results, goods: str) -> str:
    """Why there are no hits, and what helps."""
    if results.total:
        return "There are no more results than those on the pages before."
    if results.query.product_search:
        return f"No goods were found.{_advice(results, goods)}"
    why = " ".join(map(text, results.no_results_reasons))
    why += UNQUOTE_HINT if '"' in results.query.text else ""
    why = why or "Try fewer or other words, or `byway status`."
    return f"Nothing was found. {escape(sanitize(why.strip()))}"


def _print_hit(number: int, hit: Hit) -> None:
    out.print(f"\n[bold]{number}. {escape(sanitize(hit.title))}[/bold]")
    out.print(f"   [green]{escape(sanitize(hit.url))}[/green]")
    if hit.product:
        out.print(f"   {escape(sanitize(_offer(hit.product)))}")
    for offer in hit.offers:
        cost = format_price(offer.price, offer.currency)
        out.print(f"     [green]{escape(sanitize(offer.url))}[/green] {escape(sanitize(cost))}")
    out.print(f"   {_snippet(hit)}")
    if hit.more_from_host:
        host = escape(sanitize(host_of(hit.url)))
        out.print(f"   [dim]{hit.more_from_host:,} more from this site: site:{host}[/dim]")


def print_facets(results: Results) -> None:
    """How the hits are spread: a line for each facet."""
    out.print()
    for name, counts in results.facets.items():
        shown = "  ".join(f"{escape(sanitize(value))} {count:,}" for value, count in counts)
        out.print(f"[bold]{name:9}[/bold] {shown or '-'}")


def print_timings(results: Results) -> None:
    """What the answer cost, step by step."""
    steps = ", ".join(
        f"{name} {took * 1000:.1f} ms" for name, took in results.stage_seconds.items()
    )
    print_notice(f"[dim]{steps}[/dim]")


def hit_as_json(hit: Hit) -> Mapping[str, object]:
    """A hit for programs."""
    return {
        "url": hit.url,
        "title": hit.title,
        "score": hit.score,
        "snippet": "".join(text for text, _ in hit.snippet),
        "type": hit.content_type,
        "language": hit.language,
        "published": hit.published,
        "day": hit.iso_date,
        "more": hit.more_from_host,
        "product": hit.product,
        "offers": [asdict(offer) for offer in hit.offers],
    }


def make_table(title: str, *heads: str) -> Table:
    """A table without lines: names on the left, numbers on the right."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(Text(title, style="bold not dim"), overflow="fold")
    for head in heads:
        table.add_column(head, justify="right" if head else "left", no_wrap=bool(head))
    return table


def show_table(table: Table) -> None:
    """A table, with an empty line before it."""
    out.print()
    # Soft wrapping, which suits sentences, would tear a table's columns apart.
    out.print(table, soft_wrap=False)


def sanitize(text: str) -> str:
    """Text that cannot move the cursor or colour the terminal, whoever wrote it."""
    return "".join(char if char.isprintable() else " " for char in text)


def format_price(price: object, currency: str) -> str:
    """What something costs; nothing where nobody says it."""
    if not isinstance(price, int | float):
        return ""
    return f"{price:,.2f}".removesuffix(".00") + f" {currency}".rstrip()


def _advice(results: Results, goods: str) -> str:
    """What else could be asked."""
    if results.chips:
        said = "; ".join(f"{chip.query_without!r}" for chip in results.chips if chip.query_without)
        return f" Ask for less: {escape(sanitize(said))}" if said else ""
    return f" No word names a kind, a colour, a size or a price; without {goods} pages are found."


def _offer(product: Mapping[str, object]) -> str:
    """What a product costs, and in which sizes it is to be had."""
    sizes = product.get("sizes")
    cost = format_price(product.get("price"), str(product.get("currency", "")))
    said = [cost, str(product.get("brand", ""))]
    said += [f"sizes {', '.join(map(str, sizes))}"] if isinstance(sizes, list) else []
    return " · ".join(filter(None, said))


def _snippet(hit: Hit) -> str:
    return "".join(
        f"[yellow]{escape(sanitize(text))}[/yellow]" if marked else escape(sanitize(text))
        for text, marked in hit.snippet
    )
