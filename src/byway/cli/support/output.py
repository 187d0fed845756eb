"""Terminal output: data on stdout, notices on stderr, progress only on a terminal."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status as Spinner
from rich.table import Table
from rich.text import Text

from byway.core.messages import decimal, grouped, t, text
from byway.core.model import Hit, Results
from byway.core.url import host_of
from byway.core.verticals import Vertical

# No `emoji`: `:word:` in the text of a page stays as it is.
out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def print_json(value: Any) -> None:
    """Print a value as JSON; in ASCII if stdout is not UTF-8."""
    is_unicode = "utf" in (sys.stdout.encoding or "").lower()
    print(json.dumps(value, ensure_ascii=not is_unicode, indent=2))


def counted(noun: str, count: int) -> str:
    """A number with its noun from `cli.count`: `1 page`, `2,000 pages`."""
    return t(f"cli.count.{noun}", count=count)


def print_notice(text: str, style: str = "") -> None:
    """Print one line on stderr, as plain text."""
    err.print(text, markup=False, style=style)


@contextmanager
def progress(text: str) -> Iterator["ProgressLine"]:
    """Show a line that is updated during work; nothing if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield ProgressLine(None)
        return
    with err.status(escape(text)) as spinner:
        yield ProgressLine(spinner)


class ProgressLine:
    """The line that `progress` shows."""

    def __init__(self, spinner: Spinner | None) -> None:
        self._spinner = spinner
        self._updated_at = 0.0

    def update(self, text: str) -> None:
        """Show another text, at most ten times a second."""
        if self._spinner is not None and time.monotonic() - self._updated_at > 0.1:
            self._updated_at = time.monotonic()
            self._spinner.update(escape(text))


def print_results(
    results: Results, verticals: Sequence[Vertical] = (), vertical_options: str = ""
) -> None:
    """Print numbered results with highlighted query terms.

    `vertical_options` are the options that restrict a search to a vertical.
    """
    key = "cli.search.about_results" if results.total_is_estimate else "cli.search.results"
    milliseconds = decimal(results.seconds * 1000, ".1f")
    out.print(f"[dim]{escape(t(key, count=results.total, milliseconds=milliseconds))}[/dim]")
    vertical = next((each for each in verticals if each.name == results.query.vertical), None)
    _print_asides(results, vertical)
    for number, hit in enumerate(results.hits, results.query.offset + 1):
        _print_hit(number, hit, verticals)
    if results.related_searches:
        searches = " · ".join(map(sanitize, results.related_searches))
        out.print(f"\n[dim]{escape(t('cli.search.related', searches=searches))}[/dim]")
    if not results.hits:
        out.print(_no_results(results, vertical, vertical_options), markup=False)


def _print_asides(results: Results, vertical: Vertical | None) -> None:
    """Print the spelling suggestion, the detected filters and the diagnoses of a query."""
    if results.did_you_mean:
        query = f"[italic]{escape(sanitize(results.did_you_mean))}[/italic]"
        total = results.did_you_mean_total
        pages = f" ({counted('pages', total)})" if total else ""
        out.print(t("cli.search.did_you_mean", query=query) + pages)
    if results.chips:
        chips = "  ".join(f"{chip.attribute}: {chip.label}" for chip in results.chips)
        out.print(f"[cyan]{escape(sanitize(chips))}[/cyan]")
    for diagnosis in results.diagnoses:
        if diagnosis not in results.no_results_reasons:
            out.print(escape(sanitize(text(diagnosis))))
    if vertical and results.partial_match and results.hits:
        out.print(escape(vertical.presenter.text("partial_match")))
    if vertical and len(results.sort_groups) > 1:
        groups = [sanitize(group) for group in results.sort_groups]
        out.print(vertical.presenter.text("sort_groups", groups=groups), markup=False)


def _no_results(results: Results, vertical: Vertical | None, vertical_options: str) -> str:
    """The message that explains why there are no hits, and suggests what to do."""
    if results.total:
        return t("cli.search.no_more_results")
    if vertical:
        return " ".join(_no_records(results, vertical, vertical_options))
    reasons = [sanitize(text(reason)) for reason in results.no_results_reasons]
    if '"' in results.query.text:
        reasons.append(t("cli.search.unquote"))
    return " ".join([t("cli.search.no_results"), *(reasons or [t("cli.search.other_words")])])


