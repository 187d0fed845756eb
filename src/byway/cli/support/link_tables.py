"""Link reports in the terminal: tables, or blocks if the URLs are long."""

from collections.abc import Sequence
from functools import singledispatch

from rich.markup import escape
from rich.text import Text

from byway.cli.support.output import cell, counted, heads, make_table, out, sanitize, show_table
from byway.core.messages import Reason, decimal, grouped, state_label, t, text
from byway.core.model import UrlState
from byway.core.model.link_report import (
    BrokenLinks,
    LinkReport,
    LinkSource,
    NeighbourPage,
    Orphans,
    PageNeighbours,
    Redirects,
    SimilarHosts,
    TopHosts,
    TopPages,
)

MAX_SHOWN_SOURCES = 3
"""Maximum source pages shown for a link; JSON has more."""
MAX_ANCHOR_CHARS = 50


@singledispatch
def print_link_report(report: LinkReport) -> None:
    """Print a link report."""
    raise TypeError(f"no printer for {type(report).__name__}")


@print_link_report.register
def _print_neighbours(report: PageNeighbours) -> None:
    out.print(f"[bold]{_safe(report.url)}[/bold]")
    rank = t("cli.links.page_rank", rank=decimal(report.rank, ".2f")) if report.rank else ""
    out.print(f"[dim]{_state_text(report.state, report.reason)}{rank}[/dim]")
    _print_pages("cli.links.linked_from_pages", report.inlinks, report.inlink_count)
    _print_pages("cli.links.links_to_pages", report.outlinks, report.outlink_count)
    if not report.inlink_count:
        out.print("\n" + t("cli.links.no_inlinks"))
    if not report.outlink_count:
        out.print("\n" + t("cli.links.no_outlinks"))


@print_link_report.register
def _print_broken(report: BrokenLinks) -> None:
    for target in report.urls:
        _print_chain(target.url, target.redirects)
        out.print(f"  [red]{_outcome(target.state, target.reason, target.is_loop)}[/red]")
        _print_sources(target.sources, target.source_count)
        out.print()
    total = counted("broken_links", report.links), counted("urls", report.total)
    out.print(
        t("cli.links.broken_total", links=total[0], urls=total[1])
        if report.total
        else t("cli.links.no_broken")
    )
    _print_more(len(report.urls), report.total)


@print_link_report.register
def _print_redirects(report: Redirects) -> None:
    for chain in report.chains:
        _print_chain(chain.url, chain.redirects)
        color = "green" if chain.state is UrlState.KEPT and not chain.is_loop else "yellow"
        out.print(f"  [{color}]{_outcome(chain.state, chain.reason, chain.is_loop)}[/{color}]")
        _print_sources(chain.sources, chain.source_count)
        out.print()
    out.print(counted("redirects", report.total) if report.total else t("cli.links.no_redirects"))
    _print_more(len(report.chains), report.total)


@print_link_report.register
def _print_orphans(report: Orphans) -> None:
    for page in report.pages:
        seed = f"  [dim]{t('cli.links.seed')}[/dim]" if page.is_seed else ""
        out.print(_safe(page.url) + seed)
    out.print(
        t("cli.links.orphans", count=report.total) if report.total else t("cli.links.no_orphans")
    )
    _print_more(len(report.pages), report.total)


@print_link_report.register
def _print_top_pages(report: TopPages) -> None:
    table = make_table(*heads("links", "pages", "rank", "linked_from", "state"))
    for page in report.pages:
        numbers = decimal(page.rank, ",.2f"), grouped(page.inlink_count)
        table.add_row(cell(page.url), *numbers, state_label(page.state))
    show_table(table)


@print_link_report.register
def _print_top_hosts(report: TopHosts) -> None:
    table = make_table(*heads("links", "hosts", "rank", "urls", "external_links", "linking_hosts"))
    for host in report.hosts:
        counts = (host.url_count, host.inlink_count, host.linking_host_count)
        table.add_row(cell(host.host), decimal(host.rank, ",.2f"), *map(grouped, counts))
    show_table(table)


@print_link_report.register
def _print_similar(report: SimilarHosts) -> None:
    site = sanitize(report.site)
    if not report.inlink_count:
        out.print(t("cli.links.no_site_inlinks", site=site), markup=False)
        return
    if not report.hosts:
        out.print(t("cli.links.no_similar", site=site, count=report.inlink_count), markup=False)
        return
    columns = heads("links", "similarity", "shared", "linked_from")
    table = make_table(t("cli.links.similar_to", site=site), *columns)
    for host in report.hosts:
        counts = (grouped(host.shared_inlink_count), grouped(host.inlink_count))
        table.add_row(cell(host.host), decimal(host.similarity, ".3f"), *counts)
    show_table(table)
    _print_more(len(report.hosts), report.total)


def _print_pages(title_key: str, pages: Sequence[NeighbourPage], total: int) -> None:
    if not pages:
        return
    table = make_table(t(title_key, count=total), *heads("links", "rank", "state"), "")
    for page in pages:
        anchor = _shorten(page.anchor_text) + (" (nofollow)" if page.nofollow else "")
        rank, state = decimal(page.rank, ".2f"), state_label(page.state)
        table.add_row(cell(page.url), rank, state, Text(anchor))
    show_table(table)
    _print_more(len(pages), total)


def _print_chain(url: str, redirects: Sequence[str]) -> None:
    out.print(f"[bold]{_safe(url)}[/bold]")
    for step in redirects:
        out.print(f"  → {_safe(step)}")


def _print_sources(pages: Sequence[LinkSource], total: int) -> None:
    for page in pages[:MAX_SHOWN_SOURCES]:
        anchor = f"  “{_safe(_shorten(page.anchor_text))}”" if page.anchor_text else ""
        url = escape(t("cli.links.on_page", url=sanitize(page.url)))
        out.print(f"  {url}{anchor}{' (nofollow)' if page.nofollow else ''}")
    if total > MAX_SHOWN_SOURCES:
        more = t("cli.links.more_pages", count=total - MAX_SHOWN_SOURCES)
        out.print(f"  [dim]{more}[/dim]")
    if not total:
        out.print(f"  [dim]{t('cli.links.no_sources')}[/dim]")


def _print_more(shown: int, total: int) -> None:
    if shown < total:
        out.print(f"[dim]{t('cli.links.more', more=total - shown)}[/dim]")


def _outcome(state: UrlState, reason: Reason, loop: bool) -> str:
    return _safe(text(reason)) if loop else _state_text(state, reason)


def _state_text(state: UrlState, reason: Reason) -> str:
    label = state_label(state)
    return f"{label}: {_safe(text(reason))}" if reason else label


def _shorten(anchor: str) -> str:
    anchor = sanitize(anchor)
    return anchor if len(anchor) <= MAX_ANCHOR_CHARS else anchor[: MAX_ANCHOR_CHARS - 1] + "…"


def _safe(content: str) -> str:
    return escape(sanitize(content))
