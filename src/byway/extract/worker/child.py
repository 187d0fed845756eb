"""Worker process: extracts pages it receives over a socket, within memory, time and file limits.

    parent ── settings, then batches of pages ──▶ worker
    parent ◀── "ready", then a result per page ── worker

A frame is a four-byte length and a pickle. The process ends when the parent closes the socket or
dies.
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
from byway.core.verticals import Vertical
from byway.extract.dispatch import extract
from byway.extract.site_rules.rule import SiteRule
from byway.extract.worker.process import OUT_OF_MEMORY, OUT_OF_MEMORY_EXIT_CODE, pack_result

MAX_OPEN_FILES = 64
"""Maximum open files of a worker, which only needs files to import modules."""

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
"""Flags of unshare(2): a user namespace, and a network namespace without interfaces."""


def main() -> None:
    """Extract pages until the parent closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    with os.fdopen(0, "rb", closefd=False) as inbox, os.fdopen(os.dup(0), "wb") as outbox:
        settings, max_bytes, rules, load_verticals = pickle.loads(_receive(inbox) or b"")
        verticals = load_verticals()
        confine(settings.worker_memory_mb)
        _send(outbox, pickle.dumps("ready"))
        while batch := _receive(inbox):
            for values in pickle.loads(batch):
                limit_cpu(settings)
                page = Page(*values)
                _send(outbox, extract_packed(page, settings, max_bytes, rules, verticals))


def extract_packed(
    page: Page,
    settings: ExtractSettings,
    max_bytes: int,
    rules: Sequence[SiteRule],
    verticals: Sequence[Vertical] = (),
) -> bytes:
    """The extraction result of a page, packed for sending."""
    try:
        return pack_result(extract(page, settings, max_bytes, rules, verticals))
    except MemoryError:
        gc.collect()
        return pack_result(ExtractionResult(failure=OUT_OF_MEMORY))


def confine(megabytes: int) -> None:
    """Limit the memory and open files of this process, and block its network access."""
    _limit(resource.RLIMIT_AS, _address_space() + megabytes * 1024 * 1024)
    _limit(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":
        # Not fatal if the kernel forbids it: no code here opens connections.
        ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET)


def limit_cpu(settings: ExtractSettings) -> None:
    """Let the kernel kill this process if one page takes too long, in case the parent is gone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = math.ceil(used.ru_utime + used.ru_stime + settings.timeout) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _address_space() -> int:
    """The address space in use, in bytes; the program and its libraries count towards the limit."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 1 << 29


def _receive(inbox: BinaryIO) -> bytes | None:
    header = inbox.read(4)
    return inbox.read(int.from_bytes(header, "big")) if len(header) == 4 else None


def _send(outbox: BinaryIO, frame: bytes) -> None:
    # One write: two would wake the parent twice.
    outbox.write(len(frame).to_bytes(4, "big") + frame)
    outbox.flush()


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        os._exit(OUT_OF_MEMORY_EXIT_CODE)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)  # the parent is gone
