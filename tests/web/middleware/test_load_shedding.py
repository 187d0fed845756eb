"""When more people ask than can be answered."""

import asyncio
import random
import time
from pathlib import Path

import pytest
from pace import slowness
from web.people import PASSWORD, Place, place

from bench.speed.load.rush import Rush, Server, capacity, health, rush, served
from byway.core.model.account import Role
from byway.web.middleware.load_shedding import Lane, lane_of


def test_a_lane_is_as_wide_as_it_is_and_no_wider() -> None:
    async def drive() -> None:
        lane = Lane("search", width=2, queue=1, patience=5)
        assert await lane.enter() and await lane.enter()
        waiting = asyncio.create_task(lane.enter())
        await asyncio.sleep(0)
        assert (lane.running, lane.waiting) == (2, 1)
        assert not await lane.enter()  # the queue is full: at once
        lane.leave(0.1)
        assert await waiting
        assert (lane.running, lane.waiting) == (2, 0)
        lane.leave(0.1)
        lane.leave(0.1)
        assert lane.running == 0

    asyncio.run(drive())


def test_who_waits_too_long_is_let_go() -> None:
    async def drive() -> None:
        lane = Lane("search", width=1, queue=5, patience=0.02)
        assert await lane.enter()
        assert not any(await asyncio.gather(lane.enter(), lane.enter()))
        assert (lane.running, lane.waiting) == (1, 0)
        lane.leave(None)
        assert await lane.enter()

    asyncio.run(drive())


def test_who_leaves_the_queue_takes_no_place_along() -> None:
    async def drive() -> None:
        lane = Lane("search", width=1, queue=5, patience=5)
        assert await lane.enter()
        gone, stays = asyncio.create_task(lane.enter()), asyncio.create_task(lane.enter())
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        lane.leave(0.1)
        assert await stays
        # One who is given the place in the moment of leaving gives it on.
        late, last = asyncio.create_task(lane.enter()), asyncio.create_task(lane.enter())
        await asyncio.sleep(0)
        lane.leave(0.1)
        late.cancel()
        assert await last
        assert (lane.running, lane.waiting) == (1, 0)

    asyncio.run(drive())


def test_nobody_waits_who_could_not_be_answered_in_time() -> None:
    async def drive() -> None:
        lane = Lane("search", width=2, queue=99, patience=5, deadline=1.0)
        assert await lane.enter() and await lane.enter()
        for _ in range(32):
            lane.running += 1
            lane.leave(0.4)  # four tenths of a second each, as of late
        waiting = [asyncio.create_task(lane.enter()) for _ in range(5)]
        await asyncio.sleep(0)
        # Two places: the third in line would begin after .6 seconds, and end when it is too late.
        assert [task.done() and task.result() for task in waiting[2:]] == [False, False, False]
        assert lane.waiting == 2

    asyncio.run(drive())


def test_who_has_waited_too_long_gives_the_turn_to_the_next() -> None:
    async def drive() -> None:
        now = 0.0
        lane = Lane("search", width=1, queue=9, patience=5, deadline=1.0, clock=lambda: now)
        assert await lane.enter()
        early = asyncio.create_task(lane.enter())
        await asyncio.sleep(0)
        now = 0.9
        late = asyncio.create_task(lane.enter())
        await asyncio.sleep(0)
        now = 1.0
        lane.leave(0.2)
        assert (await early, await late) == (False, True)
        assert (lane.running, lane.waiting) == (1, 0)

    asyncio.run(drive())


def test_those_who_come_first_are_served_first() -> None:
    async def drive() -> list[int]:
        lane, served = Lane("search", width=1, queue=9, patience=5), []
        await lane.enter()

        async def come(number: int) -> None:
            await lane.enter()
            served.append(number)
            lane.leave(0.1)

        tasks = [asyncio.create_task(come(number)) for number in range(5)]
        await asyncio.sleep(0)
        lane.leave(0.1)
        await asyncio.gather(*tasks)
        return served

    assert asyncio.run(drive()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("path", "lane"),
    [
        ("/", "search"),
        ("/search", "search"),
        ("/api/v1/search", "search"),
        ("/products", "search"),
        ("/products/history", "versions"),
        ("/api/v1/products/history", "versions"),
        ("/icon", "free"),
        ("/healthz", "free"),
        ("/static/style.css", "free"),
        ("/login", "door"),
        ("/admin", "desk"),
        ("/admin/users", "desk"),
        ("/admin/live", "live"),
        ("/account/history", "desk"),
        ("/no/such/page", "search"),
        ("*", "search"),
    ],
)
def test_everything_has_its_lane(path: str, lane: str) -> None:
    assert lane_of(path) == lane


@pytest.mark.alone
def test_a_rush_is_met_with_answers_and_with_word_when_to_come_back() -> None:
    async def drive(server: Server) -> tuple[Rush, Rush]:
        can = (await capacity(server, 1.0)).goodput
        rushing = rush(server, 6 * can, 4.0, random.Random(7))
        return await asyncio.gather(rushing, health(server.url, 4.0))

    with served(milliseconds=25) as server:
        seen, well = asyncio.run(drive(server))
    assert not seen.others and not well.others
    assert seen.refused and not well.refused
    assert len(seen.accepted) + len(seen.refused) == seen.asked
    # bench-load has the promise; here the machine may be busy with other tests.
    assert seen.percentile(0.99) < 2.0 * slowness(time.perf_counter)
    assert len(seen.accepted) > 10


def test_while_searchers_stand_in_line_an_admin_gets_in(tmp_path: Path) -> None:
    with place(tmp_path, searches=1, waiting=0) as here:
        admin = here.somebody(Role.ADMIN)
        (lane,) = [each for each in _lanes(here) if each.name == "search"]
        lane.running = lane.width  # as it is while a search goes on
        refused = admin.get("/search?q=first")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
        assert "too many searches at once" in refused.text
        assert refused.headers["Content-Security-Policy"]
        problem = admin.get("/api/v1/search?q=first")
        assert (problem.status, problem.json["status"]) == (503, 503)
        assert problem.headers["Content-Type"] == "application/problem+json"
        assert admin.get("/admin").status == 200
        assert admin.get("/healthz").status == 200
        assert 'byway_refusals_total{lane="search"} 2' in admin.get("/metrics").text
        here.accounts.make("bob", PASSWORD)
        assert here.somebody().log_in("bob").status == 303


def _lanes(here: Place) -> list[Lane]:
    """The lanes of a running site: those that its metrics tell of."""
    middleware = here.app.middleware_stack
    while middleware is not None and not hasattr(middleware, "_lanes"):
        middleware = getattr(middleware, "app", None)
    assert middleware is not None
    return list(middleware._lanes.values())
