"""Prometheus metrics: requests, admission queues, crawl and index."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from fastapi import Response
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from byway.core.model.account import ApiKeyScope
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

if TYPE_CHECKING:
    from byway.web.context import WebContext
    from byway.web.middleware.load_shedding import AdmissionQueue

LATENCY_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the latency histogram."""
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN, key_scope=ApiKeyScope.METRICS)

# Otherwise each counter has a second series with its creation time.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Request counters, in a separate registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.queues: Mapping[RequestClass, AdmissionQueue] = {}
        by_class, by_status = ("request_class",), ("request_class", "status")
        self.responses = Counter(
            "byway_requests_total", "Requests answered.", by_status, registry=self.registry
        )
        self.rejections = Counter(
            "byway_rejected_requests_total",
            "Requests rejected because of load.",
            by_class,
            registry=self.registry,
        )
        self.seconds = Histogram(
            "byway_request_duration_seconds",
            "Time to answer a request, without its wait in the queue.",
            by_class,
            buckets=LATENCY_BUCKETS_SECONDS,
            registry=self.registry,
        )

    def watch_queues(self, queues: Mapping[RequestClass, "AdmissionQueue"]) -> None:
        """Report these queues, even before they have rejected anything."""
        self.queues = queues
        for request_class in queues:
            self.rejections.labels(request_class)


class SiteCollector(Collector):
    """Gauges that are read on each scrape."""

    def __init__(self, site: "WebContext") -> None:
        self._site = site

    def collect(self) -> Iterator[Metric]:
        """All gauges with their current values."""
        queues, status = self._site.metrics.queues.items(), self._site.status()
        running = {request_class: queue.running for request_class, queue in queues}
        waiting = {request_class: queue.waiting for request_class, queue in queues}
        free, memory = self._site.admin.free_disk_and_memory() if self._site.admin else (0, 0)
        shards = {str(number): shard for number, shard in enumerate(status.shards)}
        shard_pages = {name: shard.pages for name, shard in shards.items()}
        shard_bytes = {name: shard.bytes for name, shard in shards.items()}
        readable = {name: int(shard.is_readable) for name, shard in shards.items()}
        for name, help, label, values in (
            ("requests_in_progress", "Requests in progress.", "request_class", running),
            ("requests_queued", "Requests in the admission queue.", "request_class", waiting),
            ("urls", "URLs by state.", "state", dict(sorted(status.states.items()))),
            ("shard_pages", "Pages in each shard of the index.", "shard", shard_pages),
            ("shard_bytes", "Size of each shard on disk.", "shard", shard_bytes),
            ("shard_readable", "1 if the shard can be read.", "shard", readable),
        ):
            family = GaugeMetricFamily(f"byway_{name}", help, labels=(label,))
            for label_value, value in values.items():
                family.add_metric((label_value,), value)
            yield family
        for name, help, value in (
            ("pages", "Pages stored.", status.pages),
            ("urls_queued", "URLs in the frontier.", status.queued),
            ("indexed", "Documents in the index.", status.indexed),
            ("crawling", "1 while a crawl runs.", status.crawling),
            ("disk_free_bytes", "Free space on the disk of the data folder.", free),
            ("memory_bytes", "Memory of this process.", memory),
        ):
            yield GaugeMetricFamily(f"byway_{name}", help, value)


def routes(site: "WebContext") -> PageRouter:
    """The route `/metrics`."""
    router = PageRouter(POLICY)
    site.metrics.registry.register(SiteCollector(site))

    @router.get("/metrics")
    def metrics() -> Response:
        text = generate_latest(site.metrics.registry)
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return router
