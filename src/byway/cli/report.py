"""Report: what did the crawl do?"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from byway.app.reports import build_report
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    VerboseOption,
    require_writable,
)
from byway.cli.support.output import make_table, out, print_json, print_notice, show_table
from byway.core import number_format
from byway.core.errors import UsageError
from byway.core.messages import as_json as plain
from byway.core.messages import text
from byway.reports.crawl.html import as_html
from byway.reports.crawl.reason_groups import printable_text
from byway.reports.crawl.report import HostFigure, Report
from byway.reports.crawl.timeline import MAX_BARS, timeline_labels
from byway.storage.data_folder import DataFolder

ORDER = 25

HtmlFileOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write one HTML file with plots instead."),
]

MAX_SHOWN_HOSTS = 20
MAX_SHOWN_BARS = 20
"""What the terminal shows; HTML and JSON have more."""
BAR_WIDTH_CHARS = 14
PARTIAL_BLOCKS = " ▏▎▍▌▋▊▉"


def command(
    html: HtmlFileOption = None,
    json: JsonOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    verbose: VerboseOption = False,
) -> None:
    """Show what the crawl did: states, reasons, hosts, sizes, and pages over time."""
    if html and json:
        raise UsageError("--html and --json cannot be had at once; leave one of them out")
    require_writable(html)
    bars = MAX_BARS if html or json else MAX_SHOWN_BARS
    report = build_report(DataFolder(data), time.time(), bars)
    if html:
        html.write_bytes(as_html(report).encode("utf-8", "replace"))
        print_notice(f"the report is in {html}")
    elif json:
        print_json(as_json(report))
    elif report:
        _print(report)
    else:
        out.print("Nothing has been crawled yet. Start with `byway up URL`.")


def as_json(report: Report) -> dict[str, object]:
    """The report for programs."""
    found: dict[str, object] = plain(report)
    return found


def _print(report: Report) -> None:
    _print_totals(report)
    _print_states(report)
    _print_timeline(report)
    _print_reasons(report)
    _print_hosts(report)
    _print_counts("largest pages", [(one.name, one.number) for one in report.largest], size=True)
    kinds = [(one.name, one.number) for one in report.content_types]
    some = f" of {report.type_sample.sampled:,} pages" if report.type_sample else ""
    _print_counts(f"content types{some}", kinds)


def _print_totals(report: Report) -> None:
    again = f", {report.retry_count:,} to be tried again" if report.retry_count else ""
    out.print(f"crawl    {'running' if report.crawling else 'not running'}")
    out.print(
        f"urls     {report.urls:,} on {number_format.format_count(report.host_count, 'host')}"
    )
    out.print(f"pages    {report.pages:,} kept, {number_format.format_size(report.bytes)} on disk")
    out.print(f"queued   {report.queued:,}{again}")
    if report.timeline.pages:
        speed = number_format.format_rate(report.timeline.per_second)
        out.print(f"speed    {speed} while pages came in")
    for what, sample in (("urls", report.url_sample), ("pages", report.page_sample)):
        if sample:
            out.print(f"sampled  {sample.sampled:,} of {sample.total:,} {what} were read")


def _print_states(report: Report) -> None:
    table = make_table("states", "", "urls", "share", "")
    most = max(one.urls for one in report.states)
    for one in report.states:
        share = number_format.format_percent(one.urls, report.urls)
        table.add_row(one.state, _bar(one.urls, most), f"{one.urls:,}", share, text(one.meaning))
    show_table(table)


def _print_timeline(report: Report) -> None:
    bars = report.timeline
    if not bars.pages:
        return
    table = make_table(
        f"pages each {number_format.format_duration(bars.bucket_seconds)} (UTC)",
        "",
        "pages",
        "rate",
    )
    for when, count in zip(timeline_labels(bars), bars.pages, strict=True):
        rate = number_format.format_rate(count / bars.bucket_seconds) if count else ""
        table.add_row(when, _bar(count, max(bars.pages)), f"{count:,}", rate)
    show_table(table)


def _print_reasons(report: Report) -> None:
    if not report.reasons:
        return
    table = make_table("reasons", "", f"{'about ' if report.url_sample else ''}urls")
    for one in report.reasons:
        table.add_row(
            one.state, Text(printable_text(text(one.reason)), overflow="fold"), f"{one.urls:,}"
        )
    if report.other_reason_count:
        more = f"and {report.other_reason_count:,} more"
        table.add_row("", more, f"{report.other_reason_urls:,}")
    show_table(table)


def _print_hosts(report: Report) -> None:
    heads = ("kept", "queued", "failed", "forbidden", "other", "on disk")
    table = make_table(f"hosts{' (about)' if report.url_sample else ''}", *heads)
    for host in report.hosts[:MAX_SHOWN_HOSTS]:
        table.add_row(Text(host.host, overflow="fold"), *_cells(host))
    hidden = report.host_count - len(report.hosts[:MAX_SHOWN_HOSTS])
    if hidden > 0:
        table.add_row(f"and {hidden:,} more", style="dim")
    show_table(table)


def _cells(host: HostFigure) -> list[str]:
    numbers = (host.kept, host.queued, host.failed, host.forbidden, host.other)
    return [*(f"{number:,}" for number in numbers), number_format.format_size(host.bytes)]


def _print_counts(title: str, rows: Sequence[tuple[str, int]], size: bool = False) -> None:
    if not rows:
        return
    table = make_table(title, "on disk" if size else "pages")
    for name, number in rows:
        said = number_format.format_size(number) if size else f"{number:,}"
        table.add_row(Text(name, overflow="fold"), said)
    show_table(table)


def _bar(number: int, most: int) -> str:
    """A bar of block characters, exact to an eighth; whatever is there can be seen."""
    eighths = max(round(8 * BAR_WIDTH_CHARS * number / max(1, most)), 1 if number else 0)
    return "█" * (eighths // 8) + PARTIAL_BLOCKS[eighths % 8].strip()
