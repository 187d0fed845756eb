"""Links: who links to whom, and which links lead nowhere?"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape

from byway.app.links import open_link_explorer
from byway.cli.support.link_tables import LinkReport, print_link_report
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    VerboseOption,
    require_writable,
)
from byway.cli.support.output import print_json, print_notice, progress
from byway.core.errors import DataError, UsageError
from byway.core.messages import as_json
from byway.core.url import parse_typed_url
from byway.reports.links import export_formats
from byway.reports.links.explorer import LinkExplorer
from byway.reports.links.neighbours import PageNeighbours
from byway.storage.data_folder import DataFolder

ORDER = 26

NodeKind = Literal["pages", "hosts"]
TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="URL|SITE",
        help="The page to ask about; with an option below, the site: a host and those below it.",
    ),
]
IncomingOption = Annotated[bool, typer.Option("--in", help="Show only the pages that link to it.")]
OutgoingOption = Annotated[
    bool, typer.Option("--out", help="Show only the pages that it links to.")
]
BrokenOption = Annotated[
    bool, typer.Option("--broken", help="Links that lead nowhere, and the pages they are on.")
]
RedirectsOption = Annotated[
    bool, typer.Option("--redirects", help="Redirects, step by step, and the pages that use them.")
]
OrphansOption = Annotated[bool, typer.Option("--orphans", help="Kept pages that nothing links to.")]
TopOption = Annotated[
    NodeKind | None, typer.Option("--top", help="The pages, or the hosts, with the highest rank.")
]
SimilarOption = Annotated[
    bool, typer.Option("--similar", help="Hosts that the same pages link to as to SITE.")
]
ExportOption = Annotated[
    Path | None,
    typer.Option(
        "--export", metavar="FILE", help="Write the graph to a .graphml, .csv or .parquet file."
    ),
]
ExportKindOption = Annotated[
    NodeKind, typer.Option("--of", help="What is exported: links of pages or of hosts.")
]
LimitOption = Annotated[
    int, typer.Option("--limit", min=0, help="How many are shown; 0 shows all.")
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
    """Explore the links: parents and children of a page, broken links, redirects, the top."""
    given = {
        "--broken": broken,
        "--redirects": redirects,
        "--orphans": orphans,
        f"--top {top}": top,
        "--similar": similar,
        "--export": export_file,
    }
    way = _the_one([name for name, value in given.items() if value], target, incoming or outgoing)
    if export_file:
        export_formats.require_format(export_file)
        require_writable(export_file)
    with open_link_explorer(DataFolder(data)) as explorer:
        if not explorer:
            raise DataError(f"nothing in {data} has been crawled yet; start with `byway up URL`")
        with progress("reading links"):
            links = explorer.export(export_file, export_kind, target) if export_file else 0
            answer = None if export_file else _answer(way, explorer, target, limit)
    if isinstance(answer, PageNeighbours) and incoming != outgoing:
        answer = replace(answer, outlinks=()) if incoming else replace(answer, inlinks=())
    if json:
        print_json(as_json(answer) if answer else {"file": str(export_file), "links": links})
    elif answer:
        print_link_report(answer)
    else:
        print_notice(escape(f"{links:,} links are in {export_file}"))


def _the_one(ways: list[str], asked: str, one_side: bool) -> str:
    """Which of the questions is asked? Nothing stands for a page among its neighbours."""
    if len(ways) > 1:
        raise UsageError(f"{ways[0]} and {ways[1]} cannot be had at once; leave one of them out")
    if ways and one_side:
        raise UsageError(f"--in and --out are about one page; leave them out, or {ways[0]}")
    if ways == ["--similar"] and not asked:
        raise UsageError("--similar needs a site, as `byway links --similar example.org`")
    if not ways and not asked:
        raise UsageError(
            "which links? name a URL, or say --broken, --redirects, --orphans, --top pages, "
            "--top hosts, --similar SITE or --export FILE"
        )
    return ways[0] if ways else ""


def _answer(way: str, explorer: LinkExplorer, asked: str, limit: int) -> LinkReport:
    match way:
        case "--broken":
            return explorer.broken_links(asked, limit)
        case "--redirects":
            return explorer.redirects(asked, limit)
        case "--orphans":
            return explorer.orphans(asked, limit)
        case "--top pages":
            return explorer.top_pages(asked, limit)
        case "--top hosts":
            return explorer.top_hosts(asked, limit)
        case "--similar":
            return explorer.similar_hosts(asked, limit)
        case _:
            return explorer.neighbours(parse_typed_url(asked), limit)
