"""Remove: a page or a site is taken out for good."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
)
from byway.cli.support.output import out, pluralize, print_json, print_notice, sanitize
from byway.core.errors import UsageError
from byway.core.messages import text
from byway.core.model import UrlRecord, UrlState
from byway.core.url import host_of, parse_typed_url

ORDER = 29

UrlsArgument = Annotated[list[str] | None, typer.Argument(metavar="URL", help="The pages.")]
SiteOption = Annotated[
    str, typer.Option("--site", metavar="HOST", help="All of this host and of those below it.")
]
ListOption = Annotated[bool, typer.Option("--list", help="Show what is removed.")]
UndoOption = Annotated[bool, typer.Option("--undo", help="Let in again what was removed.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say how much it would be.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="With --site: do it without asking.")]


def command(
    urls: UrlsArgument = None,
    site: SiteOption = "",
    list: ListOption = False,
    undo: UndoOption = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Take pages or a site out: they cannot be found any more, and no crawl visits them again."""
    if list and not (urls or site or undo):
        _print_removed(data, set, json)
        return
    if bool(urls) == bool(site) or list:
        raise UsageError("name the pages to remove, or a site with --site HOST, or only --list")
    named, host = (
        [parse_typed_url(url) for url in urls or ()],
        host_of(parse_typed_url(site)) if site else "",
    )
    engine = open_engine(data, set)
    with engine.search_session() as reading:
        known, pages = reading.count_removal_targets(named, host, undo)
        files = [] if undo else reading.stored_files(named, host)
        records = [record for url in named if (record := reading.find_url(url))]
        out_before = {one.url for one in records if one.state is UrlState.REMOVED}
        site_is_out = host in reading.list_removed(0)[0]
    all_out = not (undo or pages) and known == len(out_before) and (site_is_out or not host)
    indexed = None
    if not dry_run:
        _require_word(host, known, pages, yes or undo or all_out)
        indexed = engine.remove(named, host, undo)
    done = indexed is None or indexed.done
    if json:
        counted = {"urls": known, "pages": pages, "dry_run": dry_run, "done": done}
        print_json(counted | {"files": files})
        return
    if all_out:
        told = _out_already(known, host)
    elif undo:
        told = _let_in(known, dry_run)
    else:
        told = _taken_out(known - len(out_before), pages, len(out_before), dry_run)
    out.print(told, markup=False)
    if indexed and not done:
        print_notice(
            f"process {indexed.indexer_pid} takes them out of the index when it gets to them"
        )
    if files:
        out.print(f"What was stored of them stays in pages/: {', '.join(files)}", markup=False)
    hosts = [*map(host_of, named), *filter(None, [host])]
    for note in _closed(engine, hosts) if undo else _led_on(records):
        print_notice(note)


def _closed(engine: Engine, hosts: Sequence[str]) -> Iterator[str]:
    """Why what is let in again would not be visited."""
    from byway.crawl.http.ssrf_guard import refusals  # what fetches is loaded when it is needed

    for why in refusals(hosts, engine.settings.crawl.allow_private):
        yield f"a crawl as it is set now does not visit it: {text(why)}"


def _led_on(records: Sequence[UrlRecord]) -> Iterator[str]:
    """Which pages stay that a URL which is out has led to."""
    for record in records:
        if record.redirect_target:
            target = sanitize(record.redirect_target)
            yield f"{sanitize(record.url)} only led to {target}, which is not removed"


def _print_removed(data: Path, set: Sequence[str] | None, json: bool) -> None:
    """What is out: sites first, then the pages that were named one by one."""
    with open_search_session(data, set) as reading:
        sites, pages, _ = reading.list_removed(-1)
    if json:
        print_json({"sites": sites, "urls": pages})
        return
    for line in [*(f"all of {site}" for site in sites), *pages]:
        out.print(sanitize(line), markup=False)
    if not (sites or pages):
        print_notice("nothing is removed")


def _require_word(site: str, urls: int, pages: int, given: bool) -> None:
    """A site is a lot: ask whether it is meant."""
    if not site or given:
        return
    much = f"{pluralize(pages, 'page')} ({pluralize(urls, 'URL')}) of {site}"
    if not sys.stdin.isatty():
        raise UsageError(f"this would remove {much}; say --yes if that is meant")
    if not typer.confirm(f"Remove {much}?", err=True):
        raise typer.Exit(1)


def _let_in(urls: int, dry_run: bool) -> str:
    """What was let in, or would be, in a line."""
    verb = "would be" if dry_run else "is" if urls == 1 else "are"
    them = "it" if urls == 1 else "them"
    return f"{pluralize(urls, 'URL')} {verb} let in again; the next `byway crawl` visits {them}"


def _taken_out(urls: int, pages: int, before: int, dry_run: bool) -> str:
    """What was taken out, or would be, in a line; `before`: URLs that were out already."""
    much = f"{pluralize(pages, 'page')}, {pluralize(urls, 'URL')}"
    if before:
        much += f" ({before:,} more {'was' if before == 1 else 'were'} removed already)"
    if dry_run:
        return f"would remove {much}"
    return f"removed {much}; no crawl visits {'it' if urls + before == 1 else 'them'} again"


def _out_already(urls: int, site: str) -> str:
    """Nothing was to be done."""
    if site:
        return f"all of {site} is removed already"
    return f"{'it is' if urls == 1 else 'they are'} removed already"
