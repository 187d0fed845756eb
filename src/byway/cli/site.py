"""`byway site`: list the site rules, or test one on pages."""

import json as as_json
import time
from enum import StrEnum
from typing import Annotated

import typer

from byway.app.preview.page_preview import (
    SiteRuleTrial,
    list_rules,
    trial_as_json,
    try_rule_on_page,
)
from byway.app.storage import open_storage
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import out, print_field, print_json, sanitize
from byway.cli.support.page_argument import BaseUrlOption, load_page
from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.messages import text as message_text
from byway.core.url import WEB_SCHEMES, host_of

PANEL = "Inspect"
ORDER = 6
LABEL_WIDTH = 10
MAX_TEXT_CHARS = 200
"""Maximum characters of the text shown without -v."""


class SiteAction(StrEnum):
    """Actions of `byway site`."""

    LIST = "list"
    TEST = "test"


ActionArgument = Annotated[SiteAction, typer.Argument(help="List the rules, or test one.")]
RuleArgument = Annotated[
    str, typer.Argument(metavar="RULE", help="Name of the rule to test, or its TOML file.")
]
SourcesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="FILE|URL", help="Pages to test the rule on.")
]


def command(
    action: ActionArgument,
    rule: RuleArgument = "",
    pages: SourcesArgument = None,
    base_url: BaseUrlOption = "",
    allow_private: options.AllowPrivateOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """List site rules, or test one on pages.

    A test shows whether the rule matches the page, the value of each field, and the selectors that
    match nothing. The exit code is 1 if the rule does not match a page, or if a field is missing.
    -v also shows the text.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private})
    files = open_storage(data, settings)
    if action is SiteAction.LIST:
        _list(list_rules(files), json)
        return
    if not rule or not pages:
        raise UsageError("cli.site_test_arguments")
    trials = []
    for number, source in enumerate(pages):
        if number and _is_web(source):
            time.sleep(settings.crawl.delay)
        page = load_page(source, settings, base_url)
        trials.append((source, try_rule_on_page(rule, page, settings, files)))
    if json:
        print_json([trial_as_json(source, trial) for source, trial in trials])
    else:
        _print_trials(trials, bool(base_url), verbose)
    if any(trial.unmet_condition or trial.missing_fields or trial.failure for _, trial in trials):
        raise typer.Exit(1)


def _is_web(source: str) -> bool:
    return source.lower().startswith(WEB_SCHEMES)


def _list(rules: list[dict[str, str]], json: bool) -> None:
    if json:
        print_json(rules)
        return
    for rule in rules:
        name, source, conditions = map(sanitize, rule.values())
        out.print(f"{name:20}  {source}  {conditions}", markup=False)


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
    """Print what a rule extracts from a page; `has_url` means that its real URL is known."""
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
