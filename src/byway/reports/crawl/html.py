"""The report as one HTML file: no script, nothing fetched, everything in it escaped."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from byway.core import number_format
from byway.core.messages import text
from byway.core.number_format import format_count, format_duration, format_percent, format_rate
from byway.core.svg_chart import Segment, bar_chart, count_ticks, row_bar, stacked_bar
from byway.reports.crawl.reason_groups import printable_text
from byway.reports.crawl.report import HostFigure, Report, Timeline
from byway.reports.crawl.timeline import timeline_labels

TEMPLATE_FOLDER = Path(__file__).parent
MAX_URL_CHARS = 120
HOST_COLUMNS = ("kept", "queued", "failed", "forbidden", "other")
"""The columns of the hosts, in the order of their bars' parts."""


def as_html(report: Report) -> str:
    """The report for a browser."""
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
        wording=number_format,
        columns=HOST_COLUMNS,
        timeline_labels=timeline_labels,
        over_time=timeline_chart,
        states=_states_bar(report),
        host_bar=_host_bar(report),
        count_bar=lambda count, most: row_bar([Segment("kept", count, f"{count:,}")], most),
        words=state_label,
        reason_text=lambda reason: printable_text(text(reason), MAX_URL_CHARS),
        readable=readable_url,
        may_link=lambda url: url.startswith(("http://", "https://")),
    )


def _states_bar(report: Report) -> Markup:
    whole = sum(one.urls for one in report.states)
    segments = [
        Segment(
            one.state,
            one.urls,
            f"{state_label(one.state)}: {one.urls:,} ({format_percent(one.urls, whole)})",
        )
        for one in report.states
    ]
    parts = "; ".join(f"{state_label(one.state)} {one.urls:,}" for one in report.states)
    return stacked_bar(segments, label=f"What became of the URLs: {parts}")


def timeline_chart(timeline: Timeline) -> Markup:
    """Pages over time, a bar for each stretch."""
    starts, most = timeline_labels(timeline), max(timeline.pages, default=0)
    bars = []
    for start, count in zip(starts, timeline.pages, strict=True):
        rate = format_rate(count / timeline.bucket_seconds)
        bars.append(Segment("kept", count, f"{start}: {format_count(count, 'page')}, {rate}"))
    busiest = starts[timeline.pages.index(most)] if starts else "never"
    label = (
        f"Pages over time: {format_count(len(bars), 'bar')} of "
        f"{format_duration(timeline.bucket_seconds)} each. The busiest is {busiest} with "
        f"{format_count(most, 'page')}."
    )
    return bar_chart(bars, label=label, bar_labels=starts, y_ticks=count_ticks(most, steps=4))


def _host_bar(report: Report) -> Callable[[HostFigure], Markup]:
    """Draws a host's bar; the host with the most URLs has the longest."""
    most = max((host.urls for host in report.hosts), default=0)

    def bar(host: HostFigure) -> Markup:
        counts = {name: getattr(host, name) for name in HOST_COLUMNS}
        return row_bar([Segment(name, n, f"{name} {n:,}") for name, n in counts.items()], most)

    return bar


def state_label(state: str) -> str:
    """A state's name as words."""
    return state.replace("_", " ")


def readable_url(url: str) -> str:
    """A URL with its letters as they are meant, and not as they are sent."""
    return printable_text(unquote(url), MAX_URL_CHARS)
