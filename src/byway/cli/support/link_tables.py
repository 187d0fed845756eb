"""How are answers about links shown to a person? As tables, or as blocks where URLs are many."""

from collections.abc import Sequence
from functools import singledispatch

from rich.markup import escape
from rich.text import Text

from byway.cli.support.output import make_table, out, sanitize, show_table
from byway.core.messages import text
from byway.core.model import UrlState
from byway.core.model.message import Reason
from byway.reports.links.broken_links import BrokenLinks
from byway.reports.links.neighbours import NeighbourPage, PageNeighbours
from byway.reports.links.orphans import Orphans
from byway.reports.links.redirects import Redirects
from byway.reports.links.similar_hosts import SimilarHosts
from byway.reports.links.sources import LinkSource
from byway.reports.links.top import TopHosts, TopPages

MAX_SHOWN_SOURCES = 3
"""Pages that carry one link; JSON has more."""
MAX_ANCHOR_CHARS = 50

LinkReport = PageNeighbours | BrokenLinks | Redirects | Orphans | TopPages | TopHosts | SimilarHosts


@singledispatch
def print_link_report(report: LinkReport) -> None:
    """Print an answer."""
    raise TypeError(f"no way to show {type(report).__name__}")


@print_link_report.register
def _around(answer: PageNeighbours) -> None:
    out.print(f"[bold]{_safe(answer.url)}[/bold]")
    rank = f", rank {answer.rank:.2f}" if answer.rank else ""
    out.print(f"[dim]{_became(answer.state, answer.reason)}{rank}[/dim]")
    _neighbours("linked from", answer.inlinks, answer.inlink_count)
    _neighbours("links to", answer.outlinks, answer.outlink_count)
    if not answer.inlink_count:
        out.print("\nNo page that was crawled links to it.")
    if not answer.outlink_count:
        out.print("\nIt links to nothing that we know of.")


@print_link_report.register
def _broken(answer: BrokenLinks) -> None:
    for one in answer.urls:
        out.print(f"[bold]{_safe(one.url)}[/bold]")
        for step in one.redirects:
            out.print(f"  → {_safe(step)}")
        out.print(f"  [red]{_fate(one.state, one.reason, one.is_loop)}[/red]")
        _carriers(one.sources, one.source_count)
        out.print()
    out.print(
        f"{_many(answer.links, 'broken link')} to {_many(answer.total, 'URL')}"
        if answer.total
        else "No broken links."
    )
    _more(len(answer.urls), answer.total)


@print_link_report.register
def _redirects(answer: Redirects) -> None:
    for one in answer.chains:
        out.print(f"[bold]{_safe(one.url)}[/bold]")
        for step in one.redirects:
            out.print(f"  → {_safe(step)}")
        good = one.state is UrlState.KEPT and not one.is_loop
        colour = "green" if good else "yellow"
        out.print(f"  [{colour}]{_fate(one.state, one.reason, one.is_loop)}[/{colour}]")
        _carriers(one.sources, one.source_count)
        out.print()
    out.print(_many(answer.total, "redirect") if answer.total else "No redirects.")
    _more(len(answer.chains), answer.total)


@print_link_report.register
def _orphans(answer: Orphans) -> None:
    for one in answer.pages:
        out.print(_safe(one.url) + ("  [dim]a seed[/dim]" if one.is_seed else ""))
    told = f"{_many(answer.total, 'kept page')} that nothing links to"
    out.print(told if answer.total else "Something links to every page that was kept.")
    _more(len(answer.pages), answer.total)


@print_link_report.register
def _top_pages(answer: TopPages) -> None:
    table = make_table("pages", "rank", "linked from", "state")
    for one in answer.pages:
        table.add_row(_cell(one.url), f"{one.rank:,.2f}", f"{one.inlink_count:,}", one.state)
    show_table(table)


@print_link_report.register
def _top_hosts(answer: TopHosts) -> None:
    table = make_table("hosts", "rank", "urls", "links from others", "hosts")
    for one in answer.hosts:
        numbers = (
            f"{number:,}" for number in (one.url_count, one.inlink_count, one.linking_host_count)
        )
        table.add_row(_cell(one.host), f"{one.rank:,.2f}", *numbers)
    show_table(table)


@print_link_report.register
def _similar(answer: SimilarHosts) -> None:
    if not answer.inlink_count:
        out.print(f"No page of another host links to {_safe(answer.site)}.")
    elif not answer.hosts:
        told = _many(answer.inlink_count, "page")
        out.print(f"The {told} that link to {_safe(answer.site)} link to no other host.")
    else:
        table = make_table(f"like {sanitize(answer.site)}", "likeness", "shared", "linked from")
        for one in answer.hosts:
            numbers = (f"{one.shared_inlink_count:,}", f"{one.inlink_count:,}")
            table.add_row(_cell(one.host), f"{one.similarity:.3f}", *numbers)
        show_table(table)
        _more(len(answer.hosts), answer.total)


def _neighbours(title: str, pages: Sequence[NeighbourPage], total: int) -> None:
    if not pages:
        return
    table = make_table(f"{title} {_many(total, 'page')}", "rank", "state", "")
    for one in pages:
        words = _cut(one.anchor_text) + (" (nofollow)" if one.nofollow else "")
        table.add_row(_cell(one.url), f"{one.rank:.2f}", one.state, Text(words))
    show_table(table)
    _more(len(pages), total)


def _carriers(pages: Sequence[LinkSource], total: int) -> None:
    for one in pages[:MAX_SHOWN_SOURCES]:
        words = f"  “{_safe(_cut(one.anchor_text))}”" if one.anchor_text else ""
        out.print(f"  on {_safe(one.url)}{words}{' (nofollow)' if one.nofollow else ''}")
    if total > MAX_SHOWN_SOURCES:
        out.print(f"  [dim]and {_many(total - MAX_SHOWN_SOURCES, 'more page')}[/dim]")
    if not total:
        out.print("  [dim]no page links to it[/dim]")


def _more(shown: int, total: int) -> None:
    if shown < total:
        out.print(f"[dim]{total - shown:,} more; --limit 0 shows all[/dim]")


def _fate(state: UrlState, reason: Reason, loop: bool) -> str:
    return _safe(text(reason)) if loop else _became(state, reason)


def _became(state: UrlState, reason: Reason) -> str:
    return f"{state}: {_safe(text(reason))}" if reason else str(state)


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _cut(anchor: str) -> str:
    anchor = sanitize(anchor)
    return anchor if len(anchor) <= MAX_ANCHOR_CHARS else anchor[: MAX_ANCHOR_CHARS - 1] + "…"


def _cell(content: str) -> Text:
    return Text(sanitize(content), overflow="fold")


def _safe(content: str) -> str:
    return escape(sanitize(content))
