"""The process that reads pages: takes them from a socket, answers after each, stays in limits.

    parent ── settings, then batches of pages ──▶ reader
    parent ◀── "ready", then one answer a page ── reader

A frame is four bytes of length and a pickle. It ends when the parent closes the socket or dies.
"""

import ctypes
import gc
import math
import os
import pickle
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from byway.core.model import ExtractionResult, Page
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract
from byway.extract.site_rules.rule import SiteRule
from byway.extract.worker.protocol import OUT_OF_MEMORY, OUT_OF_MEMORY_EXIT_CODE, pack_result
from byway.products.vocabulary.lookup import ProductVocabulary

MAX_OPEN_FILES = 64
"""Files a reader may have open: it needs the odd module, and nothing else."""

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
"""Flags of unshare(2): a user namespace, and in it a network without a single interface."""


def main() -> None:
    """Read pages until the other side hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    with os.fdopen(0, "rb", closefd=False) as inbox, os.fdopen(os.dup(0), "wb") as outbox:
        settings, max_bytes, *known = pickle.loads(_received(inbox) or b"")
        confine(settings.worker_memory_mb)
        _send(outbox, pickle.dumps("ready"))
        while batch := _received(inbox):
            for values in pickle.loads(batch):
                limit_cpu(settings)
                _send(outbox, extract_packed(Page(*values), settings, max_bytes, *known))


def extract_packed(
    page: Page,
    settings: ExtractSettings,
    max_bytes: int,
    rules: Sequence[SiteRule],
    vocabulary: ProductVocabulary | None = None,
) -> bytes:
    """What is sent back for a page."""
    try:
        return pack_result(extract(page, settings, max_bytes, rules, vocabulary))
    except MemoryError:
        gc.collect()
        return pack_result(ExtractionResult(failure=OUT_OF_MEMORY))


def confine(megabytes: int) -> None:
    """Give up what reading does not need: memory beyond the limit, files, and the network."""
    _limit(resource.RLIMIT_AS, _size() + megabytes * 1024 * 1024)
    _limit(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":
        # Where the kernel forbids it we go on: no code here opens a connection anyway.
        ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET)


def limit_cpu(settings: ExtractSettings) -> None:
    """Let the kernel end us when one page takes too long, in case nobody else is left to."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = math.ceil(used.ru_utime + used.ru_stime + settings.timeout) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(kind, (most, most))


def _size() -> int:
    """The address space we have now, in bytes; programs and libraries count towards the limit."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 1 << 29


def _received(inbox: BinaryIO) -> bytes | None:
    header = inbox.read(4)
    return inbox.read(int.from_bytes(header, "big")) if len(header) == 4 else None


def _send(outbox: BinaryIO, frame: bytes) -> None:
    # In one piece: in two, whoever listens wakes up twice.
    outbox.write(len(frame).to_bytes(4, "big") + frame)
    outbox.flush()


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        os._exit(OUT_OF_MEMORY_EXIT_CODE)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)  # the parent is gone, and so is whom we would tell
