"""The crawl report as one self-contained HTML file: no scripts, no requests, all text escaped."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from byway.core import number_format
from byway.core.messages import text
from byway.core.model.crawl_report import HostFigure, Report
from byway.reports import plots
from byway.reports.crawl.printable_text import printable_text
from byway.reports.plots import BarSegment

TEMPLATE_FOLDER = Path(__file__).parent
MAX_URL_CHARS = 120
HOST_COLUMNS = ("kept", "queued", "failed", "forbidden", "other")
"""Columns of the host table, in the order of the bar segments."""


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
        wording=number_format,
        columns=HOST_COLUMNS,
        over_time=plots.timeline_plot,
        states=_states_bar(report),
        host_bar=_host_bar(report),
        count_bar=lambda count, most: plots.row_bar([BarSegment("kept", "", count)], most),
        words=state_label,
        reason_text=lambda reason: printable_text(text(reason), MAX_URL_CHARS),
        readable=readable_url,
        may_link=lambda url: url.startswith(("http://", "https://")),
    )


def _states_bar(report: Report) -> Markup:
    parts = [BarSegment(one.state, state_label(one.state), one.urls) for one in report.states]
    return plots.stacked_bar("states", "What became of the URLs", parts)


def _host_bar(report: Report) -> Callable[[HostFigure], Markup]:
    """A function that draws a host's bar, relative to the host with the most URLs."""
    most = max((host.urls for host in report.hosts), default=0)

    def bar(host: HostFigure) -> Markup:
        parts = [BarSegment(name, name, getattr(host, name)) for name in HOST_COLUMNS]
        return plots.row_bar(parts, most)

    return bar


def state_label(state: str) -> str:
    """The name of a state in words."""
    return state.replace("_", " ")


def readable_url(url: str) -> str:
    """A URL with percent-encoding removed, for display."""
    return printable_text(unquote(url), MAX_URL_CHARS)
