"""Prometheus metrics: requests and admission queues of all web workers, crawl and index."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from fastapi import Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from byway.app.processes.worker_memory import FIRST_METRIC, Numbers, WorkerMemory
from byway.core.model import ShardStatus
from byway.core.model.account import ApiKeyScope
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

if TYPE_CHECKING:
    from byway.web.context import WebContext

LATENCY_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the latency histogram."""
STATUS_CODES = range(100, 600)
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN, key_scope=ApiKeyScope.METRICS)

# Positions in the numbers of a request class.
RUNNING, WAITING, REJECTIONS, SECONDS, FIRST_BUCKET = range(5)
FIRST_STATUS = FIRST_BUCKET + len(LATENCY_BUCKETS_SECONDS) + 1
CLASS_NUMBERS = FIRST_STATUS + len(STATUS_CODES)


class Metrics:
    """Request counters of this worker, in memory that is shared with the other workers."""

    def __init__(self, memory: WorkerMemory | None = None) -> None:
        self._memory = memory or WorkerMemory()
        self._starts = {
            request_class: FIRST_METRIC + position * CLASS_NUMBERS
            for position, request_class in enumerate(RequestClass)
        }
        self.queued_classes: set[RequestClass] = set()
        """The request classes that have a queue."""

    def queue_gauge(self, request_class: RequestClass) -> "QueueGauge":
        """The gauge of a queue, which is empty, whatever a killed worker has left."""
        self.queued_classes.add(request_class)
        gauge = QueueGauge(self._memory, self._starts[request_class])
        gauge.publish(0, 0)
        return gauge

    def count_response(self, request_class: RequestClass, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        numbers, start = self._memory.numbers, self._starts[request_class]
        if status in STATUS_CODES:
            numbers[start + FIRST_STATUS + status - STATUS_CODES.start] += 1
        numbers[start + FIRST_BUCKET + bisect_left(LATENCY_BUCKETS_SECONDS, seconds)] += 1
        numbers[start + SECONDS] += seconds

    def count_rejection(self, request_class: RequestClass) -> None:
        """Count a request that was rejected because of load."""
        self._memory.numbers[self._starts[request_class] + REJECTIONS] += 1

    def totals(self) -> dict[RequestClass, list[float]]:
        """The numbers of each request class, summed over all workers."""
        return self._sums(self._memory.all_numbers())

    def live_totals(self) -> dict[RequestClass, list[float]]:
        """The same for the workers that are alive."""
        return self._sums(self._memory.live_numbers() or [self._memory.numbers])

    def _sums(self, workers: Sequence[Numbers]) -> dict[RequestClass, list[float]]:
        return {
            request_class: [
                sum(values)
                for values in zip(
                    *(numbers[start : start + CLASS_NUMBERS] for numbers in workers), strict=True
                )
            ]
            for request_class, start in self._starts.items()
        }


class QueueGauge:
    """The length of an admission queue, in this and in the other web workers."""

    def __init__(self, memory: WorkerMemory, start: int) -> None:
        """`start`: where the numbers of the request class begin."""
        self._memory, self._start = memory, start

    def publish(self, running: int, waiting: int) -> None:
        """Publish the length of the queue in this worker."""
        self._memory.numbers[self._start + RUNNING] = running
        self._memory.numbers[self._start + WAITING] = waiting

    def waiting_elsewhere(self) -> int:
        """The requests that wait in the other workers."""
        others = self._memory.other_live_numbers()
        return int(sum(numbers[self._start + WAITING] for numbers in others))


class RequestCollector(Collector):
    """Counters and gauges of requests, summed over all web workers on each scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        """All request metrics with their current values."""
        by_class, totals = ("request_class",), self._metrics.totals()
        responses = CounterMetricFamily(
            "byway_requests", "Requests answered.", labels=("request_class", "status")
        )
        rejections = CounterMetricFamily(
            "byway_rejected_requests", "Requests rejected because of load.", labels=by_class
        )
        seconds = HistogramMetricFamily(
            "byway_request_duration_seconds",
            "Time to answer a request, without its wait in the queue.",
            labels=by_class,
        )
        for request_class, numbers in totals.items():
            for status, count in zip(STATUS_CODES, numbers[FIRST_STATUS:], strict=True):
                if count:
                    responses.add_metric((request_class, str(status)), count)
            if request_class in self._metrics.queued_classes:
                rejections.add_metric((request_class,), numbers[REJECTIONS])
            counts = list(accumulate(numbers[FIRST_BUCKET:FIRST_STATUS]))
            if counts[-1]:
                bounds = (*map(str, LATENCY_BUCKETS_SECONDS), "+Inf")
                buckets = list(zip(bounds, counts, strict=True))
                seconds.add_metric((request_class,), buckets, numbers[SECONDS])
        yield from (responses, rejections, seconds)
        for name, help, position in (
            ("requests_in_progress", "Requests in progress.", RUNNING),
            ("requests_queued", "Requests in the admission queue.", WAITING),
        ):
            gauge = GaugeMetricFamily(f"byway_{name}", help, labels=by_class)
            for request_class, numbers in self._metrics.live_totals().items():
                if request_class in self._metrics.queued_classes:
                    gauge.add_metric((request_class,), numbers[position])
            yield gauge


class SiteCollector(Collector):
    """Gauges of crawl, index and machine that are read on each scrape."""

    def __init__(self, site: "WebContext") -> None:
        self._site = site

    def collect(self) -> Iterator[Metric]:
        """All gauges with their current values."""
        status = self._site.status()
        free, memory = self._site.admin.free_disk_and_memory() if self._site.admin else (0, 0)
        urls = GaugeMetricFamily("byway_urls", "URLs by state.", labels=("state",))
        for state, count in sorted(status.states.items()):
            urls.add_metric((state,), count)
        yield urls
        yield from _shard_gauges(status.shards)
        for name, help, value in (
            ("pages", "Pages stored.", status.pages),
            ("urls_queued", "URLs in the frontier.", status.queued),
            ("indexed", "Documents in the index.", status.indexed),
            ("crawling", "1 while a crawl runs.", status.crawling),
            ("disk_free_bytes", "Free space on the disk of the data folder.", free),
            ("memory_bytes", "Memory of all web workers.", memory),
        ):
            yield GaugeMetricFamily(f"byway_{name}", help, value)


def _shard_gauges(shards: Sequence[ShardStatus]) -> Iterator[Metric]:
    """The gauges of each shard of the index."""
    for name, help, values in (
        ("pages", "Pages in each shard of the index.", [one.pages for one in shards]),
        ("bytes", "Size of each shard on disk.", [one.bytes for one in shards]),
        ("readable", "1 if the shard can be read.", [one.is_readable for one in shards]),
    ):
        gauge = GaugeMetricFamily(f"byway_shard_{name}", help, labels=("shard",))
        for number, value in enumerate(values):
            gauge.add_metric((str(number),), float(value))
        yield gauge


def routes(site: "WebContext") -> PageRouter:
    """The route `/metrics`."""
    router = PageRouter(POLICY)
    registry = CollectorRegistry()
    registry.register(RequestCollector(site.metrics))
    registry.register(SiteCollector(site))

    @router.get("/metrics")
    def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return router
