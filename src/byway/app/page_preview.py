"""What does one page say? Fetched and read as a crawl does it, and not stored."""

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from byway.core.errors import FetchError, UsageError
from byway.core.model import Extracted, Page, Url, Visit
from byway.core.settings.schema import Settings
from byway.core.url import host_of
from byway.crawl.http.fetcher import REDIRECTS, Fetcher, fetch_robots, target_of
from byway.crawl.http.ssrf_guard import Guard
from byway.crawl.robots.parser import product_token
from byway.extract.site_rules.load import RulesNow, load, look_at, named
from byway.extract.site_rules.rule import Rule
from byway.extract.site_rules.trial import Trial, tried
from byway.extract.worker.pool import Readers
from byway.products.vocabulary.lookup import Vocabulary

__all__ = [
    "Rule",
    "RulesNow",
    "Trial",
    "all_rules",
    "fetched",
    "from_file",
    "read",
    "read_each",
    "rules_now",
    "trial",
]

MOST_HOPS = 5
#: What files are by the ends of their names; others are known by their first bytes.
KINDS = {
    ".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown", ".markdown": "text/markdown", ".txt": "text/plain",
    ".pdf": "application/pdf",
}  # fmt: skip


async def fetched(url: Url, settings: Settings) -> Page:
    """The page at a URL or at the end of its redirects, if robots.txt and address allow it."""
    async with Fetcher(settings.crawl, Guard(settings.crawl.allow_private), time.time) as fetcher:
        for _ in range(MOST_HOPS):
            await _ask(url, settings, fetcher)
            page = await fetcher.fetch(Visit(url))
            if page.status not in REDIRECTS:
                break
            url = target_of(page)
    if page.status in REDIRECTS:
        raise FetchError(f"{url}: more than {MOST_HOPS} redirects")
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


def from_file(path: Path, url: Url, most: int) -> Page:
    """A page in a file, as if it had come from `url`; too large a one is not read."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file in it, or a URL")
    if not path.is_file():
        raise UsageError(f"no such file: {path}; a URL begins with http:// or https://")
    if path.stat().st_size > most:
        raise UsageError(f"{path} is larger than {most:,} bytes; see crawl.max_bytes")
    kind = KINDS.get(path.suffix.lower(), "")
    headers = (("Content-Type", kind),) if kind else ()
    return Page(url, time.time(), 200, headers, path.read_bytes())


async def read(
    page: Page, settings: Settings, rules: Path | None, vocabulary: Vocabulary | None = None
) -> Extracted:
    """What a page says, from a reader of its own; `rules` is the folder of the user's rules."""
    (found,) = await read_each([page], settings, rules, vocabulary)
    return found


async def read_each(
    pages: Iterable[Page],
    settings: Settings,
    rules: Path | None,
    vocabulary: Vocabulary | None = None,
) -> list[Extracted]:
    """What each of these pages says, from one reader."""
    one = replace(settings.extract, workers=1)
    async with Readers(one, settings.crawl.max_bytes, rules, vocabulary) as readers:
        return [await readers.read(page) for page in pages]


def rules_now(folder: Path | None) -> RulesNow:
    """The rules as their files are now, and what is wrong with those that cannot be read."""
    return look_at(folder)


def all_rules(folder: Path | None) -> tuple[Rule, ...]:
    """The rules there are, in the order in which they are tried."""
    return load(folder)


def trial(name: str, page: Page, settings: Settings, rules: Path | None) -> Trial:
    """The rule of that name or in that file, tried on a page."""
    return tried(named(name, rules), page, settings.extract, settings.crawl.max_bytes)
