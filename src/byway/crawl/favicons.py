"""What does a host look like? Its favicon, asked for until there is an answer."""

from collections.abc import Callable

from byway.core.content_encoding import decoded, picture_kind
from byway.core.errors import FetchError, Unreachable, UrlError
from byway.core.model import Url, Visit
from byway.core.url import host_of, normalise
from byway.crawl.http.fetcher import REDIRECTS, Fetches, target_of
from byway.crawl.outcome import is_trouble

PLACE = "/favicon.ico"
MOST_BYTES = 50_000
HOPS = 2
"""Redirects that are followed, on the same host."""


async def fetch_icon(fetcher: Fetches, page: Url, allowed: Callable[[Url], bool]) -> bytes | None:
    """The icon of the host of `page`: empty when it has none that we would show.

    None when the host is in trouble, and may have one another day.
    """
    url, host = normalise(PLACE, page), host_of(page)
    try:
        for _ in range(1 + HOPS):
            if host_of(url) != host or not allowed(url):
                return b""
            answer = await fetcher.fetch(Visit(url), any_type=True, first=MOST_BYTES + 1)
            if answer.status not in REDIRECTS:
                break
            url = target_of(answer)
        picture = decoded(answer.body, answer.header("content-encoding"), MOST_BYTES)
    except Unreachable:
        return None
    except (FetchError, UrlError):
        return b""
    if is_trouble(answer):
        return None
    fits = answer.status == 200 and len(answer.body) <= MOST_BYTES and picture_kind(picture)
    return picture if fits else b""
