"""Preview of one page: fetched and extracted as in a crawl, but not stored."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from byway.app.verticals.vertical_folders import load_verticals
from byway.core.errors import FetchError, UsageError
from byway.core.media_types import media_type_of_extension
from byway.core.messages import message_as_json
from byway.core.model import Page, Url, Visit
from byway.core.settings.schema import Settings
from byway.core.url import host_of
from byway.crawl.http.fetcher import REDIRECT_STATUSES, Fetcher, fetch_robots, redirect_target
from byway.crawl.robots import product_token
from byway.extract.site_rules.load import find_rule, load_rules
from byway.extract.site_rules.rule import SiteRule
from byway.extract.site_rules.trial import SiteRuleTrial as SiteRuleTrial
from byway.extract.site_rules.trial import run_trial

if TYPE_CHECKING:  # ports import numpy, which an extraction does not need
    from byway.core.ports import UserFiles

MAX_PREVIEW_REDIRECTS = 5
"""Redirects in a row that a preview follows; a crawl has `MAX_REDIRECTS` in `crawl/outcome.py`."""


async def fetch_page(url: Url, settings: Settings) -> Page:
    """The page at a URL or at the end of its redirects, if robots.txt and the address allow it."""
    async with Fetcher(settings.crawl) as fetcher:
        for _ in range(MAX_PREVIEW_REDIRECTS):
            await _check_robots(url, settings, fetcher)
            page = await fetcher.fetch(Visit(url))
            if page.status not in REDIRECT_STATUSES:
                break
            url = redirect_target(page)
    if page.status in REDIRECT_STATUSES:
        raise FetchError("page_redirects", url=url, limit=MAX_PREVIEW_REDIRECTS)
    if page.status != 200:
        raise FetchError("page_status", url=url, status=page.status)
    return page


async def _check_robots(url: Url, settings: Settings, fetcher: Fetcher) -> None:
    if host_of(url) in settings.crawl.ignore_robots:
        return
    robots = await fetch_robots(fetcher, url)
    decision = robots.decide(product_token(settings.crawl.user_agent), url)
    if not decision.allowed:
        raise FetchError("page_forbidden", url=url, cause=decision.reason)


def page_from_file(path: Path, url: Url, max_bytes: int) -> Page:
    """A page from a file, as if fetched from `url`; raises an error if it is too large."""
    if path.is_dir():
        raise UsageError("app.file_is_folder", path=path)
    if not path.is_file():
        raise UsageError("app.no_such_file", path=path)
    if path.stat().st_size > max_bytes:
        raise UsageError("app.file_too_large", path=path, max_bytes=max_bytes)
    media_type = media_type_of_extension(path.suffix)
    headers = (("Content-Type", media_type),) if media_type else ()
    return Page(url, time.time(), 200, headers, path.read_bytes())


def list_rules(files: "UserFiles") -> list[dict[str, str]]:
    """Name, source and conditions of each site rule, in the order in which they are tried."""
    return [
        {"name": rule.name, "source": rule.source, "matches": _conditions(rule)}
        for rule in load_rules(files.site_rules)
    ]


def _conditions(rule: SiteRule) -> str:
    conditions = [*rule.hosts, *(url.pattern for url in rule.urls), *filter(None, [rule.css])]
    return " and ".join(conditions)


def try_rule_on_page(
    name: str, page: Page, settings: Settings, files: "UserFiles"
) -> SiteRuleTrial:
    """Try the site rule with that name or file on a page."""
    verticals = load_verticals(str(files.path))
    rule, max_bytes = find_rule(name, files.site_rules), settings.crawl.max_bytes
    return run_trial(rule, page, settings.extract, max_bytes, verticals)


def trial_as_json(source: str, trial: SiteRuleTrial) -> dict[str, object]:
    """The result of a trial as JSON values, with the source of the page."""
    document = trial.document
    return {
        "page": source,
        "matches": not trial.unmet_condition and not trial.failure,
        "mismatch": trial.unmet_condition,
        "failure": message_as_json(trial.failure),
        "fields": trial.values,
        "missing_fields": trial.missing_fields,
        "unpaired_attributes": trial.unpaired_counts,
        "selectors": [
            {"key": key, "css": css, "matches": count} for key, css, count in trial.selector_counts
        ],
        "links": {"followed": trial.link_counts[0], "total": trial.link_counts[1]},
        "title": document.title if document else "",
        "text": document.text if document else "",
    }
