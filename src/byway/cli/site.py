"""`byway site`: list the site rules, or test one on pages."""

import json as as_json
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from byway.app.preview.page_preview import (
    SiteRule,
    SiteRuleTrial,
    all_rules,
    trial_as_json,
    try_rule_on_page,
)
from byway.cli.support.crawl_session import AllowPrivateOption
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    settings_from_options,
)
from byway.cli.support.output import out, print_field, print_json, sanitize
from byway.cli.support.page_argument import BaseUrlOption, load_page, site_rules_folder
from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.messages import text as message_text
from byway.core.settings.schema import Settings
from byway.core.url import WEB_SCHEMES, host_of

PANEL = "Inspect"
ORDER = 6
LABEL_WIDTH = 10
MAX_TEXT_CHARS = 200
"""Characters of the text shown without -v."""


class SiteAction(StrEnum):
    """Actions of `byway site`."""

    LIST = "list"
    TEST = "test"


ActionArgument = Annotated[SiteAction, typer.Argument(help="List the rules, or test one.")]
RuleArgument = Annotated[
    str, typer.Argument(metavar="RULE", help="Name of the rule to test, or its TOML file.")
]
SourcesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="FILE|URL", help="Pages to test it on.")
]


def command(
    action: ActionArgument,
    rule: RuleArgument = "",
    pages: SourcesArgument = None,
    base_url: BaseUrlOption = "",
    allow_private: AllowPrivateOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List site rules, or test one on pages.

    A test shows whether the rule matches the page, the value of each field, and the selectors that
    match nothing. The exit code is 1 if the rule does not match a page or misses a field. -v also
    shows the text.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private})
    if action is SiteAction.LIST:
        _list(all_rules(site_rules_folder(data)), json)
        return
    if not rule or not pages:
        raise UsageError("cli.site_test_arguments")
    trials = []
    for number, source in enumerate(pages):
        if number and _is_web(source):
            time.sleep(settings.crawl.delay)
        trials.append((source, _test(rule, source, base_url, settings, data)))
    if json:
        print_json([trial_as_json(source, trial) for source, trial in trials])
    else:
        _print_trials(trials, bool(base_url), verbose)
    if any(trial.unmet_condition or trial.missing_fields or trial.failure for _, trial in trials):
        raise typer.Exit(1)


def _test(rule: str, source: str, base_url: str, settings: Settings, data: Path) -> SiteRuleTrial:
    page = load_page(source, settings, base_url)
    return try_rule_on_page(rule, page, settings, site_rules_folder(data))


def _is_web(source: str) -> bool:
    return source.lower().startswith(WEB_SCHEMES)


def _list(rules: tuple[SiteRule, ...], json: bool) -> None:
    if json:
        print_json([{"name": r.name, "source": r.source, "matches": _conditions(r)} for r in rules])
        return
    for rule in rules:
        columns = (f"{sanitize(rule.name):20}", sanitize(rule.source), sanitize(_conditions(rule)))
        out.print("  ".join(columns), markup=False)


def _conditions(rule: SiteRule) -> str:
    """The match conditions of a rule in one line."""
    conditions = [*rule.hosts, *(url.pattern for url in rule.urls), *filter(None, [rule.css])]
    return " and ".join(conditions)


def _print_trials(
    trials: list[tuple[str, SiteRuleTrial]], has_base_url: bool, verbose: bool
) -> None:
    for source, trial in trials:
        _print_trial(source, trial, has_base_url or _is_web(source), verbose)
    unmatched = [trial.unmatched_selectors for _, trial in trials if not trial.failure]
    for key, selector in unmatched[0] if unmatched else ():
        if all((key, selector) in selectors for selectors in unmatched):
            _print_line("unmatched", t("cli.site.unmatched_on_all", key=key, selector=selector))


def _print_trial(source: str, trial: SiteRuleTrial, has_url: bool, verbose: bool) -> None:
    """Print what a rule extracts from a page; `has_url` if the page's real URL is known."""
    _print_line("page", source)
    if trial.failure:
        _print_line("failed", message_text(trial.failure))
        return
    mismatch = trial.unmet_condition and _mismatch(trial, has_url)
    _print_line("matches", mismatch or t("cli.site.yes"))
    for name, value in trial.values.items():
        is_missing = name in trial.missing_fields
        text = t("cli.site.missing") if is_missing else as_json.dumps(value, ensure_ascii=False)
        _print_line("field", f"{name} = {text}")
    if trial.unpaired_counts:
        names, values = trial.unpaired_counts
        _print_line("unpaired", t("cli.site.unpaired_counts", names=names, values=values))
    followed, total = trial.link_counts
    _print_line("links", t("cli.site.link_counts", followed=followed, total=total))
    if trial.document is not None:
        _print_line("title", trial.document.title)
        text = trial.document.text
        start = t("cli.site.text_start", count=len(text), start=text[:MAX_TEXT_CHARS])
        _print_line("text", text if verbose else start)


def _mismatch(trial: SiteRuleTrial, has_url: bool) -> str:
    """The condition of a rule that a page does not match, with the page's value."""
    host, url = host_of(trial.url), trial.url
    match trial.unmet_condition:
        case "match.host":
            text = t("cli.site.no_host_match", host=host)
        case "match.url":
            text = t("cli.site.no_url_match", url=url)
        case condition:
            return t("cli.site.no_match", condition=condition)
    return text if has_url else f"{text} {t('cli.site.base_url_hint')}"


def _print_line(name: str, text: str) -> None:
    print_field(t(f"cli.site.{name}"), text, width=LABEL_WIDTH)
