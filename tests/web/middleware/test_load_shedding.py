"""Admission queues and load shedding."""

import asyncio
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pace import slowness
from web.account_site import PASSWORD, ServedSite, served_site

from bench.speed.load.load_generator import (
    LoadedServer,
    LoadResult,
    measure_capacity,
    open_loop_load,
    probe_health,
    run_server,
)
from byway.core.messages import t
from byway.core.model.account import Role
from byway.web.middleware.load_shedding import AdmissionQueue
from byway.web.router import RequestClass


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    with served_site(tmp_path_factory.mktemp("load")) as here:
        yield here


def test_a_queue_runs_and_holds_only_so_many_requests() -> None:
    async def drive() -> None:
        queue = AdmissionQueue(max_concurrent=2, queue_size=1, queue_timeout=5)
        assert await queue.acquire() and await queue.acquire()
        waiting = asyncio.create_task(queue.acquire())
        await asyncio.sleep(0)
        assert (queue.running, queue.waiting) == (2, 1)
        assert not await queue.acquire()  # the queue is full
        queue.release(0.1)
        assert await waiting
        assert (queue.running, queue.waiting) == (2, 0)
        queue.release(0.1)
        queue.release(0.1)
        assert queue.running == 0

    asyncio.run(drive())


def test_a_waiting_request_times_out() -> None:
    async def drive() -> None:
        queue = AdmissionQueue(max_concurrent=1, queue_size=5, queue_timeout=0.02)
        assert await queue.acquire()
        assert not any(await asyncio.gather(queue.acquire(), queue.acquire()))
        assert (queue.running, queue.waiting) == (1, 0)
        queue.release(None)
        assert await queue.acquire()

    asyncio.run(drive())


def test_a_cancelled_request_passes_its_place_on() -> None:
    async def drive() -> None:
        queue = AdmissionQueue(max_concurrent=1, queue_size=5, queue_timeout=5)
        assert await queue.acquire()
        gone, stays = asyncio.create_task(queue.acquire()), asyncio.create_task(queue.acquire())
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        queue.release(0.1)
        assert await stays
        # A request that gets the place while it is cancelled passes it on.
        late, last = asyncio.create_task(queue.acquire()), asyncio.create_task(queue.acquire())
        await asyncio.sleep(0)
        queue.release(0.1)
        late.cancel()
        assert await last
        assert (queue.running, queue.waiting) == (1, 0)

    asyncio.run(drive())


def test_a_request_that_would_miss_the_deadline_is_rejected_at_once() -> None:
    async def drive() -> None:
        queue = AdmissionQueue(max_concurrent=2, queue_size=99, queue_timeout=5, deadline=1.0)
        assert await queue.acquire() and await queue.acquire()
        for _ in range(32):
            queue.running += 1
            queue.release(0.4)  # recent requests took 0.4 s each
        waiting = [asyncio.create_task(queue.acquire()) for _ in range(5)]
        await asyncio.sleep(0)
        # Two places: the third in the queue would start after 0.6 s and end past the deadline.
        assert [task.done() and task.result() for task in waiting[2:]] == [False, False, False]
        assert queue.waiting == 2

    asyncio.run(drive())


def test_a_request_past_its_deadline_yields_to_the_next() -> None:
    async def drive() -> None:
        now = 0.0
        queue = AdmissionQueue(
            max_concurrent=1,
            queue_size=9,
            queue_timeout=5,
            deadline=1.0,
            clock=lambda: now,
        )
        assert await queue.acquire()
        early = asyncio.create_task(queue.acquire())
        await asyncio.sleep(0)
        now = 0.9
        late = asyncio.create_task(queue.acquire())
        await asyncio.sleep(0)
        now = 1.0
        queue.release(0.2)
        assert (await early, await late) == (False, True)
        assert (queue.running, queue.waiting) == (1, 0)

    asyncio.run(drive())


def test_requests_are_served_in_order() -> None:
    async def drive() -> list[int]:
        queue, served = AdmissionQueue(max_concurrent=1, queue_size=9, queue_timeout=5), []
        await queue.acquire()

        async def come(number: int) -> None:
            await queue.acquire()
            served.append(number)
            queue.release(0.1)

        tasks = [asyncio.create_task(come(number)) for number in range(5)]
        await asyncio.sleep(0)
        queue.release(0.1)
        await asyncio.gather(*tasks)
        return served

    assert asyncio.run(drive()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("path", "request_class"),
    [
        ("/", "search"),
        ("/search", "search"),
        ("/api/v1/search", "search"),
        ("/products", "search"),
        ("/products/history", "record_history"),
        ("/api/v1/products/history", "record_history"),
        ("/icon", "static"),
        ("/healthz", "static"),
        ("/static/style.css", "static"),
        ("/login", "login"),
        ("/admin", "admin"),
        ("/admin/users", "admin"),
        ("/admin/no-such-page", "admin"),
        ("/admin/live", "live"),
        ("/account/history", "admin"),
        ("/no/such/page", "search"),
        ("*", "search"),
    ],
)
def test_every_path_has_a_request_class(here: ServedSite, path: str, request_class: str) -> None:
    assert here.app.state.policies.find(path).request_class == request_class


@pytest.mark.alone
def test_overload_is_answered_with_results_and_rejections() -> None:
    async def drive(server: LoadedServer) -> tuple[LoadResult, LoadResult]:
        can = (await measure_capacity(server, 1.0)).goodput
        rushing = open_loop_load(server, 6 * can, 4.0, random.Random(7))
        return await asyncio.gather(rushing, probe_health(server.url, 4.0))

    with run_server(search_milliseconds=25) as server:
        seen, well = asyncio.run(drive(server))
    assert not seen.other_outcomes and not well.other_outcomes
    assert seen.rejected_seconds and not well.rejected_seconds
    assert len(seen.accepted_seconds) + len(seen.rejected_seconds) == seen.requests
    # bench-load measures the limit; here the machine may be busy with other tests.
    assert seen.percentile(0.99) < 2.0 * slowness(time.perf_counter)
    assert len(seen.accepted_seconds) > 10


def test_admins_get_in_while_searches_are_rejected(tmp_path: Path) -> None:
    with served_site(tmp_path, max_concurrent_searches=1, queue_size=0) as here:
        admin = here.new_browser(Role.ADMIN)
        queue = _queues(here)[RequestClass.SEARCH]
        queue.running = queue.max_concurrent  # as during a search
        refused = admin.get("/search?q=first")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
        assert t("error.web.overloaded") in refused.text
        assert refused.headers["Content-Security-Policy"]
        problem = admin.get("/api/v1/search?q=first")
        assert (problem.status, problem.json["status"]) == (503, 503)
        assert problem.headers["Content-Type"] == "application/problem+json"
        assert admin.get("/admin").status == 200
        assert admin.get("/healthz").status == 200
        assert (
            'byway_rejected_requests_total{request_class="search"} 2' in admin.get("/metrics").text
        )
        here.accounts.create("bob", PASSWORD)
        assert here.new_browser().log_in("bob").status == 303


def _queues(here: ServedSite) -> dict[RequestClass, AdmissionQueue]:
    """The admission queues of a running site."""
    middleware = here.app.middleware_stack
    while middleware is not None and not hasattr(middleware, "_queues"):
        middleware = getattr(middleware, "app", None)
    assert middleware is not None
    queues: dict[RequestClass, AdmissionQueue] = middleware._queues
    return queues
