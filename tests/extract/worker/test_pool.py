import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import uvloop
from extract.making import HOSTILE_PAGES, MAX_BYTES, SETTINGS, page
from pace import WAIT_TIMEOUT_SECONDS, run_within, slowness, wait_until

from byway.core.errors import BywayError
from byway.core.model import ExtractionResult
from byway.core.model.codec import pack, unpack
from byway.core.model.message import NO_REASON, Reason
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract
from byway.extract.worker.pool import WorkerPool
from byway.extract.worker.protocol import Channel, pack_result, unpack_result

HUGE = "<p><b>x</b> <a href=/y>y</a>" * 280_000
"""Legal, and about a second of work and 300 MB of memory for any parser."""


async def all_of(settings: ExtractSettings, *bodies: str) -> list[ExtractionResult]:
    async with WorkerPool(settings, MAX_BYTES) as readers:
        return await asyncio.gather(*(readers.extract(page(body)) for body in bodies))


def texts(answers: list[ExtractionResult]) -> list[str]:
    return [
        unpack(each.packed_document).text if each.packed_document else each.failure.code
        for each in answers
    ]


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_readers_say_what_extract_says(run: Callable[..., list[ExtractionResult]]) -> None:
    body = """<title>T</title><h1 id=a>H</h1><p>words <b>bold</b> <a href=/x>x</a>
    <img src=i.png alt=picture><meta property="og:type" content=article>"""
    read = extract(page(body), SETTINGS, MAX_BYTES)
    assert read.document
    expected = replace(read, document=None, packed_document=pack(read.document))
    answers = run(all_of(replace(SETTINGS, workers=2), *[body] * 100))
    assert answers == [expected] * 100
    assert unpack_result(pack_result(read)) == expected
    failed = ExtractionResult(failure=Reason("pdf_damaged", detail="why"))
    assert unpack_result(pack_result(failed)) == failed


@pytest.mark.alone
def test_hostile_pages_end_in_a_document_in_good_time() -> None:
    def answers() -> list[ExtractionResult]:
        return asyncio.run(all_of(SETTINGS, *HOSTILE_PAGES))

    given = run_within(SETTINGS.timeout, answers, time.perf_counter)
    assert [each.failure for each in given] == [NO_REASON] * len(HOSTILE_PAGES)


@pytest.mark.alone
def test_a_page_that_takes_too_long_costs_only_itself() -> None:
    bodies = [f"<p>{number}" for number in range(10)]
    bodies[3] = HUGE
    seconds = round(0.1 * slowness(time.perf_counter), 1)
    answers = texts(asyncio.run(all_of(replace(SETTINGS, timeout=seconds), *bodies)))
    assert answers[3] == f"reading it took longer than {seconds:g} s"
    assert [each for each in answers if each.isdigit()] == list("012456789")


def test_a_page_that_takes_too_much_memory_costs_only_itself() -> None:
    answers = texts(
        asyncio.run(
            all_of(replace(SETTINGS, worker_memory_mb=64, timeout=30), "<p>1", HUGE, "<p>2")
        )
    )
    assert answers == ["1", "its reader ran out of memory", "2"]


def test_a_killed_reader_costs_one_page() -> None:
    async def scene() -> list[ExtractionResult]:
        async with WorkerPool(replace(SETTINGS, timeout=30), MAX_BYTES) as readers:
            bodies = [HUGE, *(f"<p>{number}" for number in range(1, 6))]
            reading = [asyncio.create_task(readers.extract(page(body))) for body in bodies]
            await asyncio.sleep(0.2)
            os.kill(readers.pids[0], signal.SIGSEGV)
            return await asyncio.gather(*reading)

    assert texts(asyncio.run(scene())) == ["its reader died (signal 11)", *"12345"]


def test_a_reader_killed_while_idle_costs_nothing() -> None:
    async def scene() -> tuple[ExtractionResult, bool]:
        async with WorkerPool(SETTINGS, MAX_BYTES) as readers:
            before = readers.pids
            os.kill(before[0], signal.SIGKILL)
            assert wait_until(lambda: gone(before[0]))
            return await readers.extract(page("<p>words")), readers.pids != before

    answer, replaced = asyncio.run(scene())
    assert texts([answer]) == ["words"]
    assert replaced


def test_interrupts_are_for_the_parent() -> None:
    async def scene() -> ExtractionResult:
        async with WorkerPool(SETTINGS, MAX_BYTES) as readers:
            before = readers.pids
            os.kill(before[0], signal.SIGINT)
            answer = await readers.extract(page("<p>words"))
            assert readers.pids == before
            return answer

    assert texts([asyncio.run(scene())]) == ["words"]


def test_old_readers_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("byway.extract.worker.process.PAGES_PER_WORKER", 1)

    async def scene() -> set[int]:
        async with WorkerPool(SETTINGS, MAX_BYTES) as readers:
            pids = set(readers.pids)
            for _ in range(3):
                await readers.extract(page("<p>x"))
                pids |= set(readers.pids)
            return pids

    assert len(asyncio.run(scene())) == 3


@pytest.fixture
def growing(monkeypatch: pytest.MonkeyPatch) -> ExtractSettings:
    """As many readers as needed, on a machine with three cores."""
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    return replace(SETTINGS, workers=0, timeout=30)


