"""Crawl report as one HTML file: no scripts, no requests, everything escaped."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from byway.core.messages import LANGUAGE, grouped, size, state_label, t, text
from byway.core.number_format import format_percent, format_rate, format_timestamp
from byway.reports import plots
from byway.reports.crawl.reason_groups import printable_text
from byway.reports.crawl.report import HostFigure, Report
from byway.reports.crawl.timeline import timeline_labels
from byway.reports.plots import BarSegment

TEMPLATE_FOLDER = Path(__file__).parent
MAX_URL_CHARS = 120
HOST_COLUMNS = ("kept", "queued", "failed", "forbidden", "other")
"""The columns of the host table, in the order of the segments of its bars."""


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
        t=t,
        language=LANGUAGE.get(),
        number=grouped,
        size=size,
        rate=format_rate,
        percent=format_percent,
        timestamp=format_timestamp,
        with_code=with_code,
        columns=HOST_COLUMNS,
        timeline_labels=timeline_labels,
        over_time=plots.timeline_plot,
        states=_states_bar(report),
        host_bar=_host_bar(report),
        count_bar=lambda count, most: plots.row_bar([BarSegment("kept", "", count)], most),
        state_label=state_label,
        reason_text=lambda reason: printable_text(text(reason), MAX_URL_CHARS),
        readable=readable_url,
        may_link=lambda url: url.startswith(("http://", "https://")),
    )


def _states_bar(report: Report) -> Markup:
    parts = [BarSegment(one.state, state_label(one.state), one.urls) for one in report.states]
    return plots.stacked_bar("states", t("reports.crawl.states"), parts)


def _host_bar(report: Report) -> Callable[[HostFigure], Markup]:
    """A function that draws the bar of a host, relative to the host with the most URLs."""
    most = max((host.urls for host in report.hosts), default=0)

    def bar(host: HostFigure) -> Markup:
        parts = [
            BarSegment(name, t(f"reports.crawl.column.{name}"), getattr(host, name))
            for name in HOST_COLUMNS
        ]
        return plots.row_bar(parts, most)

    return bar


def with_code(message: str) -> Markup:
    """A text as HTML, with `code` between backticks."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(message))))


def readable_url(url: str) -> str:
    """A URL with percent-encoded letters decoded."""
    return printable_text(unquote(url), MAX_URL_CHARS)
