"""Crawl report as one HTML file: no scripts, no requests, everything escaped."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from byway.core.messages import LANGUAGE, grouped, size, state_label, t, text
from byway.core.model.crawl_report import HostFigure, Report, Timeline
from byway.core.number_format import format_percent, format_rate, format_timestamp
from byway.core.svg_chart import Segment, bar_chart, count_ticks, row_bar, stacked_bar
from byway.reports.crawl.summary import printable_text

TEMPLATE_FOLDER = Path(__file__).parent
MAX_URL_CHARS = 120
HOST_COLUMNS = ("kept", "queued", "failed", "forbidden", "other")
"""The columns of the host table, in the order of the segments of its bars."""


def as_html(report: Report) -> str:
    """The report as HTML."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        report=report,
        style=Markup((TEMPLATE_FOLDER / "page.css").read_text()),
        t=t,
        language=LANGUAGE.get(),
        number=grouped,
        size=size,
        rate=format_rate,
        percent=format_percent,
        timestamp=format_timestamp,
        with_code=with_code,
        columns=HOST_COLUMNS,
        over_time=timeline_chart,
        states=_states_bar(report),
        host_bar=_host_bar(report),
        count_bar=lambda count, most: row_bar([Segment("kept", count, grouped(count))], most),
        state_label=state_label,
        reason_text=lambda reason: printable_text(text(reason), MAX_URL_CHARS),
        readable=readable_url,
        may_link=lambda url: url.startswith(("http://", "https://")),
    )


def _states_bar(report: Report) -> Markup:
    whole, segments, parts = sum(one.urls for one in report.states), [], []
    for one in report.states:
        name, share = state_label(one.state), format_percent(one.urls, whole)
        segments.append(Segment(one.state, one.urls, f"{name}: {grouped(one.urls)} ({share})"))
        parts.append(f"{name} {grouped(one.urls)}")
    return stacked_bar(segments, label=f"{t('reports.crawl.states')}: {'; '.join(parts)}")


def timeline_chart(timeline: Timeline) -> Markup:
    """Bar chart of pages over time."""
    starts, most = timeline.labels(), max(timeline.pages, default=0)
    bars = []
    for start, count in zip(starts, timeline.pages, strict=True):
        rate = format_rate(count / timeline.bucket_seconds)
        bars.append(Segment("kept", count, f"{start}: {t('cli.count.pages', count=count)}, {rate}"))
    description = t(
        "reports.crawl.timeline_description",
        count=len(bars),
        bucket=timeline.bucket_seconds,
        busiest=starts[timeline.pages.index(most)] if starts else "–",
        pages=t("cli.count.pages", count=most),
    )
    label = f"{t('reports.crawl.timeline')}: {description}"
    return bar_chart(bars, label=label, bar_labels=starts, y_ticks=count_ticks(most, steps=4))


def _host_bar(report: Report) -> Callable[[HostFigure], Markup]:
    """A function that draws the bar of a host, relative to the host with the most URLs."""
    most = max((host.urls for host in report.hosts), default=0)

    def bar(host: HostFigure) -> Markup:
        segments = []
        for name in HOST_COLUMNS:
            count, title = getattr(host, name), t(f"reports.crawl.column.{name}")
            segments.append(Segment(name, count, f"{title} {grouped(count)}"))
        return row_bar(segments, most)

    return bar


def with_code(message: str) -> Markup:
    """The message as HTML, with the parts in backticks as <code>."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(message))))


def readable_url(url: str) -> str:
    """A URL with percent-encoded letters decoded."""
    return printable_text(unquote(url), MAX_URL_CHARS)
