"""HTTP fetcher: one request, one hop, within time and size limits.

    async with Fetcher(settings.crawl) as fetcher:
        page = await fetcher.fetch(Visit(url))

It follows no redirects, keeps no cookies, ignores proxy environment variables and leaves the body
compressed. A failed request raises `errors.FetchError` with a reason.
"""

import asyncio
import errno
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Protocol, Self

import aiohttp
from aiohttp.http_exceptions import LineTooLong
from yarl import URL

from byway.core import content_encoding
from byway.core.errors import FetchError, RejectedContentError, UnreachableError, UrlError
from byway.core.messages import Reason
from byway.core.model import Page, RobotsFile, Url, Visit
from byway.core.settings.schema import CrawlSettings
from byway.core.url import bare_host, host_of, normalize
from byway.crawl.http.ssrf_guard import GuardedResolver, SsrfGuard
from byway.crawl.robots import MAX_ROBOTS_BYTES, RobotsRules, disallow_all, from_response

REDIRECT_STATUSES = frozenset((301, 302, 303, 307, 308))

MAX_ROBOTS_REDIRECTS = 10
"""Maximum redirects followed from a robots.txt; RFC 9309 asks for at least five."""

MAX_HEADER_BYTES = 16_384
MAX_HEADERS = 128
AIOHTTP_TOO_MANY_HEADERS = "Too many headers received"


class PageFetcher(Protocol):
    """Anything that fetches pages: a `Fetcher` or a `PoliteFetcher`."""

    async def fetch(
        self, target: Visit, *, any_type: bool = False, truncate_at: int = 0
    ) -> Page: ...


