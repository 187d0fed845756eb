"""How soon does a page of results begin to come? The whole site on a loopback port, asked by HTTP.

Server and asker share this process, so its CPU seconds are those of both.
"""

import http.client
import time
from collections.abc import Callable, Sequence
from urllib.parse import urlencode, urlsplit

from bench.speed.search.engines import query_text
from bench.speed.search.queries import BenchQuery
from byway.core.model import Query, Results, Status
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.server import serve_in_thread

WARM_UP_QUERIES = 50


def measure_first_byte(
    search: Callable[[Query], Results], pages: int, queries: Sequence[BenchQuery]
) -> tuple[list[float], list[float], list[int]]:
    """Seconds until the first byte by the clock and of CPU, and bytes as they travel."""
    status = Status(pages=pages, indexed=pages)
    app = make_app(search, lambda: status, ServeSettings())
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        where = urlsplit(url).netloc
        for one in queries[:: max(1, len(queries) // WARM_UP_QUERIES)]:
            _ask(where, one)
        found = [_ask(where, one) for one in queries]
    clock, cpu, sizes = zip(*found, strict=True)
    return list(clock), list(cpu), list(sizes)


def _ask(where: str, one: BenchQuery) -> tuple[float, float, int]:
    connection = http.client.HTTPConnection(where)
    clock, cpu = time.perf_counter(), time.process_time()
    target = "/search?" + urlencode({"q": query_text(one)})
    connection.request("GET", target, headers={"Accept-Encoding": "gzip"})
    response = connection.getresponse()
    begun = response.read(1)
    took = time.perf_counter() - clock, time.process_time() - cpu
    size = len(begun) + len(response.read())
    connection.close()
    assert response.status == 200, f"{target}: {response.status}"
    return *took, size
