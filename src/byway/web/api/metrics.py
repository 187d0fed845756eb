"""Request metrics in the Prometheus text format."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from fastapi.responses import PlainTextResponse

from byway.core.model import Status
from byway.core.model.account import ApiKeyScope
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

if TYPE_CHECKING:
    from byway.web.context import WebContext
    from byway.web.middleware.load_shedding import AdmissionQueue

LATENCY_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the latency histogram."""
METRICS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN, key_scope=ApiKeyScope.METRICS)


class Metrics:
    """Counters of requests. Only the event loop writes them, so there is no lock."""

    def __init__(self) -> None:
        self.queues: dict[RequestClass, AdmissionQueue] = {}
        self._responses: Counter[tuple[str, int]] = Counter()
        self._rejections: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._buckets: dict[str, list[int]] = {}

    def count_response(self, request_class: str, status: int, seconds: float) -> None:
        """Count a response."""
        self._responses[request_class, status] += 1
        self._seconds[request_class] += seconds
        counts = self._buckets.setdefault(request_class, [0] * (len(LATENCY_BUCKETS_SECONDS) + 1))
        counts[bisect_left(LATENCY_BUCKETS_SECONDS, seconds)] += 1

    def count_rejection(self, request_class: str) -> None:
        """Count a request that was rejected because of load."""
        self._rejections[request_class] += 1

    def render_prometheus(
        self, status: Status, free_disk_bytes: int = 0, memory_bytes: int = 0
    ) -> str:
        """All metrics in the Prometheus text format."""
        return "".join(f"{line}\n" for line in self._lines(status, free_disk_bytes, memory_bytes))

    def _lines(self, status: Status, free: int, memory: int) -> Iterator[str]:
        responses = (
            (f'{{request_class="{name}",status="{code}"}}', count)
            for (name, code), count in sorted(self._responses.items())
        )
        yield from _family("byway_requests_total", "counter", "Requests answered.", responses)
        yield from self._by_class(
            "byway_rejected_requests_total",
            "counter",
            "Requests rejected because of load.",
            {name: self._rejections[name] for name in self.queues},
        )
        yield from self._by_class(
            "byway_requests_in_progress",
            "gauge",
            "Requests in progress.",
            {name: queue.running for name, queue in self.queues.items()},
        )
        yield from self._by_class(
            "byway_requests_queued",
            "gauge",
            "Requests in the admission queue.",
            {name: queue.waiting for name, queue in self.queues.items()},
        )
        yield from self._histogram()
        urls = ((f'{{state="{state}"}}', count) for state, count in sorted(status.states.items()))
        yield from _family("byway_urls", "gauge", "URLs by state.", urls)
        for name, value, help in (
            ("byway_pages", status.pages, "Pages stored."),
            ("byway_urls_queued", status.queued, "URLs in the frontier."),
            ("byway_indexed", status.indexed, "Documents in the index."),
            ("byway_crawling", int(status.crawling), "1 while a crawl runs."),
            ("byway_disk_free_bytes", free, "Free space on the disk of the data folder."),
            ("byway_memory_bytes", memory, "Memory of this process."),
        ):
            yield from _family(name, "gauge", help, [("", value)])

    def _by_class(
        self, name: str, kind: str, help: str, values: Mapping[RequestClass, int]
    ) -> Iterator[str]:
        labelled = ((f'{{request_class="{each}"}}', value) for each, value in values.items())
        return _family(name, kind, help, labelled)

    def _histogram(self) -> Iterator[str]:
        name = "byway_request_duration_seconds"
        yield f"# HELP {name} Time to answer a request, without its wait in the queue."
        yield f"# TYPE {name} histogram"
        bounds = (*map(str, LATENCY_BUCKETS_SECONDS), "+Inf")
        for request_class, counts in sorted(self._buckets.items()):
            label, total = f'request_class="{request_class}"', 0
            for bound, count in zip(bounds, counts, strict=True):
                total += count
                yield f'{name}_bucket{{{label},le="{bound}"}} {total}'
            yield f"{name}_sum{{{label}}} {self._seconds[request_class]:.6f}"
            yield f"{name}_count{{{label}}} {total}"


def routes(site: "WebContext") -> PageRouter:
    """`/metrics`"""
    router = PageRouter(POLICY)

    @router.get("/metrics")
    def metrics() -> PlainTextResponse:
        free, memory = site.admin.free_disk_and_memory() if site.admin else (0, 0)
        return PlainTextResponse(
            site.metrics.render_prometheus(site.status(), free, memory),
            media_type=METRICS_MEDIA_TYPE,
        )

    return router


def _family(name: str, kind: str, help: str, values: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        yield f"{name}{labels} {value}"
