"""`byway remove`: permanently remove pages or a site, or undo a removal."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from byway.app.engine import Engine
from byway.app.removal import RemovalScope, crawl_refusals
from byway.cli.support import options
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.options import open_search_session
from byway.cli.support.output import counted, out, print_json, print_notice, sanitize
from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.model import Url, UrlRecord, UrlState
from byway.core.settings.schema import Settings
from byway.core.url import host_of, parse_typed_url

PANEL = "Manage"
ORDER = 3

UrlsArgument = Annotated[list[str] | None, typer.Argument(metavar="URL", help="Pages to remove.")]
SiteOption = Annotated[
    str, typer.Option("--site", metavar="HOST", help="Remove this host and its subdomains.")
]
ListOption = Annotated[bool, typer.Option("--list", help="List removed pages and sites.")]
UndoOption = Annotated[bool, typer.Option("--undo", help="Undo a removal.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only count what would change.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="With --site: skip confirmation.")]


@dataclass(frozen=True, slots=True)
class _Targets:
    """The URLs and pages affected by a removal or its undo."""

    urls: int
    pages: int
    files: Sequence[str]
    """Archive files with stored versions of the pages."""
    records: Sequence[UrlRecord]
    """The records of the given URLs, if they are known."""
    already_removed: int
    is_done: bool
    """True if all targets are already removed."""


def command(
    urls: UrlsArgument = None,
    site: SiteOption = "",
    list: ListOption = False,
    undo: UndoOption = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Remove pages or a site until you restore them.

    They disappear from the results, and no crawl fetches them again.
    """
    if list and not (urls or site or undo):
        _print_removed(data, set, json)
        return
    if bool(urls) == bool(site) or list:
        raise UsageError("cli.remove_nothing_chosen")
    named = [parse_typed_url(url) for url in urls or ()]
    host = host_of(parse_typed_url(site)) if site else ""
    engine = open_engine(data, set)
    targets = _find_targets(engine, named, host, undo)
    indexed = None
    if not dry_run:
        _confirm(host, targets, yes or undo or targets.is_done)
        indexed = engine.remove(named, host, undo)
    is_complete = indexed is None or indexed.done
    if json:
        counts = {"urls": targets.urls, "pages": targets.pages, "dry_run": dry_run}
        print_json(counts | {"is_complete": is_complete, "archive_files": targets.files})
        return
    out.print(_summary(targets, host, undo, dry_run), markup=False)
    if indexed and not is_complete:
        print_notice(t("cli.remove.indexer_running", pid=indexed.indexer_pid))
    if targets.files:
        out.print(t("cli.remove.archive_files", files=targets.files), markup=False)
    scope = RemovalScope(tuple(named), host)
    blocked = _blocked_hosts(scope, engine.settings)
    for notice in blocked if undo else _redirect_targets(targets.records):
        print_notice(notice)


def _find_targets(engine: Engine, named: Sequence[Url], host: str, undo: bool) -> _Targets:
    with engine.search_session() as session:
        urls, pages = session.catalog.count_removal_targets(named, host, undo)
        files = [] if undo else session.catalog.stored_files(named, host)
        records = [record for url in named if (record := session.catalog.find_url(url))]
        site_removed = host in session.catalog.removed_sites()
    removed = {record.url for record in records if record.state is UrlState.REMOVED}
    is_done = not (undo or pages) and urls == len(removed) and (site_removed or not host)
    return _Targets(
        urls=urls,
        pages=pages,
        files=files,
        records=records,
        already_removed=len(removed),
        is_done=is_done,
    )


def _confirm(site: str, targets: _Targets, confirmed: bool) -> None:
    """Ask before a whole site is removed."""
    if not site or confirmed:
        return
    pages, urls = counted("pages", targets.pages), counted("urls", targets.urls)
    if not sys.stdin.isatty():
        raise UsageError("cli.remove_unconfirmed", pages=pages, urls=urls, site=site)
    if not typer.confirm(t("cli.remove.confirm", pages=pages, urls=urls, site=site), err=True):
        raise typer.Exit(1)


def _summary(targets: _Targets, site: str, undo: bool, dry_run: bool) -> str:
    """The result of a removal or a dry run, in one line."""
    if targets.is_done and site:
        return t("cli.remove.site_already", site=site)
    if targets.is_done:
        return t("cli.remove.already", count=targets.urls)
    if undo:
        key = "cli.remove.would_restore" if dry_run else "cli.remove.restored"
        return t(key, count=targets.urls)
    before = targets.already_removed
    return t(
        "cli.remove.would_remove" if dry_run else "cli.remove.removed",
        pages=counted("pages", targets.pages),
        urls=counted("urls", targets.urls - before),
        before=t("cli.remove.more_already", count=before) if before else "",
    )


def _blocked_hosts(scope: RemovalScope, settings: Settings) -> Iterator[str]:
    """Reasons why the current settings do not allow fetching the restored pages."""
    for reason in crawl_refusals(scope, settings):
        yield t("cli.remove.not_visited", reason=reason)


def _redirect_targets(records: Sequence[UrlRecord]) -> Iterator[str]:
    """Notices that the targets of removed redirects are not removed themselves."""
    for record in records:
        if record.redirect_target:
            target = sanitize(record.redirect_target)
            yield t("cli.remove.redirect_target", url=sanitize(record.url), target=target)


def _print_removed(data: Path, overrides: Sequence[str] | None, json: bool) -> None:
    """List the removed sites, then the individually removed pages."""
    with open_search_session(data, overrides) as session:
        sites = sorted(session.catalog.removed_sites())
        pages, _ = session.catalog.removed_pages(-1)
    if json:
        print_json({"sites": sites, "urls": pages})
        return
    for line in [*(t("cli.remove.whole_site", site=site) for site in sites), *pages]:
        out.print(sanitize(line), markup=False)
    if not (sites or pages):
        print_notice(t("cli.remove.none"))
