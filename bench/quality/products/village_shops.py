"""The shops of the village, crawled and searched."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from byway.app.search import SearchSession, search_session
from byway.core.model import Query, Results
from byway.core.settings.schema import Settings
from byway.core.url import normalize
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village

SHOPS = ("shop", "uppers")
LOOPBACK_NETWORK = "127.0.0.0/8"
MAX_HITS = 100


class VillageShops:
    """A search session over the shops of the village."""

    def __init__(self, village: Village, session: SearchSession) -> None:
        self._village = village
        self._session = session

    def search(self, text: str, products: bool = True) -> Results:
        """The results of a query; {shop} in it is replaced by the shop's host."""
        for name in SHOPS:
            text = text.replace(f"{{{name}}}", self._village.authority(name))
        return self._session.search(Query(text, MAX_HITS, vertical="products" if products else ""))

    def paths(self, results: Results) -> list[str]:
        """The pages of the hits, as `shop/ru/tufli/`."""
        return [self._path(hit.url) for hit in results.hits]

    def _path(self, url: str) -> str:
        for name in SHOPS:
            if url.startswith(start := normalize(self._village.url(name))):
                return f"{name}/{url.removeprefix(start)}"
        return url


@contextmanager
def crawl_shops(folder: Path) -> Iterator[VillageShops]:
    """Serve the village, crawl its shops into a folder, and open it."""
    with Village() as village:
        seeds = [village.url(name) for name in SHOPS]
        _run(folder, "crawl", *seeds, "--delay", "0", "--allow-private", LOOPBACK_NETWORK)
        _run(folder, "index")
        with search_session(SqliteStorage(folder), Settings()) as session:
            yield VillageShops(village, session)


def _run(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "byway", *arguments, "--data", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
