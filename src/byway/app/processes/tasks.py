"""Tasks: the arguments of each process, sent as JSON, and the module it runs."""

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec

from byway.app.processes.worker_memory import worker_memory_file
from byway.core.model import Job, ProcessSpec, RestartPolicy, Url
from byway.core.settings.schema import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task to run in a data folder."""

    module: ClassVar[str]

    path: str
    """The data folder."""
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class WebTask(Task):
    """Serve the search page and the API on an inherited socket."""

    module: ClassVar[str] = "byway.web.web_process"

    listener: int
    """The file descriptor of the listening socket."""
    memory: int
    """The file descriptor of the memory that the workers share."""
    worker: int = 1
    """The number of this worker, from 1."""
    workers: int = 1
    """The number of all workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerTask(Task):
    """Index the pages of a crawl as they come."""

    module: ClassVar[str] = "byway.app.processes.indexer_process"

    until_crawl_ends: bool = False
    """Whether to end with the crawl; if False, run until stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTask(Task):
    """Index the pages of one shard."""

    module: ClassVar[str] = "byway.app.processes.shard_process"

    documents: str
    """The document store."""
    index: str
    """The folder of the index."""
    shard: int
    channel: int
    """The file descriptor of the socket on which batches arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlTask(Task):
    """Crawl these seeds and continue the last crawl."""

    module: ClassVar[str] = "byway.app.processes.crawl_process"

    seeds: tuple[Url, ...] = ()
    due_by: float = 0.0
    """Revisit the pages that are due by then."""
    job: Job | None = None
    """Crawl only this job."""
    reports_progress: bool = False
    """Whether to report progress; if False, only report the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalTask(Task):
    """Remove pages or a site, or restore them."""

    module: ClassVar[str] = "byway.app.processes.removal_process"

    urls: tuple[Url, ...] = ()
    site: str = ""
    undo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementTask(Task):
    """Compare the weights of the settings with others on the judged queries."""

    module: ClassVar[str] = "byway.app.processes.measurement_process"

    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTrialTask(Task):
    """Try a site rule on a page, which is fetched and not stored."""

    module: ClassVar[str] = "byway.app.processes.rule_trial_process"

    rule: str
    url: Url


T = TypeVar("T", bound=Task)


def process_spec(name: str, task: Task, **options: Any) -> ProcessSpec:
    """The spec of the process that runs a task; `options` are other fields of the spec."""
    return ProcessSpec(name, task.module, msgspec.to_builtins(task), **options)


def read_task(arguments: Mapping[str, Any], task_type: type[T]) -> T:
    """The task in the arguments of a process."""
    return msgspec.convert(arguments, task_type)


@contextmanager
def web_processes(
    path: Path, settings: Settings, listener: socket.socket
) -> Iterator[list[ProcessSpec]]:
    """The web workers, which serve one socket; connections wait in it while all restart.

    They share memory, which lasts for the duration of the block.
    """
    workers = settings.serve.workers or _core_count()
    with worker_memory_file(workers) as memory:
        descriptors = (listener.fileno(), memory)
        yield [
            process_spec(
                f"web-{number}",
                WebTask(
                    path=str(path),
                    settings=settings,
                    listener=listener.fileno(),
                    memory=memory,
                    worker=number,
                    workers=workers,
                ),
                restart=RestartPolicy.ALWAYS,
                file_descriptors=descriptors,
            )
            for number in range(1, workers + 1)
        ]


def _core_count() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def indexer_process(path: Path, settings: Settings) -> ProcessSpec:
    """The indexer, which follows the crawl."""
    task = IndexerTask(path=str(path), settings=settings)
    return process_spec("indexer", task, restart=RestartPolicy.ALWAYS)


def crawl_process(path: Path, settings: Settings, seeds: Sequence[Url]) -> ProcessSpec:
    """The crawl; if killed, it continues where it left off."""
    task = CrawlTask(path=str(path), settings=settings, seeds=tuple(seeds), reports_progress=True)
    return process_spec("crawl", task, restart=RestartPolicy.UNTIL_FINISHED)
