"""What does one page say? Fetched and read as a crawl does it, and not stored."""

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from byway.core.errors import FetchError, UsageError
from byway.core.media_types import media_type_of_extension
from byway.core.model import ExtractionResult, Page, Url, Visit
from byway.core.settings.schema import Settings
from byway.core.url import host_of
from byway.crawl.http.fetcher import REDIRECT_STATUSES, Fetcher, fetch_robots, redirect_target
from byway.crawl.http.ssrf_guard import SsrfGuard
from byway.crawl.robots.parser import product_token
from byway.extract.site_rules.load import SiteRuleSet, find_rule, load_rules, load_rules_with_errors
from byway.extract.site_rules.rule import SiteRule
from byway.extract.site_rules.trial import SiteRuleTrial, run_trial
from byway.extract.worker.pool import WorkerPool
from byway.products.vocabulary.lookup import ProductVocabulary

__all__ = [
    "SiteRule",
    "SiteRuleSet",
    "SiteRuleTrial",
    "all_rules",
    "check_rules",
    "extract_page",
    "extract_pages",
    "fetch_page",
    "page_from_file",
    "try_rule_on_page",
]

MAX_REDIRECTS = 5


async def fetch_page(url: Url, settings: Settings) -> Page:
    """The page at a URL or at the end of its redirects, if robots.txt and address allow it."""
    async with Fetcher(
        settings.crawl, SsrfGuard(settings.crawl.allow_private), time.time
    ) as fetcher:
        for _ in range(MAX_REDIRECTS):
            await _ask(url, settings, fetcher)
            page = await fetcher.fetch(Visit(url))
            if page.status not in REDIRECT_STATUSES:
                break
            url = redirect_target(page)
    if page.status in REDIRECT_STATUSES:
        raise FetchError(f"{url}: more than {MAX_REDIRECTS} redirects")
    if page.status != 200:
        raise FetchError(f"{url} answered {page.status}")
    return page


async def _ask(url: Url, settings: Settings, fetcher: Fetcher) -> None:
    if host_of(url) in settings.crawl.ignore_robots:
        return
    robots = await fetch_robots(fetcher, url)
    decision = robots.decide(product_token(settings.crawl.user_agent), url)
    if not decision.allowed:
        if not decision.line:
            raise FetchError(f"{url} is not asked for: {decision.rule}")
        raise FetchError(
            f"{url} is forbidden by line {decision.line} of robots.txt: {decision.rule}"
        )


def page_from_file(path: Path, url: Url, max_bytes: int) -> Page:
    """A page in a file, as if it had come from `url`; too large a one is not read."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file in it, or a URL")
    if not path.is_file():
        raise UsageError(f"no such file: {path}; a URL begins with http:// or https://")
    if path.stat().st_size > max_bytes:
        raise UsageError(f"{path} is larger than {max_bytes:,} bytes; see crawl.max_bytes")
    media_type = media_type_of_extension(path.suffix)
    headers = (("Content-Type", media_type),) if media_type else ()
    return Page(url, time.time(), 200, headers, path.read_bytes())


async def extract_page(
    page: Page, settings: Settings, rules: Path | None, vocabulary: ProductVocabulary | None = None
) -> ExtractionResult:
    """What a page says, from a reader of its own; `rules` is the folder of the user's rules."""
    (found,) = await extract_pages([page], settings, rules, vocabulary)
    return found


async def extract_pages(
    pages: Iterable[Page],
    settings: Settings,
    rules: Path | None,
    vocabulary: ProductVocabulary | None = None,
) -> list[ExtractionResult]:
    """What each of these pages says, from one reader."""
    one = replace(settings.extract, workers=1)
    async with WorkerPool(one, settings.crawl.max_bytes, rules, vocabulary) as readers:
        return [await readers.extract(page) for page in pages]


def check_rules(folder: Path | None) -> SiteRuleSet:
    """The rules as their files are now, and what is wrong with those that cannot be read."""
    return load_rules_with_errors(folder)


def all_rules(folder: Path | None) -> tuple[SiteRule, ...]:
    """The rules there are, in the order in which they are tried."""
    return load_rules(folder)


def try_rule_on_page(
    name: str, page: Page, settings: Settings, rules: Path | None
) -> SiteRuleTrial:
    """The rule of that name or in that file, tried on a page."""
    return run_trial(find_rule(name, rules), page, settings.extract, settings.crawl.max_bytes)
