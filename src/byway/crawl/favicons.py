"""Favicon fetcher."""

from collections.abc import Callable

from byway.core.content_encoding import decode_body, image_media_type
from byway.core.errors import FetchError, UnreachableError, UrlError
from byway.core.model import Url, Visit
from byway.core.url import host_of, normalize
from byway.crawl.http.fetcher import REDIRECT_STATUSES, PageFetcher, redirect_target
from byway.crawl.outcome import is_host_failure

FAVICON_PATH = "/favicon.ico"
MAX_FAVICON_BYTES = 50_000
MAX_FAVICON_REDIRECTS = 2
"""Maximum redirects to follow; all must stay on the same host."""


async def fetch_icon(
    fetcher: PageFetcher, page: Url, allowed: Callable[[Url], bool]
) -> bytes | None:
    """The favicon of the host of `page`; empty if there is none that can be displayed.

    None if the host did not answer or failed, so that the request can be repeated later.
    """
    url, host = normalize(FAVICON_PATH, page), host_of(page)
    try:
        for _ in range(1 + MAX_FAVICON_REDIRECTS):
            if host_of(url) != host or not allowed(url):
                return b""
            response = await fetcher.fetch(
                Visit(url), any_type=True, truncate_at=MAX_FAVICON_BYTES + 1
            )
            if response.status not in REDIRECT_STATUSES:
                break
            url = redirect_target(response)
        icon = decode_body(response.body, response.header("content-encoding"), MAX_FAVICON_BYTES)
    except UnreachableError:
        return None
    except (FetchError, UrlError):
        return b""
    if is_host_failure(response):
        return None
    fits = (
        response.status == 200
        and len(response.body) <= MAX_FAVICON_BYTES
        and image_media_type(icon)
    )
    return icon if fits else b""