class Fetcher:
    """Fetches many pages at a time over keep-alive connections."""

    BODY_GRACE_SECONDS = 10.0
    """Seconds before the transfer rate of a body is checked."""
    MIN_BYTES_PER_SECOND = 100
    """Minimum average transfer rate of a body; guards against servers that drip bytes."""

    MAX_TINY_CHUNKS = 10_000
    """Maximum chunks below 8 bytes on average: 8 MB in 1-byte chunks take 5 s of CPU time."""

    def __init__(self, settings: CrawlSettings, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._media_types = frozenset(settings.media_types)
        self._guard = SsrfGuard(settings.allow_private)
        self._clock = clock
        self.any_host_answered = False
        """Whether any host sent a response, whatever its status."""

    async def __aenter__(self) -> Self:
        self._resolver = GuardedResolver(self._guard)
        self._session = aiohttp.ClientSession(
            connector=self._connector(),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={
                "User-Agent": self._settings.user_agent,
                "Accept": ", ".join((*self._settings.media_types, "*/*;q=0.1")),
                "Accept-Encoding": content_encoding.ACCEPT_ENCODING,
            },
            auto_decompress=False,
            trust_env=False,
            timeout=aiohttp.ClientTimeout(total=None),  # `fetch` sets the timeout
            max_field_size=MAX_HEADER_BYTES,
            max_headers=MAX_HEADERS,
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()
        await self._resolver.close()

    def _connector(self) -> aiohttp.TCPConnector:
        return aiohttp.TCPConnector(
            resolver=self._resolver,
            socket_factory=self._guard.socket_factory,
            use_dns_cache=False,  # the resolver has its own cache, which politeness uses too
            limit=2 * self._settings.concurrency,
            limit_per_host=1,
            keepalive_timeout=15,
        )

    async def resolve_address(self, url: Url) -> str:
        """The IP address of a URL's host; raises `AddressBlockedError` if it is not allowed."""
        host = bare_host(host_of(url))
        if host[0] == "[" or host.replace(".", "").isdigit():
            self._guard.check(host.strip("[]"))
            return host
        try:
            return (await self._resolver.resolve(host))[0]["host"]
        except OSError as error:
            raise UnreachableError("no_such_host", host=host) from error

    async def fetch(
        self,
        target: Visit,
        headers: Mapping[str, str] | None = None,
        *,
        any_type: bool = False,
        truncate_at: int = 0,
    ) -> Page:
        """The response to one GET. Only the body of a 2xx is read, up to `truncate_at` bytes.

        `any_type` accepts every media type, as servers send robots.txt and sitemaps with many.
        """
        status, arrived = 0, bytearray()
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._settings.timeout) as deadline:
                async with self._session.get(
                    URL(target.url, encoded=True), headers=headers, allow_redirects=False
                ) as response:
                    status = response.status
                    self.any_host_answered = True
                    if 200 <= status < 300:
                        self._check_headers(response, any_type, truncate_at)
                        await self._read_body(response.content, arrived, deadline, truncate_at)
        except TimeoutError as error:
            # A busy event loop notices a timeout late, so the time is capped at the setting.
            seconds = min(asyncio.get_running_loop().time() - started, self._settings.timeout)
            raise _timeout_error(status, len(arrived), seconds) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _fetch_error(error, target.url, len(arrived)) from error
        return Page(
            target.url,
            self._clock(),
            status,
            tuple(
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in response.raw_headers
            ),
            bytes(arrived),
            target.id,
        )

    def _check_headers(
        self, response: aiohttp.ClientResponse, any_type: bool, truncate_at: int
    ) -> None:
        """Raise `RejectedContentError` if the headers rule the page out."""
        media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if media_type and not any_type and media_type not in self._media_types:
            raise RejectedContentError("type_not_kept", media_type=media_type[:60])
        size = response.content_length
        if size is not None and size > self._settings.max_bytes and not truncate_at:
            raise RejectedContentError("too_large", bytes=size, max_bytes=self._settings.max_bytes)

    async def _read_body(
        self,
        content: aiohttp.StreamReader,
        arrived: bytearray,
        deadline: asyncio.Timeout,
        truncate_at: int,
    ) -> None:
        """Append the body to `arrived`; shorten the deadline if the transfer is slow."""
        start, end = asyncio.get_running_loop().time(), deadline.when()
        assert end is not None  # asyncio.timeout was given a number
        chunks = 0
        while not content.at_eof():
            if not content.is_eof():  # else the whole body has arrived
                deadline.reschedule(
                    min(
                        end,
                        start
                        + max(self.BODY_GRACE_SECONDS, len(arrived) / self.MIN_BYTES_PER_SECOND),
                    )
                )
            chunk, _ = await content.readchunk()
            arrived += chunk
            chunks += 1
            if truncate_at and len(arrived) >= truncate_at:
                del arrived[truncate_at:]
                return
            if len(arrived) > self._settings.max_bytes and not truncate_at:
                raise RejectedContentError(
                    "too_large_so_far", bytes=len(arrived), max_bytes=self._settings.max_bytes
                )
            if chunks > self.MAX_TINY_CHUNKS and len(arrived) < 8 * chunks:
                raise RejectedContentError("tiny_chunks", chunks=chunks, bytes=len(arrived))


async def fetch_robots(fetcher: PageFetcher, host_url: Url) -> RobotsRules:
    """The robots.txt rules for `host_url`; they forbid everything while it is unavailable."""
    file = await fetch_robots_file(fetcher, host_url)
    return from_response(file.status, file.body) if isinstance(file, RobotsFile) else file


async def fetch_robots_file(fetcher: PageFetcher, host_url: Url) -> RobotsFile | RobotsRules:
    """The robots.txt file for `host_url`, or the rules that apply if it is unavailable."""
    url = normalize("/robots.txt", host_url)
    try:
        for _ in range(1 + MAX_ROBOTS_REDIRECTS):
            page = await fetcher.fetch(Visit(url), any_type=True, truncate_at=MAX_ROBOTS_BYTES + 1)
            if page.status not in REDIRECT_STATUSES:
                break
            url = redirect_target(page)
        text = page.body and content_encoding.decode_body(
            page.body, page.header("content-encoding"), 16 * MAX_ROBOTS_BYTES
        )
    except UrlError:
        text = b""  # an invalid redirect counts as no file
    except (UnreachableError, RejectedContentError) as error:
        return disallow_all(Reason("robots_unavailable", cause=error.reason))
    return RobotsFile(page.fetched_at, page.status, text[:MAX_ROBOTS_BYTES])


def redirect_target(page: Page) -> Url:
    """The URL a redirect points to."""
    # Some servers send raw UTF-8, but headers are decoded as Latin-1.
    location = page.header("location").encode("latin-1").decode("utf-8", "replace")
    if not location.strip():
        raise UrlError("crawl.redirect_without_location", status=page.status, url=page.url)
    return normalize(location, page.url)


def _timeout_error(status: int, arrived: int, seconds: float) -> UnreachableError:
    if not status:
        return UnreachableError("no_answer", seconds=float(f"{seconds:.3g}"))
    return UnreachableError("too_slow", bytes=arrived, seconds=float(f"{seconds:.3g}"))


def _fetch_error(error: Exception, url: Url, arrived: int) -> FetchError:
    host = host_of(url)
    if isinstance(error, aiohttp.ClientConnectorError):
        return _connection_error(error, host)
    if isinstance(error, aiohttp.ClientPayloadError):
        return UnreachableError("connection_cut", bytes=arrived)
    if isinstance(error, aiohttp.ClientResponseError):
        if _is_over_header_limit(error):
            return RejectedContentError(
                "headers_too_large", max_bytes=MAX_HEADER_BYTES, max_headers=MAX_HEADERS
            )
        return UnreachableError("not_http", host=host)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return UnreachableError("no_response", host=host)
    if isinstance(error, OSError):
        return UnreachableError("connection_lost", host=host, detail=error.strerror or str(error))
    return UnreachableError("request_failed", host=host, detail=str(error))


def _is_over_header_limit(error: aiohttp.ClientResponseError) -> bool:
    """Whether a header is too long, or there are too many."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, LineTooLong):
        cause = cause.__cause__
    # aiohttp has no error class for too many headers, only this message.
    return cause is not None or error.message == AIOHTTP_TOO_MANY_HEADERS


def _connection_error(error: aiohttp.ClientConnectorError, host: str) -> UnreachableError:
    cause = error.os_error
    detail = cause.strerror or str(cause)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        if isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN:
            return UnreachableError("no_such_host", host=host)
        return UnreachableError("dns_failed", host=host, detail=str(cause))
    if isinstance(cause, ssl.SSLCertVerificationError):
        return UnreachableError("certificate_invalid", host=host, detail=cause.verify_message)
    if isinstance(cause, ssl.SSLError):
        detail = (cause.reason or str(cause)).replace("_", " ").lower()
        return UnreachableError("tls_failed", host=host, detail=detail)
    address = f"{error.host}:{error.port}"
    if cause.errno == errno.ECONNREFUSED:
        return UnreachableError("connection_refused", address=address)
    return UnreachableError("cannot_connect", address=address, detail=detail)
