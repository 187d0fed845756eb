"""Worker pool: pages that hang, crash or eat memory cost only themselves."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import uvloop
from extract.page_factory import HOSTILE_PAGES, MAX_BYTES, SETTINGS, page
from pace import WAIT_TIMEOUT_SECONDS, run_within, slowness, wait_until

from byway.core.errors import SettingsError
from byway.core.messages import NO_REASON, Reason
from byway.core.model import ExtractionResult, ProcessState, RunState
from byway.core.model.document import pack, unpack
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract
from byway.extract.worker.pool import WorkerPool
from byway.extract.worker.process import pack_result, unpack_result

HUGE = "<p><b>x</b> <a href=/y>y</a>" * 280_000
"""Legal, and about a second of work and 300 MB of memory for any parser."""


async def extract_all(settings: ExtractSettings, *bodies: str) -> list[ExtractionResult]:
    async with WorkerPool(settings, MAX_BYTES) as pool:
        return await asyncio.gather(*(pool.extract(page(body)) for body in bodies))


def texts(answers: list[ExtractionResult]) -> list[str]:
    return [
        unpack(each.packed_document).text if each.packed_document else each.failure.code
        for each in answers
    ]


def is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_workers_return_what_extract_returns(run: Callable[..., list[ExtractionResult]]) -> None:
    body = """<title>T</title><h1 id=a>H</h1><p>words <b>bold</b> <a href=/x>x</a>
    <img src=i.png alt=picture><meta property="og:type" content=article>"""
    read = extract(page(body), SETTINGS, MAX_BYTES)
    assert read.document
    expected = replace(read, document=None, packed_document=pack(read.document))
    answers = run(extract_all(replace(SETTINGS, workers=2), *[body] * 100))
    assert answers == [expected] * 100
    assert unpack_result(pack_result(read)) == expected
    failed = ExtractionResult(failure=Reason("pdf_damaged", detail="why"))
    assert unpack_result(pack_result(failed)) == failed


@pytest.mark.alone
def test_hostile_pages_are_read_in_time() -> None:
    def answers() -> list[ExtractionResult]:
        return asyncio.run(extract_all(SETTINGS, *HOSTILE_PAGES))

    given = run_within(SETTINGS.timeout, answers, time.perf_counter)
    assert [each.failure for each in given] == [NO_REASON] * len(HOSTILE_PAGES)


@pytest.mark.alone
def test_a_page_that_takes_too_long_costs_only_itself() -> None:
    bodies = [f"<p>{number}" for number in range(10)]
    bodies[3] = HUGE
    seconds = round(0.1 * slowness(time.perf_counter), 1)
    answers = texts(asyncio.run(extract_all(replace(SETTINGS, timeout=seconds), *bodies)))
    assert answers[3] == "extract_timeout"
    assert [each for each in answers if each.isdigit()] == list("012456789")


def test_a_page_that_takes_too_much_memory_costs_only_itself() -> None:
    answers = texts(
        asyncio.run(
            extract_all(replace(SETTINGS, worker_memory_mb=64, timeout=30), "<p>1", HUGE, "<p>2")
        )
    )
    assert answers == ["1", "out_of_memory", "2"]


def test_a_killed_worker_costs_one_page() -> None:
    async def scenario() -> list[ExtractionResult]:
        async with WorkerPool(replace(SETTINGS, timeout=30), MAX_BYTES) as pool:
            bodies = [HUGE, *(f"<p>{number}" for number in range(1, 6))]
            tasks = [asyncio.create_task(pool.extract(page(body))) for body in bodies]
            await asyncio.sleep(0.2)
            os.kill(pool.pids[0], signal.SIGSEGV)
            return await asyncio.gather(*tasks)

    assert texts(asyncio.run(scenario())) == ["worker_killed", *"12345"]


def test_a_page_whose_worker_is_killed_from_outside_is_extracted_once_more() -> None:
    async def scenario() -> tuple[list[ExtractionResult], list[ProcessState]]:
        async with WorkerPool(replace(SETTINGS, timeout=30), MAX_BYTES) as pool:
            tasks = [asyncio.create_task(pool.extract(page(f"<p>{n}"))) for n in range(6)]
            os.kill(pool.pids[0], signal.SIGKILL)
            return await asyncio.gather(*tasks), pool.states()

    answers, states = asyncio.run(scenario())
    assert texts(answers) == list("012345")
    assert (states[0].restarts, states[0].exit_code) == (1, -signal.SIGKILL)


def test_a_page_that_loses_two_workers_has_failed() -> None:
    async def scenario() -> ExtractionResult:
        async with WorkerPool(replace(SETTINGS, timeout=30, workers=1), MAX_BYTES) as pool:
            task = asyncio.create_task(pool.extract(page(HUGE)))
            (first,) = pool.pids
            await asyncio.sleep(0.2)
            os.kill(first, signal.SIGKILL)
            assert await asyncio.to_thread(wait_until, lambda: pool.pids not in ([], [first]))
            await asyncio.sleep(0.2)
            os.kill(pool.pids[0], signal.SIGKILL)
            return await task

    (failure,) = texts([asyncio.run(scenario())])
    assert failure in ("worker_killed", "worker_not_started")


def test_a_worker_that_dies_while_idle_is_replaced_and_reported() -> None:
    async def scenario() -> list[list[ProcessState]]:
        reports: list[list[ProcessState]] = []

        def report(states: Sequence[ProcessState]) -> None:
            reports.append(list(states))

        async with WorkerPool(SETTINGS, MAX_BYTES, on_change=report) as pool:
            os.kill(pool.pids[0], signal.SIGKILL)
            assert await asyncio.to_thread(wait_until, lambda: len(reports) == 2)
        return reports

    (first, *_), (second, *_) = asyncio.run(scenario())
    assert (first.name, first.restarts, first.exit_code) == ("extraction-1", 0, None)
    assert (second.restarts, second.exit_code) == (1, -signal.SIGKILL)
    assert second.state is RunState.RUNNING and second.pid not in (0, first.pid)


def test_a_worker_killed_while_idle_costs_nothing() -> None:
    async def scenario() -> tuple[ExtractionResult, bool]:
        async with WorkerPool(SETTINGS, MAX_BYTES) as pool:
            before = pool.pids
            os.kill(before[0], signal.SIGKILL)
            assert wait_until(lambda: is_dead(before[0]))
            return await pool.extract(page("<p>words")), pool.pids != before

    answer, replaced = asyncio.run(scenario())
    assert texts([answer]) == ["words"]
    assert replaced


def test_workers_ignore_interrupts() -> None:
    async def scenario() -> ExtractionResult:
        async with WorkerPool(SETTINGS, MAX_BYTES) as pool:
            before = pool.pids
            os.kill(before[0], signal.SIGINT)
            answer = await pool.extract(page("<p>words"))
            assert pool.pids == before
            return answer

    assert texts([asyncio.run(scenario())]) == ["words"]


def test_old_workers_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("byway.extract.worker.process.PAGES_PER_WORKER", 1)

    async def scenario() -> set[int]:
        async with WorkerPool(SETTINGS, MAX_BYTES) as pool:
            pids = set(pool.pids)
            for _ in range(3):
                await pool.extract(page("<p>x"))
                pids |= set(pool.pids)
            return pids

    assert len(asyncio.run(scenario())) == 3


@pytest.fixture
def scaling_settings(monkeypatch: pytest.MonkeyPatch) -> ExtractSettings:
    """As many workers as needed, on a machine with three cores."""
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    return replace(SETTINGS, workers=0, timeout=30)


def test_few_pages_are_read_by_one_worker(
    scaling_settings: ExtractSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "byway.extract.worker.pool.WAIT_BEFORE_NEXT_WORKER_SECONDS", WAIT_TIMEOUT_SECONDS
    )  # the machine may be slow

    async def scenario() -> int:
        async with WorkerPool(scaling_settings, MAX_BYTES) as pool:
            await asyncio.gather(*(pool.extract(page("<p>x")) for _ in range(20)))
            return len(pool.pids)

    assert asyncio.run(scenario()) == 1


def test_many_pages_are_read_by_one_worker_per_core(
    scaling_settings: ExtractSettings,
) -> None:
    async def scenario() -> int:
        async with WorkerPool(scaling_settings, MAX_BYTES) as pool:
            end = time.monotonic() + WAIT_TIMEOUT_SECONDS
            while len(pool.pids) < 3 and time.monotonic() < end:
                await asyncio.gather(*(pool.extract(page("<p>x y" * 500)) for _ in range(200)))
            return len(pool.pids)

    assert asyncio.run(scenario()) == 3


def test_a_slow_page_does_not_delay_others_for_long(scaling_settings: ExtractSettings) -> None:
    async def scenario() -> list[bool]:
        async with WorkerPool(scaling_settings, MAX_BYTES) as pool:
            slow = asyncio.create_task(pool.extract(page(HUGE * 3)))
            await asyncio.sleep(0.1)
            answer = await pool.extract(page("<p>quick"))
            overtaken = not slow.done()
            slow.cancel()
            return [texts([answer]) == ["quick"], overtaken, len(pool.pids) == 2]

    assert asyncio.run(scenario()) == [True, True, True]


def test_no_worker_outlives_the_pool() -> None:
    async def scenario() -> list[int]:
        async with WorkerPool(replace(SETTINGS, workers=2), MAX_BYTES) as pool:
            waiting = asyncio.create_task(pool.extract(page(HUGE)))
            await asyncio.sleep(0.1)
            pids = pool.pids
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return pids

    assert all(map(is_dead, asyncio.run(scenario())))


def test_workers_end_when_their_parent_is_killed() -> None:
    program = """
