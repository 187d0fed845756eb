"""Ctrl-C ends a command even when the cancellation is lost once."""

import asyncio
import os
import signal

import pytest

from byway.cli.support.stop_signals import run_until_interrupted


def test_the_result_is_returned() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    assert run_until_interrupted(work()) == 7


def test_an_interrupt_ends_work_that_loses_its_first_cancellation() -> None:
    cancellations = 0

    async def work() -> None:
        nonlocal cancellations
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        for _ in range(2):
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancellations += 1

    with pytest.raises(KeyboardInterrupt):
        run_until_interrupted(work())
    assert cancellations == 2
