"""What if more people ask than can be answered? Each kind of request has a lane of its own.

A lane works on a few requests at once, lets a few more wait a short time, and tells all others at
once to come back: 503 with Retry-After. So who gets an answer gets it soon, however many ask; and
an admin gets in while searchers stand in line.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.core.settings.schema import ServeSettings
from byway.web.context import WebContext
from byway.web.errors import problem_response
from byway.web.i18n import REQUEST_LOCALE, RequestLocale, languages

OVERLOAD_MESSAGE = "too many searches at once; try again in a moment"
MAX_RETRY_AFTER_SECONDS = 30
LATENCY_SAMPLES = 32
"""Requests that tell how long one takes: few enough that a busy minute is soon over."""
SEARCH_DEADLINE_SECONDS = 0.6
"""Seconds in which a search should be answered: a second is promised, and the way back counts."""

REQUEST_CLASS_BY_PATH = {
    "/admin/live": "live",
    "/products/history": "versions",
    "/api/v1/products/history": "versions",
}
REQUEST_CLASS_BY_PREFIX = {
    **dict.fromkeys(("static", "healthz", "icon"), "free"),
    **dict.fromkeys(("login", "register"), "door"),
    **dict.fromkeys(("admin", "account", "logout", "metrics", "open"), "desk"),
}
"""Lanes by the first piece of a path; all others are searches."""


@dataclass(slots=True)
class AdmissionQueue:
    """`max_concurrent` requests at once, `queue_size` more that wait, each for at most
    `queue_timeout` seconds.

    Nobody waits who would not be answered within `deadline` seconds, going by how long requests
    took of late: whoever is refused late has waited for nothing, and kept others from their turn.
    """

    name: str
    max_concurrent: int
    queue_size: int = 0
    queue_timeout: float = 1.0
    deadline: float = math.inf
    running: int = 0
    clock: Callable[[], float] = time.monotonic
    _took: deque[float] = field(default_factory=lambda: deque([0.05], maxlen=LATENCY_SAMPLES))
    _waiting: deque[tuple[float, asyncio.Future[bool]]] = field(default_factory=deque)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def mean_latency(self) -> float:
        """How long a request takes, as of late."""
        return sum(self._took) / len(self._took)

    @property
    def p90_latency(self) -> float:
        """How long nine of ten take at most."""
        return sorted(self._took)[len(self._took) * 9 // 10]

    @property
    def retry_after(self) -> int:
        """Seconds after which there may be room."""
        ahead = (self.waiting + self.running) * self.mean_latency / self.max_concurrent
        return max(1, min(MAX_RETRY_AFTER_SECONDS, round(ahead + 0.5)))

    async def acquire(self) -> bool:
        """Take a place; False if there is none, or none in time."""
        if self.running < self.max_concurrent:
            self.running += 1
            return True
        ahead = (self.waiting + 1) * self.mean_latency / self.max_concurrent
        if self.waiting >= self.queue_size or ahead + self.p90_latency > self.deadline:
            return False
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((self.clock(), turn))
        try:
            async with asyncio.timeout(self.queue_timeout):
                return await turn
        except TimeoutError:
            return self._is_ours(turn)
        except asyncio.CancelledError:
            if self._is_ours(turn):
                self.release(None)
            raise

    def release(self, elapsed: float | None) -> None:
        """Give the place to who has waited longest; `mean_latency` is how long it was taken."""
        if elapsed is not None:
            self._took.append(elapsed)
        latest = self.clock() + self.p90_latency - self.deadline
        while self._waiting:
            came, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(came >= latest)
                if came >= latest:
                    return
        self.running -= 1

    def _is_ours(self, turn: asyncio.Future[bool]) -> bool:
        """Did the place come at the last moment? If not, wait no more."""
        if turn.done() and not turn.cancelled():
            return turn.result()
        self._waiting = deque(one for one in self._waiting if one[1] is not turn)
        return False


class LoadSheddingMiddleware:
    """Sends every request into its lane."""

    def __init__(self, app: ASGIApp, site: WebContext) -> None:
        self.app = app
        self._site = site
        self._metrics = site.metrics
        self._lanes = admission_queues(site.settings)
        self._metrics.queues = self._lanes
        # Made once: who says no to hundreds a second must do so cheaply.
        self._for_people = {language: _full(site, language) for language in languages()}
        self._for_programs = problem_response(503, OVERLOAD_MESSAGE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = classify_request(scope["path"])
        lane = self._lanes.get(name)
        if lane is None:
            await self._measured(name, scope, receive, send)
        elif not await lane.acquire():
            self._metrics.count_refusal(lane.name)
            await self._refusal(scope["path"], lane)(scope, receive, send)
        else:
            begun = time.monotonic()
            try:
                await self._measured(name, scope, receive, send)
            finally:
                lane.release(time.monotonic() - begun)

    async def _measured(self, lane: str, scope: Scope, receive: Receive, send: Send) -> None:
        begun, status = time.monotonic(), 500

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            self._metrics.count_response(lane, status, time.monotonic() - begun)

    def _refusal(self, path: str, lane: AdmissionQueue) -> Response:
        people = self._for_people[REQUEST_LOCALE.get().language]
        made = self._for_programs if path.startswith("/api/") else people
        answer = Response(made.body, 503, media_type=made.media_type)
        answer.headers["Retry-After"] = str(lane.retry_after)
        return answer


def _full(site: WebContext, language: str) -> Response:
    """The page that says so, for who reads that language."""
    token = REQUEST_LOCALE.set(RequestLocale(language))
    try:
        return site.render("failure.html", 503, status=503, detail=OVERLOAD_MESSAGE)
    finally:
        REQUEST_LOCALE.reset(token)


def admission_queues(settings: ServeSettings) -> dict[str, AdmissionQueue]:
    """The lanes there are. Health, icons and static files need none: they cost next to nothing."""
    each = (
        AdmissionQueue(
            "search",
            settings.max_concurrent_searches,
            settings.queue_size,
            settings.queue_timeout,
            SEARCH_DEADLINE_SECONDS,
        ),
        AdmissionQueue(
            "door", 4, 16, 5.0
        ),  # passwords take long; they have a queue of their own besides
        AdmissionQueue("desk", 6, 24, 5.0),
        AdmissionQueue("live", 16),
        AdmissionQueue(
            "versions", 1, 4, 5.0
        ),  # starts a process, which reads a page again and again
    )
    return {lane.name: lane for lane in each}


def classify_request(path: str) -> str:
    """Which lane a request goes in."""
    first = path.split("/", 2)[1] if path.startswith("/") else ""
    return REQUEST_CLASS_BY_PATH.get(path) or REQUEST_CLASS_BY_PREFIX.get(first, "search")
