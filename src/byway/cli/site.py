"""Site: the rules by which sites are read, and what a rule makes of a page."""

import json as as_json
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from byway.app.page_preview import SiteRule, SiteRuleTrial, all_rules, try_rule_on_page
from byway.cli.support.crawl_session import AllowPrivateOption
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    settings_from_options,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.cli.support.page_argument import UrlOption, load_page, site_rules_folder
from byway.core.errors import UsageError
from byway.core.messages import message_as_json
from byway.core.messages import text as message_text
from byway.core.settings.schema import Settings
from byway.core.url import WEB_SCHEMES, host_of

ORDER = 16

UNEVEN_ATTRIBUTES_HINT = (
    "they pair by order, and each counts once; let both find as many, or list `attributes`"
)
"""What is wrong with more names than values, and the cure."""


class SiteAction(StrEnum):
    """What may be done with rules."""

    LIST = "list"
    TEST = "test"


ActionArgument = Annotated[SiteAction, typer.Argument(help="List the rules, or test one.")]
RuleArgument = Annotated[
    str, typer.Argument(metavar="RULE", help="The rule to test: its name, or its TOML file.")
]
SourcesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="FILE|URL", help="The pages to test it on.")
]


def command(
    action: ActionArgument,
    rule: RuleArgument = "",
    pages: SourcesArgument = None,
    url: UrlOption = "",
    allow_private: AllowPrivateOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List the rules by which sites are read, or show what one of them makes of pages.

    A test says whether the rule is for the page, what each field finds, and which selectors find
    nothing. It ends with 1 if the rule is not for a page or misses a field. -v shows the text too.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private})
    if action is SiteAction.LIST:
        _list(all_rules(site_rules_folder(data)), json)
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
    if any(each.unmet_condition or each.missing_fields or each.failure for _, each in tried):
        raise typer.Exit(1)


def _tried(
    rule: str, source: str, place: int, url: str, settings: Settings, data: Path
) -> SiteRuleTrial:
    if place and source.lower().startswith(WEB_SCHEMES):
        time.sleep(settings.crawl.delay)
    return try_rule_on_page(
        rule, load_page(source, settings, url), settings, site_rules_folder(data)
    )


def _list(rules: tuple[SiteRule, ...], json: bool) -> None:
    if json:
        told = [{"name": each.name, "from": each.source, "for": _for(each)} for each in rules]
        print_json(told)
        return
    for each in rules:
        out.print(
            f"{sanitize(each.name):20}  {sanitize(each.source)}  {sanitize(_for(each))}",
            markup=False,
        )


def _for(rule: SiteRule) -> str:
    """The pages that a rule is for, in a few words."""
    said = [*rule.hosts, *(each.pattern for each in rule.urls), *filter(None, [rule.css])]
    return " and ".join(said)


def _show_all(tried: list[tuple[str, SiteRuleTrial]], placed: bool, verbose: bool) -> None:
    for source, each in tried:
        _show(source, each, placed or source.lower().startswith(WEB_SCHEMES), verbose)
    unmatched = [each.unmatched_selectors for _, each in tried if not each.failure]
    for key, selector in unmatched[0] if unmatched else ():
        if all((key, selector) in each for each in unmatched):
            _line("nothing", f"{key}: {selector} finds nothing on any of these pages")


def _show(source: str, tried: SiteRuleTrial, placed: bool, verbose: bool) -> None:
    """What a rule makes of a page; `placed` if it was said where the page comes from."""
    out.print(f"[bold]{'page':10}[/bold]", end="")
    out.print(sanitize(source), markup=False)
    if tried.failure:
        _line("failed", message_text(tried.failure))
        return
    _line("is for it", f"no: {_misfit(tried, placed)}" if tried.unmet_condition else "yes")
    for name, value in tried.values.items():
        shown = (
            "missing" if name in tried.missing_fields else as_json.dumps(value, ensure_ascii=False)
        )
        _line("field", f"{name} = {shown}")
    if tried.unpaired_counts:
        names, values = tried.unpaired_counts
        _line(
            "uneven",
            f"{names:,} attribute_names, {values:,} attribute_values: {UNEVEN_ATTRIBUTES_HINT}",
        )
    _line("links", f"{tried.link_counts[0]:,} of {tried.link_counts[1]:,} may be followed")
    if tried.document is not None:
        _line("title", tried.document.title)
        text = tried.document.text
        _line("text", text if verbose else f"{len(text):,} characters: {text[:200]}")


def _misfit(tried: SiteRuleTrial, placed: bool) -> str:
    """Why a rule is not for a page, with what the page has in the place of it."""
    has = {
        "match.host": f"; the page's host is {host_of(tried.url)}",
        "match.url": f"; the page's URL is {tried.url}",
    }.get(tried.unmet_condition, "")
    cure = "; --url says where a file came from" if has and not placed else ""
    return f"{tried.unmet_condition} does not match{has}{cure}"


def _line(name: str, text: str) -> None:
    out.print(f"{name:10}{sanitize(text)}", markup=False)


def _as_json(source: str, tried: SiteRuleTrial) -> dict[str, object]:
    document = tried.document
    return {
        "page": source,
        "is_for": not tried.unmet_condition and not tried.failure,
        "misfit": tried.unmet_condition,
        "failure": message_as_json(tried.failure),
        "fields": tried.values,
        "missing": tried.missing_fields,
        "uneven": tried.unpaired_counts,
        "selectors": [
            {"key": key, "css": css, "matches": count} for key, css, count in tried.selector_counts
        ],
        "links": {"followed": tried.link_counts[0], "all": tried.link_counts[1]},
        "title": document.title if document else "",
        "text": document.text if document else "",
    }
