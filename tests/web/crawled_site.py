"""A site written for a test, crawled into a real folder and served by the real search page."""

import asyncio
import http.server
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from serving import QuickShutdownServer
from web.fake_site import HttpBrowser

from byway.app.engine import Engine
from byway.app.pages import PageArchive
from byway.core.settings.schema import CrawlSettings, ServeSettings, Settings
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.storage.sqlite.storage import SqliteStorage
from byway.web.app import make_app
from byway.web.server import serve_in_thread


@dataclass
class LocalSite:
    """Pages by path, which a test may change; `requested_paths` is what was asked for."""

    pages: dict[str, str]
    requested_paths: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def local_site(
    pages: Mapping[str, str], address: str = "127.0.0.1", encoding: str = "utf-8"
) -> Iterator[LocalSite]:
    """The pages on a port of a loopback address."""
    site = LocalSite(dict(pages))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requested_paths.append(self.path)
            page = site.pages.get(self.path)
            body = (page or "").encode(encoding, "surrogatepass")
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", f"text/html; charset={encoding}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = QuickShutdownServer((address, 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    site.url = f"http://{address}:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def engine_at(path: Path, **serve: object) -> Engine:
    """An engine that crawls this machine at once."""
    crawl = CrawlSettings(delay=0, max_retries=0, allow_private=("127.0.0.0/8",))
    return Engine(path, Settings(crawl=crawl, serve=ServeSettings(**serve)))  # type: ignore[arg-type]


def crawl(engine: Engine, site: LocalSite, recrawl: bool = False) -> None:
    """Crawl and index it. In a thread: whoever drives a browser has an event loop already."""

    def work() -> None:
        if recrawl:  # every page is due, as it would be in a few days
            with closing(open_to_write(SqliteStorage(engine.storage.path).crawl_db)) as db:
                db.execute("update revisit set revisit_at = 0")
        seeds = [] if recrawl else [normalize(site.url)]
        due = time.time() if recrawl else 0.0
        asyncio.run(engine.crawl(seeds, lambda crawler: None, due))
        engine.index()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


@contextmanager
def served_search(engine: Engine) -> Iterator[HttpBrowser]:
    """The search page over what was crawled."""
    with engine.search_session() as reading:
        app = make_app(
            reading.search,
            reading.status,
            engine.settings.serve,
            suggest=reading.suggest,
            archive=PageArchive(engine.storage, engine.settings, reading),
            index_status=reading.index_status,
        )
        with serve_in_thread(app, "127.0.0.1", 0) as url:
            yield HttpBrowser(url)