def test_few_pages_are_read_by_one_reader(
    growing: ExtractSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "byway.extract.worker.pool.WAIT_BEFORE_NEXT_WORKER_SECONDS", WAIT_TIMEOUT_SECONDS
    )  # none is slow, but we may be

    async def scene() -> int:
        async with WorkerPool(growing, MAX_BYTES) as readers:
            await asyncio.gather(*(readers.extract(page("<p>x")) for _ in range(20)))
            return len(readers.pids)

    assert asyncio.run(scene()) == 1


def test_many_pages_are_read_by_as_many_readers_as_there_are_cores(
    growing: ExtractSettings,
) -> None:
    async def scene() -> int:
        async with WorkerPool(growing, MAX_BYTES) as readers:
            end = time.monotonic() + WAIT_TIMEOUT_SECONDS
            while len(readers.pids) < 3 and time.monotonic() < end:
                await asyncio.gather(*(readers.extract(page("<p>x y" * 500)) for _ in range(200)))
            return len(readers.pids)

    assert asyncio.run(scene()) == 3


def test_a_slow_page_holds_up_nobody_for_long(growing: ExtractSettings) -> None:
    async def scene() -> list[bool]:
        async with WorkerPool(growing, MAX_BYTES) as readers:
            slow = asyncio.create_task(readers.extract(page(HUGE * 3)))
            await asyncio.sleep(0.1)
            answer = await readers.extract(page("<p>quick"))
            overtaken = not slow.done()
            slow.cancel()
            return [texts([answer]) == ["quick"], overtaken, len(readers.pids) == 2]

    assert asyncio.run(scene()) == [True, True, True]


def test_no_reader_outlives_the_block() -> None:
    async def scene() -> list[int]:
        async with WorkerPool(replace(SETTINGS, workers=2), MAX_BYTES) as readers:
            waiting = asyncio.create_task(readers.extract(page(HUGE)))
            await asyncio.sleep(0.1)
            pids = readers.pids
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return pids

    assert all(map(gone, asyncio.run(scene())))


def test_readers_go_when_their_parent_is_killed() -> None:
    program = """
import asyncio, sys
from byway.extract.worker.pool import Readers
from byway.core.settings.schema import ExtractSettings

async def main():
    async with Readers(ExtractSettings(workers=2), 1000) as readers:
        print(*readers.pids, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert not any(map(gone, pids))
        parent.kill()
    assert wait_until(lambda: all(map(gone, pids)))


def may_leave_the_network() -> bool:
    """Does the kernel let a process of ours have a network of its own?"""
    tried = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x50000000))"
    return subprocess.run([sys.executable, "-c", tried]).returncode == 0


def devices_of(pid: int) -> list[str]:
    """The network devices that a process can see."""
    lines = Path(f"/proc/{pid}/net/dev").read_text().splitlines()[2:]
    return [line.split(":")[0].strip() for line in lines]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_readers_are_confined() -> None:
    def limits_of(pid: int) -> dict[str, str]:
        lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
        return {each[:25].strip(): each[26:].split()[0] for each in lines}

    async def scene() -> dict[str, str]:
        async with WorkerPool(SETTINGS, MAX_BYTES) as readers:
            if may_leave_the_network():
                assert devices_of(readers.pids[0]) == ["lo"]
            return limits_of(readers.pids[0])

    limits = asyncio.run(scene())
    assert int(limits["Max address space"]) < 2 * SETTINGS.worker_memory_mb * 1024 * 1024
    assert (limits["Max file size"], limits["Max open files"]) == ("0", "64")


def test_an_answer_that_is_more_than_data_is_refused() -> None:
    import pickle

    with pytest.raises(pickle.UnpicklingError, match="system"):
        unpack_result(pickle.dumps(os.system))


def test_a_wrong_rule_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text("titel = 1")

    async def scene() -> None:
        async with WorkerPool(SETTINGS, MAX_BYTES, tmp_path):
            raise AssertionError("it started")

    with pytest.raises(BywayError, match="titel is not a key"):
        asyncio.run(scene())


def test_what_comes_over_a_line_is_cut_into_frames_wherever_it_was_broken() -> None:
    async def frames() -> list[bytes]:
        ours, theirs = socket.socketpair()
        line = await Channel.connect(ours)
        with theirs:
            sent = b"".join(len(each).to_bytes(4, "big") + each for each in (b"one", b"", b"three"))
            for byte in sent:
                theirs.send(bytes([byte]))
                await asyncio.sleep(0)
            return [await line.receive_frame(1.0) for _ in range(3)]

    assert asyncio.run(frames()) == [b"one", b"", b"three"]


def test_a_frame_that_comes_by_the_drip_comes_too_late() -> None:
    async def wait() -> None:
        ours, theirs = socket.socketpair()
        line = await Channel.connect(ours)
        with theirs, pytest.raises(TimeoutError):
            waiting = asyncio.create_task(line.receive_frame(0.2))
            for _ in range(8):
                await asyncio.sleep(0.05)
                theirs.send(b"\0")
            await waiting
        line.close()

    asyncio.run(wait())


def test_a_frame_of_an_absurd_size_is_not_waited_for() -> None:
    async def wait() -> None:
        ours, theirs = socket.socketpair()
        line = await Channel.connect(ours)
        with theirs, pytest.raises(ValueError, match="4,294,967,295 bytes"):
            theirs.send(b"\xff" * 4)
            await line.receive_frame(5.0)
        line.close()

    asyncio.run(wait())
