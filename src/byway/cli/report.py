"""`byway report`: states, reasons, hosts, sizes and speed of the crawl."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from byway.app.reports import build_report, write_report_page
from byway.cli.support import options
from byway.cli.support.options import require_writable, settings_from_options
from byway.cli.support.output import (
    cell,
    counted,
    heads,
    make_table,
    out,
    print_field,
    print_json,
    print_notice,
    show_table,
)
from byway.core import number_format
from byway.core.errors import UsageError
from byway.core.messages import as_json, duration, grouped, size, state_label, t, text
from byway.core.model.crawl_report import HostFigure, Report

PANEL = "Inspect"
ORDER = 8

HtmlFileOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write the report as one HTML file with plots."),
]

MAX_SHOWN_HOSTS = 20
MAX_SHOWN_BARS = 20
"""Maximum number of bars in the terminal; HTML and JSON have more."""
BAR_WIDTH_CHARS = 14
PARTIAL_BLOCKS = " ▏▎▍▌▋▊▉"


def command(
    html: HtmlFileOption = None,
    json: options.JsonOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    verbose: options.VerboseOption = False,
) -> None:
    """Report on the crawl: states, hosts, sizes, speed."""
    if html and json:
        raise UsageError("cli.exclusive_options", first="--html", second="--json")
    require_writable(html)
    settings = settings_from_options(data)
    if html:
        write_report_page(data, settings, html, time.time())
        print_notice(t("cli.report.written", file=html))
    elif json:
        print_json(as_json(build_report(data, settings, time.time())))
    elif report := build_report(data, settings, time.time(), MAX_SHOWN_BARS):
        _print(report)
    else:
        out.print(t("cli.report.nothing_crawled"))


def _print(report: Report) -> None:
    _print_totals(report)
    _print_states(report)
    _print_timeline(report)
    _print_reasons(report)
    _print_hosts(report)
    largest = [(page.name, size(page.number)) for page in report.largest]
    _print_column(t("cli.report.largest_pages"), t("cli.report.head_size"), largest)
    types = [(kind.name, grouped(kind.number)) for kind in report.content_types]
    title = (
        t("cli.report.sampled_types", count=report.type_sample.sampled)
        if report.type_sample
        else t("cli.report.content_types")
    )
    _print_column(title, t("cli.report.head_pages"), types)


def _print_totals(report: Report) -> None:
    running = t("cli.status.running" if report.crawling else "cli.status.not_running")
    hosts = counted("hosts", report.host_count)
    queued = {"queued": report.queued, "retries": report.retry_count}
    rows = {
        "crawl": running,
        "urls": t("cli.report.url_counts", urls=report.urls, hosts=hosts),
        "pages": t("cli.report.page_counts", pages=report.pages, bytes=report.bytes),
        "queued": t("cli.report.queue_and_retries", **queued)
        if report.retry_count
        else grouped(report.queued),
    }
    if report.timeline.pages:
        speed = number_format.format_rate(report.timeline.per_second)
        rows["speed"] = t("cli.report.average_speed", speed=speed)
    for name, value in rows.items():
        print_field(t(f"cli.report.{name}"), value)
    for noun, sample in (("urls", report.url_sample), ("pages", report.page_sample)):
        if sample:
            counts = {"sampled": sample.sampled, "total": sample.total}
            print_field(t("cli.report.sampled"), t(f"cli.report.sampled_{noun}", **counts))


def _print_states(report: Report) -> None:
    table = make_table(t("cli.report.states"), "", *heads("report", "urls", "share"), "")
    largest = max(row.urls for row in report.states)
    for row in report.states:
        share = number_format.format_percent(row.urls, report.urls)
        numbers = (_bar(row.urls, largest), grouped(row.urls), share)
        table.add_row(state_label(row.state), *numbers, text(row.meaning))
    show_table(table)


def _print_timeline(report: Report) -> None:
    bars = report.timeline
    if not bars.pages:
        return
    title = t("cli.report.timeline", bucket=duration(bars.bucket_seconds))
    table = make_table(title, "", *heads("report", "pages", "rate"))
    for label, count in zip(bars.labels(), bars.pages, strict=True):
        rate = number_format.format_rate(count / bars.bucket_seconds) if count else ""
        table.add_row(label, _bar(count, max(bars.pages)), grouped(count), rate)
    show_table(table)


def _print_reasons(report: Report) -> None:
    if not report.reasons:
        return
    head = t("cli.report.head_about_urls" if report.url_sample else "cli.report.head_urls")
    table = make_table(t("cli.report.reasons"), "", head)
    for row in report.reasons:
        reason = cell(text(row.reason))
        table.add_row(state_label(row.state), reason, grouped(row.urls))
    if report.other_reason_count:
        more = t("cli.report.more", more=report.other_reason_count)
        table.add_row("", more, grouped(report.other_reason_urls))
    show_table(table)


def _print_hosts(report: Report) -> None:
    title = t("cli.report.about_hosts" if report.url_sample else "cli.report.hosts")
    columns = heads("report", "kept", "queued", "failed", "forbidden", "other", "size")
    table = make_table(title, *columns)
    for host in report.hosts[:MAX_SHOWN_HOSTS]:
        table.add_row(cell(host.host), *_cells(host))
    hidden = report.host_count - len(report.hosts[:MAX_SHOWN_HOSTS])
    if hidden > 0:
        table.add_row(t("cli.report.more", more=hidden), style="dim")
    show_table(table)


def _cells(host: HostFigure) -> list[str]:
    numbers = (host.kept, host.queued, host.failed, host.forbidden, host.other)
    return [*map(grouped, numbers), size(host.bytes)]


def _print_column(title: str, head: str, rows: Sequence[tuple[str, str]]) -> None:
    if not rows:
        return
    table = make_table(title, head)
    for name, value in rows:
        table.add_row(cell(name), value)
    show_table(table)


def _bar(number: int, largest: int) -> str:
    """A bar of block characters, precise to an eighth; never empty for a number above zero."""
    eighths = max(round(8 * BAR_WIDTH_CHARS * number / max(1, largest)), 1 if number else 0)
    return "█" * (eighths // 8) + PARTIAL_BLOCKS[eighths % 8].strip()
