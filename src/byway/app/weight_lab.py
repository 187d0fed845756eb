"""What would other weights do? Tried on a query, measured on judged ones, and written down."""

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
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.evaluate.comparison import ComparisonJob
from byway.evaluate.qrels import JudgementStore
from byway.evaluate.runs import RankingFunction
from byway.search.rank.signals import SIGNALS, signals_with_weights
from byway.storage.data_folder import DataFolder

HITS_SHOWN = 10
HITS_COMPARED = 30
"""Hits that are compared, so that a page from further down is not called new."""


@dataclass(frozen=True, slots=True)
class SignalWeight:
    """A signal, what it counts now, and what it counts unless somebody changes that."""

    name: str
    sentence: str
    current: float
    default: float


@dataclass(frozen=True, slots=True)
class ComparedHit:
    """A hit, and how many places it stands higher in the other order; None: not seen there."""

    hit: Hit
    places_gained: int | None


@dataclass(frozen=True, slots=True)
class RankingPreview:
    """The first answers to one query as they are, and as they would be."""

    before: tuple[ComparedHit, ...]
    after: tuple[ComparedHit, ...]


class WeightLab:
    """Weights and judged queries of one data folder. Threads may share it."""

    def __init__(self, folder: DataFolder, settings: Settings, session: SearchSession) -> None:
        self._folder = folder
        self._reading = session
        self._weights: Mapping[str, float] = settings.search.weights
        self._writing = threading.Lock()
        self.judged_queries = JudgementStore(folder.judged_queries)
        self.measurement: ComparisonJob | None = None

    def weights(self) -> list[SignalWeight]:
        """Every signal with its weight."""
        return [
            SignalWeight(one.name, one.sentence, now, one.weight)
            for one, now in signals_with_weights(self._weights)
        ]

    def preview(self, text: str, weights: Mapping[str, float]) -> RankingPreview:
        """A query answered with the weights as they are, and with these."""
        query = Query(text, HITS_COMPARED)
        before = self._reading.search(query)
        after = self._reading.searcher(self._with(weights)).search(query)
        return RankingPreview(_placed(before, after), _placed(after, before))

    def measure(self, weights: Mapping[str, float]) -> None:
        """Begin to ask every judged query with the weights as they are, and with these."""
        queries = self.judged_queries.all()
        if not any(grade > 0 for one in queries for grade in one.grades.values()):
            raise UsageError("no judged query has a page that is relevant; judge some first")
        spelt = normalize_judged_urls({one.id: one.grades for one in queries})
        queries = [replace(one, grades=spelt[one.id]) for one in queries]
        with self._writing:
            if self.measurement and self.measurement.running:
                raise UsageError("a measurement is under way; wait for it, or stop it")
            before, after = self._answer(self._weights), self._answer(self._with(weights))
            self.measurement = ComparisonJob(queries, before, after)
            self.measurement.start()

    def save(self, weights: Mapping[str, float]) -> None:
        """Count signals so from now on: here at once, elsewhere from the next start."""
        merged = self._with(weights)
        changed = {
            name: weight for name, weight in merged.items() if weight != SIGNALS[name].weight
        }
        with self._writing:
            write_weights(self._folder.settings_file, changed)
            self._reading.set_weights(changed)
            self._weights = changed

    def reset(self) -> None:
        """Count every signal as we would, whatever the settings said."""
        self.save({name: one.weight for name, one in SIGNALS.items()})

    def _with(self, weights: Mapping[str, float]) -> Mapping[str, float]:
        return {**self._weights, **weights}

    def _answer(self, weights: Mapping[str, float]) -> RankingFunction:
        return EvaluatedEngine(self._reading.searcher(weights), self._name_of).run_query

    def _name_of(self, id: UrlId) -> str:
        document = self._reading.document(id)
        return document.url if document else ""


def write_weights(path: Path, weights: Mapping[str, float]) -> None:
    """Put weights into a settings file in place of those there; all else in it stays as it is."""
    target = path.resolve()  # who keeps their settings elsewhere has a link here
    draft = target.with_suffix(".draft")
    try:
        load_settings(path, {})
        text = target.read_text(encoding="utf-8") if target.exists() else ""
        _write(draft, replace_weights(text, weights), target)
        load_settings(draft, {})  # what we could not read ourselves takes nobody's place
        draft.replace(target)
    except (TOMLKitError, SettingsError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be changed: {error}; mend it first") from error
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)


def _write(path: Path, text: str, like: Path) -> None:
    """A file that is there as a whole, and that nobody else may read than may read `like`."""
    with path.open("w", encoding="utf-8") as file:
        if like.exists():
            shutil.copymode(like, path)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace_weights(text: str, weights: Mapping[str, float]) -> str:
    """A settings file with these weights and no others."""
    document = tomlkit.parse(text)
    search = document.setdefault("search", tomlkit.table(is_super_table=True))
    there = search.get("weights")
    if isinstance(there, Table | InlineTable) and weights:
        there.clear()
        there.update(weights)
    else:
        search.pop("weights", None)
        if weights:
            search["weights"] = {**weights}
    if not search:
        del document["search"]
    return tomlkit.dumps(document)


def _placed(these: Results, others: Results) -> tuple[ComparedHit, ...]:
    there = {hit.id: place for place, hit in enumerate(others.hits)}
    return tuple(
        ComparedHit(hit, there[hit.id] - place if hit.id in there else None)
        for place, hit in enumerate(these.hits[:HITS_SHOWN])
    )
