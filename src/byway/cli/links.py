"""`byway links`: explore and export the link graph."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from byway.app.links import SiteReportKind, export_links, page_links, site_links
from byway.cli.support import options
from byway.cli.support.link_tables import print_link_report
from byway.cli.support.options import require_writable, settings_from_options
from byway.cli.support.output import print_json, print_notice, progress
from byway.core.errors import UsageError
from byway.core.messages import as_json, t
from byway.core.model.link_report import PageNeighbours
from byway.core.url import parse_typed_url

PANEL = "Inspect"
ORDER = 7

NodeKind = Literal["pages", "hosts"]
TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="URL|SITE",
        help="A page or, for the reports below, a site (a host and its subdomains).",
    ),
]
IncomingOption = Annotated[
    bool, typer.Option("--incoming", help="Show only the pages that link to URL.")
]
OutgoingOption = Annotated[
    bool, typer.Option("--outgoing", help="Show only the pages that URL links to.")
]
BrokenOption = Annotated[
    bool, typer.Option("--broken", help="Report broken links and the pages they are on.")
]
RedirectsOption = Annotated[
    bool, typer.Option("--redirects", help="Report redirect chains and the pages that use them.")
]
OrphansOption = Annotated[
    bool, typer.Option("--orphans", help="Report kept pages without incoming links.")
]
TopOption = Annotated[
    NodeKind | None, typer.Option("--top", help="Report the pages or hosts with the highest rank.")
]
SimilarOption = Annotated[
    bool, typer.Option("--similar", help="Report hosts linked from the same pages as SITE.")
]
ExportOption = Annotated[
    Path | None,
    typer.Option(
        "--export", metavar="FILE", help="Export the graph to a .graphml, .csv or .parquet file."
    ),
]
ExportKindOption = Annotated[
    NodeKind, typer.Option("--of", help="With --export: links between pages or between hosts.")
]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=0, help="Number of rows shown; 0 for all.")
]


def command(
    target: TargetArgument = "",
    incoming: IncomingOption = False,
    outgoing: OutgoingOption = False,
    broken: BrokenOption = False,
    redirects: RedirectsOption = False,
    orphans: OrphansOption = False,
    top: TopOption = None,
    similar: SimilarOption = False,
    export_file: ExportOption = None,
    export_kind: ExportKindOption = "pages",
    limit: LimitOption = 20,
    json: options.JsonOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    verbose: options.VerboseOption = False,
) -> None:
    """Explore the link graph.

    Shows the incoming and outgoing links of a page, or a report on one site or on all pages.
    """
    reports: dict[SiteReportKind, bool] = {
        "broken": broken,
        "redirects": redirects,
        "orphans": orphans,
        "top pages": top == "pages",
        "top hosts": top == "hosts",
        "similar": similar,
    }
    kinds = [kind for kind, is_given in reports.items() if is_given]
    given = [*(f"--{kind}" for kind in kinds), *(["--export"] if export_file else [])]
    _check(given, target, incoming or outgoing)
    settings = settings_from_options(data)
    require_writable(export_file)
    with progress(t("cli.links.reading")):
        if export_file:
            link_count = export_links(data, settings, export_file, export_kind, target)
            _print_exported(export_file, link_count, json)
            return
        report = (
            site_links(data, settings, kinds[0], target, limit)
            if kinds
            else page_links(data, settings, parse_typed_url(target), limit)
        )
    if isinstance(report, PageNeighbours) and incoming != outgoing:
        report = replace(report, outlinks=()) if incoming else replace(report, inlinks=())
    if json:
        print_json(as_json(report))
    else:
        print_link_report(report)


def _check(given: list[str], target: str, one_direction: bool) -> None:
    """Reject options that cannot be combined."""
    if len(given) > 1:
        raise UsageError("cli.exclusive_options", first=given[0], second=given[1])
    if given and one_direction:
        raise UsageError("cli.links_direction", option=given[0])
    if given == ["--similar"] and not target:
        raise UsageError("cli.links_similar_site")
    if not given and not target:
        raise UsageError("cli.links_nothing_chosen")


def _print_exported(file: Path, link_count: int, json: bool) -> None:
    if json:
        print_json({"file": str(file), "links": link_count})
    else:
        print_notice(t("cli.links.exported", count=link_count, file=file))
