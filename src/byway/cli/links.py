"""`byway links`: explore and export the link graph."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from byway.app.links import open_link_explorer
from byway.cli.support.link_tables import LinkReport, print_link_report
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    VerboseOption,
    require_writable,
    storage_from_options,
)
from byway.cli.support.output import print_json, print_notice, progress
from byway.core.errors import DataError, UsageError
from byway.core.messages import as_json, t
from byway.core.url import parse_typed_url
from byway.reports.links import export_formats
from byway.reports.links.explorer import LinkExplorer
from byway.reports.links.neighbours import PageNeighbours

PANEL = "Inspect"
ORDER = 7

NodeKind = Literal["pages", "hosts"]
TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="URL|SITE",
        help="A page; with one of the reports below, a site (a host and its subdomains).",
    ),
]
IncomingOption = Annotated[
    bool, typer.Option("--incoming", help="Show only the pages that link to it.")
]
OutgoingOption = Annotated[
    bool, typer.Option("--outgoing", help="Show only the pages it links to.")
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
    NodeKind, typer.Option("--of", help="Export links between pages or between hosts.")
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
    json: JsonOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    verbose: VerboseOption = False,
) -> None:
    """Explore the link graph.

    Shows the incoming and outgoing links of a page, or one report about a site or about all pages.
    """
    given = {
        "--broken": broken,
        "--redirects": redirects,
        "--orphans": orphans,
        f"--top {top}": top,
        "--similar": similar,
        "--export": export_file,
    }
    options = [name for name, value in given.items() if value]
    report_option = _single_option(options, target, incoming or outgoing)
    if export_file:
        _export(data, export_file, export_kind, target, json)
        return
    report = _build_report(data, report_option, target, limit)
    if isinstance(report, PageNeighbours) and incoming != outgoing:
        report = replace(report, outlinks=()) if incoming else replace(report, inlinks=())
    if json:
        print_json(as_json(report))
    else:
        print_link_report(report)


def _single_option(options: list[str], target: str, one_direction: bool) -> str:
    """The report that was chosen; empty for the links of one page."""
    if len(options) > 1:
        raise UsageError("cli.exclusive_options", first=options[0], second=options[1])
    if options and one_direction:
        raise UsageError("cli.links_direction", option=options[0])
    if options == ["--similar"] and not target:
        raise UsageError("cli.links_similar_site")
    if not options and not target:
        raise UsageError("cli.links_nothing_chosen")
    return options[0] if options else ""


def _export(data: Path, file: Path, kind: NodeKind, site: str, json: bool) -> None:
    export_formats.require_format(file)
    require_writable(file)
    with (
        open_link_explorer(storage_from_options(data)) as explorer,
        progress(t("cli.links.reading")),
    ):
        link_count = _require_links(explorer, data).export(file, kind, site)
    if json:
        print_json({"file": str(file), "links": link_count})
    else:
        print_notice(t("cli.links.exported", count=link_count, file=file))


def _build_report(data: Path, option: str, target: str, limit: int) -> LinkReport:
    with open_link_explorer(storage_from_options(data)) as opened, progress(t("cli.links.reading")):
        explorer = _require_links(opened, data)
        match option:
            case "--broken":
                return explorer.broken_links(target, limit)
            case "--redirects":
                return explorer.redirects(target, limit)
            case "--orphans":
                return explorer.orphans(target, limit)
            case "--top pages":
                return explorer.top_pages(target, limit)
            case "--top hosts":
                return explorer.top_hosts(target, limit)
            case "--similar":
                return explorer.similar_hosts(target, limit)
            case _:
                return explorer.neighbours(parse_typed_url(target), limit)


def _require_links(explorer: LinkExplorer | None, data: Path) -> LinkExplorer:
    if not explorer:
        raise DataError("cli.nothing_crawled", data=data)
    return explorer