import asyncio, sys
from byway.extract.worker.pool import WorkerPool
from byway.core.settings.schema import ExtractSettings

async def main():
    async with WorkerPool(ExtractSettings(workers=2), 1000) as pool:
        print(*pool.pids, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert not any(map(is_dead, pids))
        parent.kill()
    assert wait_until(lambda: all(map(is_dead, pids)))


def can_unshare_network() -> bool:
    """Whether the kernel allows a network namespace."""
    tried = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x50000000))"
    return subprocess.run([sys.executable, "-c", tried]).returncode == 0


def devices_of(pid: int) -> list[str]:
    """The network devices that a process can see."""
    lines = Path(f"/proc/{pid}/net/dev").read_text().splitlines()[2:]
    return [line.split(":")[0].strip() for line in lines]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_workers_are_confined() -> None:
    def limits_of(pid: int) -> dict[str, str]:
        lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
        return {each[:25].strip(): each[26:].split()[0] for each in lines}

    async def scenario() -> dict[str, str]:
        async with WorkerPool(SETTINGS, MAX_BYTES) as pool:
            if can_unshare_network():
                assert devices_of(pool.pids[0]) == ["lo"]
            return limits_of(pool.pids[0])

    limits = asyncio.run(scenario())
    assert int(limits["Max address space"]) < 2 * SETTINGS.worker_memory_mb * 1024 * 1024
    assert (limits["Max file size"], limits["Max open files"]) == ("0", "64")


def test_an_error_in_a_rule_prevents_the_start(tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text("titel = 1")

    async def scenario() -> None:
        async with WorkerPool(SETTINGS, MAX_BYTES, tmp_path):
            raise AssertionError("it started")

    with pytest.raises(SettingsError) as caught:
        asyncio.run(scenario())
    assert caught.value.code == "extract.rule_misspelled_key"
