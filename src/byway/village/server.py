"""HTTP server of the village: one thread, one port, and one loopback host per site.

>>> with Village() as village:
...     village.authority("news").startswith("127.0.0.5:")
True
"""

import asyncio
import errno
import gzip
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from aiohttp import web

from byway.core.errors import BywayError
from byway.village.site import SiteResponse, VillageSite, load_site

SITES_FOLDER = Path(__file__).parent / "sites"
URL_SAFE_CHARS = "/:?#[]@!$&'()*+,;=%~"
"""Characters that need no quoting in URLs."""

MAX_PORT_ATTEMPTS = 50
"""Number of ports to try before giving up."""


@dataclass(frozen=True, slots=True)
class VillageRequest:
    """A logged request."""

    site: str
    authority: str
    path: str
    """Path and query as sent."""
    user_agent: str
    status: int
    received_at: float
    """Unix time."""
    started_at: float
    ended_at: float
    """Start of the request and end of its response, by the monotonic clock."""


class Village:
    """All sites, served for the duration of the `with` block."""

    def __init__(self, port: int = 0, sites: Path = SITES_FOLDER) -> None:
        self.port = port
        self.log: list[VillageRequest] = []
        self._sites = [load_site(folder) for folder in sorted(sites.iterdir()) if folder.is_dir()]
        self._hosts = {site.name: f"127.0.0.{n}" for n, site in enumerate(self._sites, start=2)}
        self._by_host = {self._hosts[site.name]: site for site in self._sites}
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="village", daemon=True
        )
        self._ready = threading.Event()
        self._stopping = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._sockets = _sockets(list(self._hosts.values()), self.port)
        self.port = self._sockets[0].getsockname()[1]
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._loop is not None  # `__enter__` waited for it
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    @property
    def site_names(self) -> list[str]:
        """The sites, in the order of their addresses."""
        return list(self._hosts)

    @property
    def seeds(self) -> list[str]:
        """The front page of every site."""
        return [self.url(name) for name in self._hosts]

    def authority(self, name: str) -> str:
        """The host and port of a site."""
        return f"{self._hosts[name]}:{self.port}"

    def url(self, name: str, path: str = "/") -> str:
        """The URL of a page on a site, by default the front page."""
        return f"http://{self.authority(name)}{quote(path, safe=URL_SAFE_CHARS)}"

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        app = web.Application()
        app.router.add_get("/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        for listener in self._sockets:
            await web.SockSite(runner, listener).start()
        self._ready.set()
        await self._stopping.wait()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        received_at, started_at = time.time(), time.monotonic()
        site = self._site(request)
        site_response = site.respond(request.path, request.query)
        response = self._response(site, site_response, request.headers)
        await asyncio.sleep(site_response.delay)
        await response.prepare(request)
        # Logged before the last byte is sent, so that every answered request is in the log.
        self.log.append(
            VillageRequest(
                site=site.name,
                authority=self.authority(site.name),
                path=request.raw_path,
                user_agent=request.headers.get("User-Agent", ""),
                status=response.status,
                received_at=received_at,
                started_at=started_at,
                ended_at=time.monotonic(),
            )
        )
        await response.write_eof()
        return response

    def _site(self, request: web.Request) -> VillageSite:
        assert request.transport is not None  # set while a request is handled
        host: str = request.transport.get_extra_info("sockname")[0]
        return self._by_host[host]

    def _response(
        self, site: VillageSite, site_response: SiteResponse, request_headers: Mapping[str, str]
    ) -> web.Response:
        body = (
            self._insert_addresses(site_response.body)
            if site_response.is_text
            else site_response.body
        )
        headers = {"Content-Type": site_response.content_type, **site_response.headers}
        if "Location" in headers:
            headers["Location"] = self._insert_addresses(headers["Location"].encode()).decode()
        if site_response.modified_at is not None:
            headers |= _validators(body, site_response.modified_at)
            if _is_not_modified(headers, request_headers):
                del headers["Content-Type"]
                return web.Response(status=304, headers=headers)
        if site.gzip and site_response.is_text and body:
            headers["Vary"] = "Accept-Encoding"
            if "gzip" in request_headers.get("Accept-Encoding", ""):
                headers["Content-Encoding"] = "gzip"
                body = gzip.compress(body, mtime=0)
        return web.Response(status=site_response.status, headers=headers, body=body)

    def _insert_addresses(self, text: bytes) -> bytes:
        """Replace site names in braces with the addresses of the sites."""
        for name in self._hosts:
            text = text.replace(b"{%s}" % name.encode(), self.authority(name).encode())
        return text


def _validators(body: bytes, modified: float) -> dict[str, str]:
    # Weak, because a page has the same tag whether compressed or not.
    tag = f'W/"{blake2b(body, digest_size=8).hexdigest()}"'
    return {"ETag": tag, "Last-Modified": formatdate(modified, usegmt=True)}


def _is_not_modified(headers: Mapping[str, str], request_headers: Mapping[str, str]) -> bool:
    """Whether the client already has this version, judged by its ETag or else by its date."""
    if tags := request_headers.get("If-None-Match"):
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return "*" in known or headers["ETag"].removeprefix("W/") in known
    try:
        since = parsedate_to_datetime(request_headers.get("If-Modified-Since", ""))
        return parsedate_to_datetime(headers["Last-Modified"]) <= since
    except (TypeError, ValueError):
        return False


def _sockets(hosts: list[str], preferred_port: int) -> list[socket.socket]:
    """Listening sockets on every host, all on the same port: the preferred one if free."""
    for port in [preferred_port] + [0] * MAX_PORT_ATTEMPTS:
        bound: list[socket.socket] = []
        try:
            for host in hosts:
                bound.append(_listener(host, bound[0].getsockname()[1] if bound else port))
        except OSError as error:
            for opened in bound:
                opened.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise BywayError(
                    "village.no_addresses",
                    first=hosts[0],
                    last=hosts[-1],
                    detail=error.strerror,
                ) from error
        else:
            return bound
    raise BywayError("village.no_free_port")


def _listener(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener
