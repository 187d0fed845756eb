"""How are answers about links shown to a person? As tables, or as blocks where URLs are many."""

from collections.abc import Sequence
from functools import singledispatch

from rich.markup import escape
from rich.text import Text

from byway.cli.support.output import make_table, out, plain, show_table
from byway.core.model import State
from byway.reports.links.broken_links import BrokenLinks
from byway.reports.links.neighbours import Around, Linked
from byway.reports.links.orphans import Orphans
from byway.reports.links.redirects import Redirects
from byway.reports.links.similar_hosts import Likes
from byway.reports.links.sources import Carrier
from byway.reports.links.top import TopHosts, TopPages

SHOWN_CARRIERS = 3
"""Pages that carry one link; JSON has more."""
LONGEST_ANCHOR = 50

Answer = Around | BrokenLinks | Redirects | Orphans | TopPages | TopHosts | Likes


@singledispatch
def show(answer: Answer) -> None:
    """Print an answer."""
    raise TypeError(f"no way to show {type(answer).__name__}")


@show.register
def _around(answer: Around) -> None:
    out.print(f"[bold]{_safe(answer.url)}[/bold]")
    rank = f", rank {answer.rank:.2f}" if answer.rank else ""
    out.print(f"[dim]{_became(answer.state, answer.reason)}{rank}[/dim]")
    _neighbours("linked from", answer.incoming, answer.parents)
    _neighbours("links to", answer.outgoing, answer.children)
    if not answer.parents:
        out.print("\nNo page that was crawled links to it.")
    if not answer.children:
        out.print("\nIt links to nothing that we know of.")


@show.register
def _broken(answer: BrokenLinks) -> None:
    for one in answer.urls:
        out.print(f"[bold]{_safe(one.url)}[/bold]")
        for step in one.via:
            out.print(f"  → {_safe(step)}")
        out.print(f"  [red]{_fate(one.state, one.reason, one.loop)}[/red]")
        _carriers(one.on, one.pages)
        out.print()
    out.print(
        f"{_many(answer.links, 'broken link')} to {_many(answer.total, 'URL')}"
        if answer.total
        else "No broken links."
    )
    _more(len(answer.urls), answer.total)


@show.register
def _redirects(answer: Redirects) -> None:
    for one in answer.chains:
        out.print(f"[bold]{_safe(one.url)}[/bold]")
        for step in one.steps:
            out.print(f"  → {_safe(step)}")
        good = one.state is State.KEPT and not one.loop
        colour = "green" if good else "yellow"
        out.print(f"  [{colour}]{_fate(one.state, one.reason, one.loop)}[/{colour}]")
        _carriers(one.on, one.pages)
        out.print()
    out.print(_many(answer.total, "redirect") if answer.total else "No redirects.")
    _more(len(answer.chains), answer.total)


@show.register
def _orphans(answer: Orphans) -> None:
    for one in answer.pages:
        out.print(_safe(one.url) + ("  [dim]a seed[/dim]" if one.seed else ""))
    told = f"{_many(answer.total, 'kept page')} that nothing links to"
    out.print(told if answer.total else "Something links to every page that was kept.")
    _more(len(answer.pages), answer.total)


@show.register
def _top_pages(answer: TopPages) -> None:
    table = make_table("pages", "rank", "linked from", "state")
    for one in answer.pages:
        table.add_row(_cell(one.url), f"{one.rank:,.2f}", f"{one.links:,}", one.state)
    show_table(table)


@show.register
def _top_hosts(answer: TopHosts) -> None:
    table = make_table("hosts", "rank", "urls", "links from others", "hosts")
    for one in answer.hosts:
        numbers = (f"{number:,}" for number in (one.urls, one.links, one.hosts))
        table.add_row(_cell(one.host), f"{one.rank:,.2f}", *numbers)
    show_table(table)


@show.register
def _similar(answer: Likes) -> None:
    if not answer.links:
        out.print(f"No page of another host links to {_safe(answer.site)}.")
    elif not answer.hosts:
        told = _many(answer.links, "page")
        out.print(f"The {told} that link to {_safe(answer.site)} link to no other host.")
    else:
        table = make_table(f"like {plain(answer.site)}", "likeness", "shared", "linked from")
        for one in answer.hosts:
            numbers = (f"{one.shared:,}", f"{one.links:,}")
            table.add_row(_cell(one.host), f"{one.likeness:.3f}", *numbers)
        show_table(table)
        _more(len(answer.hosts), answer.total)


def _neighbours(title: str, pages: Sequence[Linked], total: int) -> None:
    if not pages:
        return
    table = make_table(f"{title} {_many(total, 'page')}", "rank", "state", "")
    for one in pages:
        words = _cut(one.anchor) + (" (nofollow)" if one.nofollow else "")
        table.add_row(_cell(one.url), f"{one.rank:.2f}", one.state, Text(words))
    show_table(table)
    _more(len(pages), total)


def _carriers(pages: Sequence[Carrier], total: int) -> None:
    for one in pages[:SHOWN_CARRIERS]:
        words = f"  “{_safe(_cut(one.anchor))}”" if one.anchor else ""
        out.print(f"  on {_safe(one.url)}{words}{' (nofollow)' if one.nofollow else ''}")
    if total > SHOWN_CARRIERS:
        out.print(f"  [dim]and {_many(total - SHOWN_CARRIERS, 'more page')}[/dim]")
    if not total:
        out.print("  [dim]no page links to it[/dim]")


def _more(shown: int, total: int) -> None:
    if shown < total:
        out.print(f"[dim]{total - shown:,} more; --limit 0 shows all[/dim]")


def _fate(state: State, reason: str, loop: bool) -> str:
    return _safe(reason) if loop else _became(state, reason)


def _became(state: State, reason: str) -> str:
    return f"{state}: {_safe(reason)}" if reason else str(state)


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _cut(text: str) -> str:
    text = plain(text)
    return text if len(text) <= LONGEST_ANCHOR else text[: LONGEST_ANCHOR - 1] + "…"


def _cell(text: str) -> Text:
    return Text(plain(text), overflow="fold")


def _safe(text: str) -> str:
    return escape(plain(text))
