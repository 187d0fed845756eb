"""How much is asked, how fast is the answer? Counted here, told in the words of Prometheus."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from byway.core.model import Status

if TYPE_CHECKING:
    from byway.web.context import WebContext
    from byway.web.middleware.load_shedding import AdmissionQueue

LATENCY_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Seconds; each counts the answers that were at least as fast."""
METRICS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts answers. Only the event loop counts, so nothing needs a lock."""

    def __init__(self) -> None:
        self.queues: dict[str, AdmissionQueue] = {}
        self._answers: Counter[tuple[str, int]] = Counter()
        self._refusals: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._buckets: dict[str, list[int]] = {}

    def count_response(self, request_class: str, status: int, seconds: float) -> None:
        """An answer was given."""
        self._answers[request_class, status] += 1
        self._seconds[request_class] += seconds
        counts = self._buckets.setdefault(request_class, [0] * (len(LATENCY_BUCKETS_SECONDS) + 1))
        counts[bisect_left(LATENCY_BUCKETS_SECONDS, seconds)] += 1

    def count_refusal(self, request_class: str) -> None:
        """Somebody was told to come back."""
        self._refusals[request_class] += 1

    def render_prometheus(
        self, status: Status, free_disk_bytes: int = 0, memory_bytes: int = 0
    ) -> str:
        """Everything, as Prometheus reads it."""
        return "".join(f"{line}\n" for line in self._lines(status, free_disk_bytes, memory_bytes))

    def _lines(self, status: Status, free: int, memory: int) -> Iterator[str]:
        answers = (
            (f'{{lane="{lane}",status="{code}"}}', count)
            for (lane, code), count in sorted(self._answers.items())
        )
        yield from _family("byway_requests_total", "counter", "Requests answered.", answers)
        refusals = ((f'{{lane="{lane}"}}', self._refusals[lane]) for lane in self.queues)
        yield from _family("byway_refusals_total", "counter", "Requests told to wait.", refusals)
        running = ((f'{{lane="{name}"}}', lane.running) for name, lane in self.queues.items())
        yield from _family("byway_running", "gauge", "Requests worked on.", running)
        waiting = ((f'{{lane="{name}"}}', lane.waiting) for name, lane in self.queues.items())
        yield from _family("byway_waiting", "gauge", "Requests that wait.", waiting)
        yield from self._histogram()
        urls = ((f'{{state="{state}"}}', count) for state, count in sorted(status.states.items()))
        yield from _family("byway_urls", "gauge", "URLs by state.", urls)
        for name, value, help in (
            ("byway_pages", status.pages, "Pages kept."),
            ("byway_queued", status.queued, "URLs that wait for their visit."),
            ("byway_indexed", status.indexed, "Documents that can be found."),
            ("byway_crawling", int(status.crawling), "1 while a crawl runs."),
            ("byway_disk_free_bytes", free, "Room on the disk of the data folder."),
            ("byway_memory_bytes", memory, "Memory of this process."),
        ):
            yield from _family(name, "gauge", help, [("", value)])

    def _histogram(self) -> Iterator[str]:
        name = "byway_request_seconds"
        yield f"# HELP {name} How long an answer took, after its wait in line."
        yield f"# TYPE {name} histogram"
        for lane, counts in sorted(self._buckets.items()):
            so_far = 0
            for limit, count in zip(
                (*map(str, LATENCY_BUCKETS_SECONDS), "+Inf"), counts, strict=True
            ):
                so_far += count
                yield f'{name}_bucket{{lane="{lane}",le="{limit}"}} {so_far}'
            yield f'{name}_sum{{lane="{lane}"}} {self._seconds[lane]:.6f}'
            yield f'{name}_count{{lane="{lane}"}} {so_far}'


def routes(site: "WebContext") -> APIRouter:
    """`/metrics`"""
    router = APIRouter(include_in_schema=False)

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
