"""Weight lab: preview, measure and save ranking weights."""

import os
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from byway.app.evaluation import EvaluatedEngine, normalize_judged_urls
from byway.app.search import SearchSession
from byway.core.errors import DataError, SettingsError, UsageError
from byway.core.model import Hit, Query, Results, UrlId
from byway.core.ports import UserFiles
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.comparison import ComparisonJob
from byway.evaluate.qrels import JudgementStore
from byway.evaluate.runs import RankingFunction
from byway.search.rank.signals import SIGNALS, signals_with_weights

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

    def __init__(self, files: UserFiles, settings: Settings, session: SearchSession) -> None:
        self._files = files
        self._session = session
        self._weights: Mapping[str, float] = settings.search.weights
        self._lock = threading.Lock()
        self.judged_queries = JudgementStore(files.judged_queries)
        self.measurement: ComparisonJob | None = None

    def weights(self) -> list[SignalWeight]:
        """Every signal with its weight."""
        return [
            SignalWeight(signal.name, current, signal.weight)
            for signal, current in signals_with_weights(self._weights)
        ]

    def preview(self, text: str, weights: Mapping[str, float]) -> RankingPreview:
        """The hits for a query with the current weights and with these trial weights."""
        query = Query(text, HITS_COMPARED)
        before = self._session.search(query)
        after = self._session.searcher(self._merged(weights)).search(query)
        return RankingPreview(_compare(before, after), _compare(after, before))

    def measure(self, weights: Mapping[str, float]) -> None:
        """Start comparing the current weights with these on all judged queries."""
        queries = self.judged_queries.all()
        if not any(grade > 0 for one in queries for grade in one.grades.values()):
            raise UsageError("search.no_relevant_judgments")
        grades = normalize_judged_urls({one.id: one.grades for one in queries})
        queries = [replace(one, grades=grades[one.id]) for one in queries]
        with self._lock:
            if self.measurement and self.measurement.running:
                raise UsageError("search.measurement_running")
            before, after = self._ranking(self._weights), self._ranking(self._merged(weights))
            self.measurement = ComparisonJob(queries, before, after)
            self.measurement.start()

    def save(self, weights: Mapping[str, float]) -> None:
        """Use these weights from now on; other processes read them at their next start."""
        merged = self._merged(weights)
        changed = {
            name: weight for name, weight in merged.items() if weight != SIGNALS[name].weight
        }
        with self._lock:
            write_weights(self._files.settings_file, changed)
            self._session.set_weights(changed)
            self._weights = changed

    def reset(self) -> None:
        """Restore the default weights."""
        self.save({name: one.weight for name, one in SIGNALS.items()})

    def _merged(self, weights: Mapping[str, float]) -> Mapping[str, float]:
        return {**self._weights, **weights}

    def _ranking(self, weights: Mapping[str, float]) -> RankingFunction:
        return EvaluatedEngine(self._session.searcher(weights), self._url_of).run_query

    def _url_of(self, id: UrlId) -> str:
        document = self._session.document(id)
        return document.url if document else ""


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
