"""Weight lab: preview, measure and save ranking weights."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from byway.app.processes.task_call import wait_for_message
from byway.app.processes.tasks import MeasurementTask, process_spec
from byway.app.processes.worker_memory import LockName, WorkerMemory
from byway.app.search import SearchSession
from byway.app.weight_measurement import (
    PROCESS_NAME,
    Measurement,
    MeasurementFile,
    judged_queries,
)
from byway.core.errors import DataError, SettingsError, UsageError
from byway.core.model import Hit, Query, Results
from byway.core.ports import Runner, Storage
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.qrels import JudgementStore
from byway.search.rank.signals import SIGNALS, signals_with_weights

START_TIMEOUT_SECONDS = 20.0
"""Seconds to wait for a measurement to start."""
HITS_SHOWN = 10
HITS_COMPARED = 30
"""Number of hits compared; large enough that a page from further down is not taken as new."""


@dataclass(frozen=True, slots=True)
class SignalWeight:
    """The current and the default weight of a signal."""

    name: str
    current: float
    default: float


@dataclass(frozen=True, slots=True)
class ComparedHit:
    """A hit, and how many places it moves up in the other ranking; None if it is not there."""

    hit: Hit
    places_gained: int | None


@dataclass(frozen=True, slots=True)
class RankingPreview:
    """The top hits for a query with the current weights and with trial weights."""

    before: tuple[ComparedHit, ...]
    after: tuple[ComparedHit, ...]


class WeightLab:
    """Weights and judged queries of one data folder; thread-safe."""

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        session: SearchSession,
        workers: WorkerMemory,
        runner: Runner,
    ) -> None:
        self._storage = storage
        self._settings = settings
        self._session = session
        self._workers = workers
        self._runner = runner
        self._measurement = MeasurementFile(storage)
        self.judged_queries = JudgementStore(
            storage.judged_queries, partial(workers.lock, LockName.JUDGE)
        )

    def weights(self) -> list[SignalWeight]:
        """Every signal with its weight."""
        return [
            SignalWeight(signal.name, current, signal.weight)
            for signal, current in signals_with_weights(self._session.weights)
        ]

    def preview(self, text: str, weights: Mapping[str, float]) -> RankingPreview:
        """The hits for a query with the current weights and with these trial weights."""
        query = Query(text, HITS_COMPARED)
        before = self._session.search(query)
        after = self._session.searcher(self._merged(weights)).search(query)
        return RankingPreview(_compare(before, after), _compare(after, before))

    def measure(self, weights: Mapping[str, float]) -> None:
        """Start comparing the current weights with these on all judged queries."""
        judged_queries(self.judged_queries)
        current = replace(self._settings.search, weights=self._session.weights)
        task = MeasurementTask(
            path=str(self._storage.path),
            settings=replace(self._settings, search=current),
            weights=self._merged(weights),
        )
        log_path = str(self._storage.log_file(PROCESS_NAME))
        process = process_spec(PROCESS_NAME, task, is_detached=True, log_path=log_path)
        with self._workers.lock(LockName.MEASURE):
            if (last := self.measurement()) and last.running:
                raise UsageError("search.measurement_running")
            with suppress(TimeoutError):  # it is still starting
                wait_for_message(self._runner, process, "started", START_TIMEOUT_SECONDS)

    def measurement(self) -> Measurement | None:
        """The measurement that is running, or the last one."""
        return self._measurement.read()

    def stop_measurement(self) -> None:
        """Stop after the current query; the finished queries still count."""
        self._measurement.stop()

    def save(self, weights: Mapping[str, float]) -> None:
        """Use these weights from now on; other commands read them at their next start."""
        with self._workers.lock(LockName.SAVE_WEIGHTS):
            merged = self._merged(weights)
            changed = {
                name: weight for name, weight in merged.items() if weight != SIGNALS[name].weight
            }
            write_weights(self._storage.settings_file, changed)
            self._session.set_weights(changed)

    def reset(self) -> None:
        """Restore the default weights."""
        self.save({name: one.weight for name, one in SIGNALS.items()})

    def _merged(self, weights: Mapping[str, float]) -> Mapping[str, float]:
        return {**self._session.weights, **weights}


def write_weights(path: Path, weights: Mapping[str, float]) -> None:
    """Replace the weights in a settings file; the rest stays unchanged."""
    target = path.resolve()  # it may be a symbolic link
    draft = target.with_suffix(".draft")
    try:
        load_settings(path, {})
        text = target.read_text(encoding="utf-8") if target.exists() else ""
        _write(draft, replace_weights(text, weights), target)
        load_settings(draft, {})  # an invalid file must not replace a valid one
        draft.replace(target)
    except (TOMLKitError, SettingsError, UnicodeDecodeError) as error:
        raise SettingsError(
            "search.settings_not_changed", path=str(path), cause=str(error)
        ) from error
    except OSError as error:
        raise DataError(
            "search.settings_not_writable", path=str(path), cause=error.strerror
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _write(path: Path, text: str, like: Path) -> None:
    """Write a file and sync it to disk, with the permissions of `like`."""
    with path.open("w", encoding="utf-8") as file:
        if like.exists():
            shutil.copymode(like, path)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace_weights(text: str, weights: Mapping[str, float]) -> str:
    """The text of a settings file with these weights and no others."""
    document = tomlkit.parse(text)
    search = document.setdefault("search", tomlkit.table(is_super_table=True))
    current = search.get("weights")
    if isinstance(current, Table | InlineTable) and weights:
        current.clear()
        current.update(weights)
    else:
        search.pop("weights", None)
        if weights:
            search["weights"] = {**weights}
    if not search:
        del document["search"]
    return tomlkit.dumps(document)


def _compare(results: Results, others: Results) -> tuple[ComparedHit, ...]:
    other_places = {hit.id: place for place, hit in enumerate(others.hits)}
    return tuple(
        ComparedHit(hit, other_places[hit.id] - place if hit.id in other_places else None)
        for place, hit in enumerate(results.hits[:HITS_SHOWN])
    )
