"""Site: the rules by which sites are read, and what a rule makes of a page."""

import json as as_json
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from byway.app.page_preview import Rule, Trial, all_rules, trial
from byway.cli.support.crawl_session import AllowPrivate
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, settings_of
from byway.cli.support.output import out, plain, print_json
from byway.cli.support.page_argument import Address, page_of, rules_of
from byway.core.errors import UsageError
from byway.core.settings.schema import Settings
from byway.core.url import WEB, host_of

ORDER = 16

UNEVEN = "they pair by order, and each counts once; let both find as many, or list `attributes`"
"""What is wrong with more names than values, and the cure."""


class Action(StrEnum):
    """What may be done with rules."""

    LIST = "list"
    TEST = "test"


What = Annotated[Action, typer.Argument(help="List the rules, or test one.")]
Name = Annotated[
    str, typer.Argument(metavar="RULE", help="The rule to test: its name, or its TOML file.")
]
Sources = Annotated[
    list[str] | None, typer.Argument(metavar="FILE|URL", help="The pages to test it on.")
]


def command(
    action: What,
    rule: Name = "",
    pages: Sources = None,
    url: Address = "",
    allow_private: AllowPrivate = None,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """List the rules by which sites are read, or show what one of them makes of pages.

    A test says whether the rule is for the page, what each field finds, and which selectors find
    nothing. It ends with 1 if the rule is not for a page or misses a field. -v shows the text too.
    """
    settings = settings_of(data, set, {"crawl.allow_private": allow_private})
    if action is Action.LIST:
        _list(all_rules(rules_of(data)), json)
        return
    if not rule or not pages:
        raise UsageError("name a rule and pages, as `byway site test mediawiki page.html`")
    tried = [
        (source, _tried(rule, source, place, url, settings, data))
        for place, source in enumerate(pages)
    ]
    if json:
        print_json([_as_json(source, each) for source, each in tried])
    else:
        _show_all(tried, bool(url), verbose)
    if any(each.misfit or each.missing or each.failed for _, each in tried):
        raise typer.Exit(1)


def _tried(rule: str, source: str, place: int, url: str, settings: Settings, data: Path) -> Trial:
    if place and source.lower().startswith(WEB):
        time.sleep(settings.crawl.delay)
    return trial(rule, page_of(source, settings, url), settings, rules_of(data))


def _list(rules: tuple[Rule, ...], json: bool) -> None:
    if json:
        told = [{"name": each.name, "from": each.source, "for": _for(each)} for each in rules]
        print_json(told)
        return
    for each in rules:
        out.print(f"{plain(each.name):20}  {plain(each.source)}  {plain(_for(each))}", markup=False)


def _for(rule: Rule) -> str:
    """The pages that a rule is for, in a few words."""
    said = [*rule.hosts, *(each.pattern for each in rule.urls), *filter(None, [rule.css])]
    return " and ".join(said)


def _show_all(tried: list[tuple[str, Trial]], placed: bool, verbose: bool) -> None:
    for source, each in tried:
        _show(source, each, placed or source.lower().startswith(WEB), verbose)
    unmatched = [each.unmatched for _, each in tried if not each.failed]
    for key, selector in unmatched[0] if unmatched else ():
        if all((key, selector) in each for each in unmatched):
            _line("nothing", f"{key}: {selector} finds nothing on any of these pages")


def _show(source: str, tried: Trial, placed: bool, verbose: bool) -> None:
    """What a rule makes of a page; `placed` if it was said where the page comes from."""
    out.print(f"[bold]{'page':10}[/bold]", end="")
    out.print(plain(source), markup=False)
    if tried.failed:
        _line("failed", tried.failed)
        return
    _line("is for it", f"no: {_misfit(tried, placed)}" if tried.misfit else "yes")
    for name, value in tried.found.items():
        shown = "missing" if name in tried.missing else as_json.dumps(value, ensure_ascii=False)
        _line("field", f"{name} = {shown}")
    if tried.uneven:
        names, values = tried.uneven
        _line("uneven", f"{names:,} attribute_names, {values:,} attribute_values: {UNEVEN}")
    _line("links", f"{tried.links[0]:,} of {tried.links[1]:,} may be followed")
    if tried.document is not None:
        _line("title", tried.document.title)
        text = tried.document.text
        _line("text", text if verbose else f"{len(text):,} characters: {text[:200]}")


def _misfit(tried: Trial, placed: bool) -> str:
    """Why a rule is not for a page, with what the page has in the place of it."""
    has = {
        "match.host": f"; the page's host is {host_of(tried.url)}",
        "match.url": f"; the page's URL is {tried.url}",
    }.get(tried.misfit, "")
    cure = "; --url says where a file came from" if has and not placed else ""
    return f"{tried.misfit} does not match{has}{cure}"


def _line(name: str, text: str) -> None:
    out.print(f"{name:10}{plain(text)}", markup=False)


def _as_json(source: str, tried: Trial) -> dict[str, object]:
    document = tried.document
    return {
        "page": source,
        "is_for": not tried.misfit and not tried.failed,
        "misfit": tried.misfit,
        "failed": tried.failed,
        "fields": tried.found,
        "missing": tried.missing,
        "uneven": tried.uneven,
        "selectors": [
            {"key": key, "css": css, "matches": count} for key, css, count in tried.selectors
        ],
        "links": {"followed": tried.links[0], "all": tried.links[1]},
        "title": document.title if document else "",
        "text": document.text if document else "",
    }
