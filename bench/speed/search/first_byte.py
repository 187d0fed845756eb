"""Time to first byte of the search page, over HTTP on a loopback port.

Server and client share this process, so its CPU seconds are those of both.
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
    """Wall time and CPU time until the first byte, and compressed sizes."""
    status = Status(pages=pages, indexed=pages)
    app = make_app(search, lambda: status, ServeSettings())
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        host = urlsplit(url).netloc
        for query in queries[:: max(1, len(queries) // WARM_UP_QUERIES)]:
            _request(host, query)
        found = [_request(host, query) for query in queries]
    clock, cpu, sizes = zip(*found, strict=True)
    return list(clock), list(cpu), list(sizes)


def _request(host: str, query: BenchQuery) -> tuple[float, float, int]:
    connection = http.client.HTTPConnection(host)
    clock, cpu = time.perf_counter(), time.process_time()
    target = "/search?" + urlencode({"q": query_text(query)})
    connection.request("GET", target, headers={"Accept-Encoding": "gzip"})
    response = connection.getresponse()
    first = response.read(1)
    seconds = time.perf_counter() - clock, time.process_time() - cpu
    size = len(first) + len(response.read())
    connection.close()
    assert response.status == 200, f"{target}: {response.status}"
    return *seconds, size
