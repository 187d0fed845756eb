"""Links: who links to whom, and which links lead nowhere?"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape

from byway.app.links import exploring
from byway.cli.support.link_tables import Answer, show
from byway.cli.support.options import HERE, Data, Json, Verbose, require_writable
from byway.cli.support.output import print_json, progress, say
from byway.core.errors import DataError, UsageError
from byway.core.url import guess
from byway.reports.links import export_formats
from byway.reports.links.explorer import Explorer
from byway.reports.links.neighbours import Around
from byway.storage.data_folder import Folder

ORDER = 26

Kind = Literal["pages", "hosts"]
Asked = Annotated[
    str,
    typer.Argument(
        metavar="URL|SITE",
        help="The page to ask about; with an option below, the site: a host and those below it.",
    ),
]
In = Annotated[bool, typer.Option("--in", help="Show only the pages that link to it.")]
Out = Annotated[bool, typer.Option("--out", help="Show only the pages that it links to.")]
Broken = Annotated[
    bool, typer.Option("--broken", help="Links that lead nowhere, and the pages they are on.")
]
Redirects = Annotated[
    bool, typer.Option("--redirects", help="Redirects, step by step, and the pages that use them.")
]
Orphans = Annotated[bool, typer.Option("--orphans", help="Kept pages that nothing links to.")]
Top = Annotated[
    Kind | None, typer.Option("--top", help="The pages, or the hosts, with the highest rank.")
]
Similar = Annotated[
    bool, typer.Option("--similar", help="Hosts that the same pages link to as to SITE.")
]
Export = Annotated[
    Path | None,
    typer.Option(
        "--export", metavar="FILE", help="Write the graph to a .graphml, .csv or .parquet file."
    ),
]
Of = Annotated[Kind, typer.Option("--of", help="What is exported: links of pages or of hosts.")]
Limit = Annotated[int, typer.Option("--limit", min=0, help="How many are shown; 0 shows all.")]


def command(
    asked: Asked = "",
    incoming: In = False,
    outgoing: Out = False,
    broken: Broken = False,
    redirected: Redirects = False,
    orphaned: Orphans = False,
    top: Top = None,
    alike: Similar = False,
    export: Export = None,
    of: Of = "pages",
    limit: Limit = 20,
    json: Json = False,
    data: Data = HERE,
    verbose: Verbose = False,
) -> None:
    """Explore the links: parents and children of a page, broken links, redirects, the top."""
    given = {
        "--broken": broken,
        "--redirects": redirected,
        "--orphans": orphaned,
        f"--top {top}": top,
        "--similar": alike,
        "--export": export,
    }
    way = _the_one([name for name, value in given.items() if value], asked, incoming or outgoing)
    if export:
        export_formats.require(export)
        require_writable(export)
    with exploring(Folder(data)) as explorer:
        if not explorer:
            raise DataError(f"nothing in {data} has been crawled yet; start with `byway up URL`")
        with progress("reading links"):
            links = explorer.export(export, of, asked) if export else 0
            answer = None if export else _answer(way, explorer, asked, limit)
    if isinstance(answer, Around) and incoming != outgoing:
        answer = replace(answer, outgoing=()) if incoming else replace(answer, incoming=())
    if json:
        print_json(asdict(answer) if answer else {"file": str(export), "links": links})
    elif answer:
        show(answer)
    else:
        say(escape(f"{links:,} links are in {export}"))


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


def _answer(way: str, explorer: Explorer, asked: str, limit: int) -> Answer:
    match way:
        case "--broken":
            return explorer.broken(asked, limit)
        case "--redirects":
            return explorer.redirects(asked, limit)
        case "--orphans":
            return explorer.orphans(asked, limit)
        case "--top pages":
            return explorer.top_pages(asked, limit)
        case "--top hosts":
            return explorer.top_hosts(asked, limit)
        case "--similar":
            return explorer.similar(asked, limit)
        case _:
            return explorer.around(guess(asked), limit)