def _print_hit(number: int, hit: Hit, verticals: Sequence[Vertical]) -> None:
    out.print(f"\n[bold]{number}. {escape(sanitize(hit.title))}[/bold]")
    out.print(f"   [green]{escape(sanitize(hit.url))}[/green]")
    for vertical in (each for each in verticals if each.noun in hit.records):
        summarize = vertical.presenter.summary
        if line := summarize(hit.records[vertical.noun]):
            out.print(f"   {escape(sanitize(line))}")
        for page in hit.group:
            url, line = sanitize(page["url"]), sanitize(summarize(page, short=True))
            out.print(f"     [green]{escape(url)}[/green] {escape(line)}")
    out.print(f"   {_snippet(hit)}")
    if hit.more_from_host:
        host = sanitize(host_of(hit.url))
        more = t("cli.search.more_from_host", more=hit.more_from_host, host=host)
        out.print(f"   [dim]{escape(more)}[/dim]")


def print_facets(results: Results) -> None:
    """Print the facet counts of the hits, a line for each facet."""
    out.print()
    for name, counts in results.facets.items():
        values = "  ".join(f"{escape(sanitize(value))} {grouped(n)}" for value, n in counts)
        out.print(f"[bold]{name:9}[/bold] {values or '-'}")


def print_timings(results: Results) -> None:
    """Print the time each stage of the search took."""
    stages = (f"{name} {seconds * 1000:.1f} ms" for name, seconds in results.stage_seconds.items())
    print_notice(", ".join(stages), style="dim")


def hit_as_json(hit: Hit, verticals: Sequence[Vertical] = ()) -> Mapping[str, object]:
    """A hit as a JSON object; the record of each vertical is a field named after its noun."""
    return {
        "url": hit.url,
        "title": hit.title,
        "score": hit.score,
        "snippet": "".join(text for text, _ in hit.snippet),
        "content_type": hit.content_type,
        "language": hit.language,
        "published": hit.published,
        "date": hit.iso_date,
        "more_from_host": hit.more_from_host,
        **{vertical.noun: hit.records.get(vertical.noun, {}) for vertical in verticals},
        **{each.group_name: hit.group for each in verticals if each.group_name},
    }


def make_table(title: str, *heads: str) -> Table:
    """A table without borders: names are left-aligned, columns with a header right-aligned."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(Text(title, style="bold not dim"), overflow="fold")
    for head in heads:
        table.add_column(head, justify="right" if head else "left", no_wrap=bool(head))
    return table


def heads(section: str, *names: str) -> list[str]:
    """The column headers of a table from the messages of a command."""
    return [t(f"cli.{section}.head_{name}") for name in names]


def cell(content: str) -> Text:
    """A cell of a table as plain text."""
    return Text(sanitize(content), overflow="fold")


def show_table(table: Table) -> None:
    """Print a table after an empty line."""
    out.print()
    # Soft wrapping suits sentences, but would break the columns of a table.
    out.print(table, soft_wrap=False)


def print_field(label: str, value: str, width: int = 9) -> None:
    """Print a labelled value on one line, as plain text."""
    out.print(f"{label:{width - 1}} {sanitize(value)}", markup=False)


def sanitize(text: str) -> str:
    """The text without control characters, so that it cannot move the cursor or set colors."""
    return "".join(char if char.isprintable() else " " for char in text)


def _no_records(results: Results, vertical: Vertical, vertical_options: str) -> Iterator[str]:
    """The message for a vertical without hits, with broader queries."""
    yield vertical.presenter.text("none_found")
    if not results.chips:
        yield t("cli.search.no_attributes", options=vertical_options)
    elif broader := [repr(chip.query_without) for chip in results.chips if chip.query_without]:
        yield sanitize(t("cli.search.broader", queries="; ".join(broader)))


def _snippet(hit: Hit) -> str:
    return "".join(
        f"[yellow]{escape(sanitize(text))}[/yellow]" if marked else escape(sanitize(text))
        for text, marked in hit.snippet
    )
