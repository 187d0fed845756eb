"""Load shedding: an admission queue for each request class.

A queue runs a few requests at once, lets a few more wait a short time, and rejects all others
immediately with 503 and Retry-After. Accepted requests stay fast under any load, and admins get in
while searches queue.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.core.errors import OverloadError
from byway.core.messages import LANGUAGE, languages, speaking, t
from byway.core.settings.schema import ServeSettings
from byway.web.api.metrics import QueueGauge
from byway.web.context import WebContext
from byway.web.i18n import REQUEST_LOCALE, RequestLocale
from byway.web.problems import API_PREFIX, problem_response
from byway.web.router import RequestClass, RoutePolicies

OVERLOAD_CODE = "web.overloaded"
MAX_RETRY_AFTER_SECONDS = 30
LATENCY_SAMPLES = 32
"""Number of recent requests used to measure latency: few, so that a slow minute soon passes."""
SEARCH_DEADLINE_SECONDS = 0.6
"""Deadline for searches, which should be answered within a second, network included."""


@dataclass(slots=True)
class AdmissionQueue:
    """Runs `max_concurrent` requests; `queue_size` more wait for up to `queue_timeout` seconds.

    `queue_size` is for all web workers together, since one may have more connections than others.

    A request that, judging by recent latency, would not be answered within `deadline` seconds is
    rejected at once: a late rejection wastes the wait and blocks others.
    """

    max_concurrent: int
    queue_size: int = 0
    queue_timeout: float = 1.0
    deadline: float = math.inf
    running: int = 0
    clock: Callable[[], float] = time.monotonic
    gauge: QueueGauge | None = None
    """Tells the other web workers the length of the queue; None if there are none."""
    _latencies: deque[float] = field(default_factory=lambda: deque([0.05], maxlen=LATENCY_SAMPLES))
    _waiting: deque[tuple[float, asyncio.Future[bool]]] = field(default_factory=deque)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def mean_latency(self) -> float:
        """The mean latency of recent requests."""
        return sum(self._latencies) / len(self._latencies)

    @property
    def p90_latency(self) -> float:
        """The 90th percentile of recent latencies."""
        return sorted(self._latencies)[len(self._latencies) * 9 // 10]

    @property
    def retry_after(self) -> int:
        """Seconds until a slot may be free."""
        ahead = (self.waiting + self.running) * self.mean_latency / self.max_concurrent
        return max(1, min(MAX_RETRY_AFTER_SECONDS, round(ahead + 0.5)))

    async def acquire(self) -> bool:
        """Take a slot; False if none becomes free in time."""
        if self.running < self.max_concurrent:
            self.running += 1
            self._publish()
            return True
        waiting_elsewhere = self.gauge.waiting_elsewhere() if self.gauge else 0
        ahead = (self.waiting + 1) * self.mean_latency / self.max_concurrent
        is_full = self.waiting + waiting_elsewhere >= self.queue_size
        if is_full or ahead + self.p90_latency > self.deadline:
            return False
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((self.clock(), turn))
        self._publish()
        try:
            async with asyncio.timeout(self.queue_timeout):
                return await turn
        except TimeoutError:
            return self._got_place(turn)
        except asyncio.CancelledError:
            if self._got_place(turn):
                self.release(None)
            raise

    def release(self, elapsed: float | None) -> None:
        """Pass the slot on to the longest-waiting request; `elapsed` is how long it was in use."""
        if elapsed is not None:
            self._latencies.append(elapsed)
        latest = self.clock() + self.p90_latency - self.deadline
        while self._waiting:
            arrived, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(arrived >= latest)
                if arrived >= latest:
                    self._publish()
                    return
        self.running -= 1
        self._publish()

    def _publish(self) -> None:
        if self.gauge:
            self.gauge.publish(self.running, self.waiting)

    def _got_place(self, turn: asyncio.Future[bool]) -> bool:
        """Return True if a slot became free at the last moment; otherwise stop waiting."""
        if turn.done() and not turn.cancelled():
            return turn.result()
        self._waiting = deque(entry for entry in self._waiting if entry[1] is not turn)
        self._publish()
        return False


class LoadSheddingMiddleware:
    """Sends every request through the queue of its class."""

    def __init__(self, app: ASGIApp, site: WebContext, policies: RoutePolicies) -> None:
        self.app = app
        self._policies = policies
        self._metrics = site.metrics
        self._queues = admission_queues(site.settings, site.workers.workers)
        for request_class, queue in self._queues.items():
            queue.gauge = self._metrics.queue_gauge(request_class)
        # Made once: rejecting hundreds of requests a second must be cheap.
        self._pages = {language: _overload_page(site, language) for language in languages()}
        self._problems = {language: _overload_problem(language) for language in languages()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_class = self._policies.find(scope["path"]).request_class
        queue = self._queues.get(request_class)
        if queue is None:
            await self._run(request_class, scope, receive, send)
        elif not await queue.acquire():
            self._metrics.count_rejection(request_class)
            await self._rejection(scope["path"], queue)(scope, receive, send)
        else:
            started = time.monotonic()
            try:
                await self._run(request_class, scope, receive, send)
            finally:
                queue.release(time.monotonic() - started)

    async def _run(
        self, request_class: RequestClass, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Run the request and count its status and latency."""
        started, status = time.monotonic(), 500

        async def send_with_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_with_status)
        finally:
            self._metrics.count_response(request_class, status, time.monotonic() - started)

    def _rejection(self, path: str, queue: AdmissionQueue) -> Response:
        prepared = self._problems if path.startswith(API_PREFIX) else self._pages
        made = prepared[LANGUAGE.get()]
        response = Response(made.body, 503, media_type=made.media_type)
        response.headers["Retry-After"] = str(queue.retry_after)
        return response


def _overload_page(site: WebContext, language: str) -> Response:
    token = REQUEST_LOCALE.set(RequestLocale(language))
    try:
        with speaking(language):
            return site.render_error(503, t(f"error.{OVERLOAD_CODE}"))
    finally:
        REQUEST_LOCALE.reset(token)


def _overload_problem(language: str) -> Response:
    with speaking(language):
        return problem_response(503, OverloadError(OVERLOAD_CODE))


def admission_queues(
    settings: ServeSettings, workers: int = 1
) -> dict[RequestClass, AdmissionQueue]:
    """The queue of each request class in one of these workers, each of which runs its share.

    Static files have none: they are almost free.
    """

    def share(limit: int) -> int:
        return math.ceil(limit / workers)

    return {
        RequestClass.SEARCH: AdmissionQueue(
            max_concurrent=share(settings.max_concurrent_searches),
            queue_size=settings.queue_size,
            queue_timeout=settings.queue_timeout,
            deadline=SEARCH_DEADLINE_SECONDS,
        ),
        # Password hashing is slow and also has a queue of its own.
        RequestClass.LOGIN: AdmissionQueue(share(4), 16, 5.0),
        RequestClass.ADMIN: AdmissionQueue(share(6), 24, 5.0),
        RequestClass.LIVE: AdmissionQueue(share(16)),
        # Each starts a process that extracts many versions of a page.
        RequestClass.RECORD_HISTORY: AdmissionQueue(share(1), 4, 5.0),
    }
