"""Measurement of trial weights on the judged queries, in a process that any web worker can see.

Its progress and result are in `measurement.json` in the data folder, and it publishes its state
while it runs.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from byway.app.search import SearchSession
from byway.core.errors import BywayError, DataError, UsageError, error_from_plain, error_to_plain
from byway.core.model import ProcessState, UrlId
from byway.core.ports import Storage
from byway.evaluate.comparison import ComparisonJob, WeightComparison
from byway.evaluate.qrels import GradedQuery, JudgementStore
from byway.evaluate.runs import RankingFunction

PROCESS_NAME = "measurement"
FILE_NAME = "measurement.json"
PROGRESS_INTERVAL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class MeasurementRecord:
    """The content of the file."""

    pid: int
    total: int
    done: int = 0
    error: Mapping[str, Any] | None = None
    result: WeightComparison | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """The measurement that is running, or the last one."""

    total: int
    done: int
    running: bool
    error: BywayError | None = None
    result: WeightComparison | None = None


class MeasurementFile:
    """The last measurement in a data folder, for readers and for the process that makes it."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._path = storage.path / FILE_NAME

    def read(self) -> Measurement | None:
        """The measurement that is running, or the last one; None before the first."""
        running_pids = self._running_pids()  # first: a result is written before the end
        try:
            record = msgspec.json.decode(self._path.read_bytes(), type=MeasurementRecord)
        except (OSError, msgspec.MsgspecError):  # none yet, or by another version
            return None
        running = record.pid in running_pids
        error = error_from_plain(record.error) if record.error else None
        if not (running or error or record.result):
            error = DataError("evaluate.comparison_failed")  # it was killed
        return Measurement(record.total, record.done, running, error, record.result)

    def stop(self) -> None:
        """Ask the running measurement to end after the current query."""
        for pid in self._running_pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def write(self, record: MeasurementRecord) -> None:
        """Replace the measurement."""
        draft = self._path.with_suffix(".draft")
        # The measures of a comparison are NumPy floats.
        draft.write_bytes(msgspec.json.encode(record, enc_hook=float))
        draft.replace(self._path)

    def _running_pids(self) -> list[int]:
        states = self._storage.process_states().read()
        return [state.pid for state in states if state.name == PROCESS_NAME]


def judged_queries(store: JudgementStore) -> list[GradedQuery]:
    """The judged queries; raises an error if no page is relevant to any."""
    queries = store.all()
    if not any(grade > 0 for one in queries for grade in one.grades.values()):
        raise UsageError("search.no_relevant_judgments")
    return queries


def measure(
    storage: Storage,
    session: SearchSession,
    weights: Mapping[str, float],
    on_start: Callable[[int], None],
) -> None:
    """Compare the weights of the session with these, until the end or SIGTERM."""
    from byway.app.evaluation import normalize_judged_urls  # late: 2.5 MB in each web worker

    file = MeasurementFile(storage)
    queries = judged_queries(JudgementStore(storage.judged_queries))
    grades = normalize_judged_urls({one.id: one.grades for one in queries})
    queries = [replace(one, grades=grades[one.id]) for one in queries]
    before, after = (_ranking(session, each) for each in (session.weights, weights))
    job = ComparisonJob(queries, before, after)
    signal.signal(signal.SIGTERM, lambda number, frame: job.stop())
    record = MeasurementRecord(os.getpid(), job.total)
    with storage.process_states().publisher() as publish:
        publish([ProcessState(PROCESS_NAME, pid=record.pid, running_since=time.time())])
        file.write(record)
        on_start(job.total)
        job.start()
        while not job.wait(PROGRESS_INTERVAL_SECONDS):
            file.write(replace(record, done=job.done))
        error = error_to_plain(job.error) if job.error else None
        file.write(replace(record, done=job.done, error=error, result=job.result))


def _ranking(session: SearchSession, weights: Mapping[str, float]) -> RankingFunction:
    from byway.app.evaluation import EvaluatedEngine

    def url_of(id: UrlId) -> str:
        document = session.document(id)
        return document.url if document else ""

    return EvaluatedEngine(session.searcher(weights), url_of).run_query
