"""Whatever comes, it ends in a document or a reason, in time and within the reader's memory.

A sample of each corpus is read here, as all of them take a minute: CORPORA=all reads them.
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
"""One page of so many is in the sample."""


def chosen(corpus: str) -> list[Page]:
    everything = os.environ.get("CORPORA") == "all"
    return pages(corpus)[:: 1 if everything else SAMPLE[corpus]]


def peak_of(pid: int) -> int:
    """The most memory that a process has had, in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


@pytest.mark.alone
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells")
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_page_gives_a_document_or_a_failure(corpus: str) -> None:
    async def scene() -> None:
        async with WorkerPool(SETTINGS, MAX_BYTES) as readers:
            for one in chosen(corpus):
                start = time.monotonic()
                extracted = await readers.extract(one)
                took = time.monotonic() - start
                assert ended(extracted), one.url
                late = took - SETTINGS.timeout
                assert late < 1 or late < slowness(time.perf_counter), f"{one.url}: {took:.1f} s"
                assert peak_of(readers.pids[0]) < SETTINGS.worker_memory_mb, one.url

    asyncio.run(scene())


def ended(extracted: ExtractionResult) -> bool:
    return bool(extracted.packed_document) != bool(extracted.failure)
