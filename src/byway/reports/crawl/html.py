"""The report as one HTML file: no script, nothing fetched, everything in it escaped."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from byway.core import number_format
from byway.reports import plots
from byway.reports.crawl.reason_groups import shown
from byway.reports.crawl.report import HostFigure, Report
from byway.reports.plots import Part

HERE = Path(__file__).parent
LONGEST_URL = 120
COLUMNS = ("kept", "queued", "failed", "forbidden", "other")
"""The columns of the hosts, in the order of their bars' parts."""


def as_html(report: Report) -> str:
    """The report for a browser."""
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        report=report,
        style=Markup((HERE / "page.css").read_text()),
        wording=number_format,
        columns=COLUMNS,
        over_time=plots.over_time,
        states=_states_bar(report),
        host_bar=_host_bar(report),
        count_bar=lambda count, most: plots.row([Part("kept", "", count)], most),
        words=words,
        readable=readable,
        may_link=lambda url: url.startswith(("http://", "https://")),
    )


def _states_bar(report: Report) -> Markup:
    parts = [Part(one.state, words(one.state), one.urls) for one in report.states]
    return plots.stacked("states", "What became of the URLs", parts)


def _host_bar(report: Report) -> Callable[[HostFigure], Markup]:
    """Draws a host's bar; the host with the most URLs has the longest."""
    most = max((host.urls for host in report.hosts), default=0)

    def bar(host: HostFigure) -> Markup:
        parts = [Part(name, name, getattr(host, name)) for name in COLUMNS]
        return plots.row(parts, most)

    return bar


def words(state: str) -> str:
    """A state's name as words."""
    return state.replace("_", " ")


def readable(url: str) -> str:
    """A URL with its letters as they are meant, and not as they are sent."""
    return shown(unquote(url), LONGEST_URL)
