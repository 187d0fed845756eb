"""Every page of the test corpora gives a document or a failure, within the limits of a worker.

A sample of each corpus is read; CORPORA=all reads all pages, which takes a minute.
"""

import asyncio
import os
import time
from pathlib import Path

import pytest
from extract.corpora import CORPORA, pages
from extract.page_factory import MAX_BYTES, SETTINGS
from pace import slowness

from byway.core.model import ExtractionResult, Page
from byway.extract.worker.pool import WorkerPool

SAMPLE = {"pdfs": 8, "html5lib-tests": 20, "charset": 4, "hostile": 1}
"""Sampling interval of each corpus."""


def sampled_pages(corpus: str) -> list[Page]:
    everything = os.environ.get("CORPORA") == "all"
    return pages(corpus)[:: 1 if everything else SAMPLE[corpus]]


def peak_of(pid: int) -> int:
    """The peak memory of a process, in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


@pytest.mark.alone
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_page_gives_a_document_or_a_failure(corpus: str) -> None:
    async def scenario() -> None:
        async with WorkerPool(SETTINGS, MAX_BYTES) as pool:
            for page in sampled_pages(corpus):
                start = time.monotonic()
                extracted = await pool.extract(page)
                took = time.monotonic() - start
                assert is_complete(extracted), page.url
                late = took - SETTINGS.timeout
                assert late < 1 or late < slowness(time.perf_counter), f"{page.url}: {took:.1f} s"
                assert peak_of(pool.pids[0]) < SETTINGS.worker_memory_mb, page.url

    asyncio.run(scenario())


def is_complete(extracted: ExtractionResult) -> bool:
    return bool(extracted.packed_document) != bool(extracted.failure)
