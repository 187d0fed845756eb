"""Search quality: measuring it on judged queries, and learning weights from them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from byway.app.evaluation import (
    EvaluatedEngine,
    cache_folder,
    normalize_judged_urls,
    open_collection,
    open_data_folder,
    signal_weights,
)
from byway.core.model.measurement import ConfidenceInterval, Difference, TunedWeights
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection, Judgements, read_collection
from byway.evaluate.runs import Run, RunScores, as_trec, run_queries, score
from byway.evaluate.weight_tuner import TrainingExample, tune, weights_toml


class JudgedPages(NamedTuple):
    """The number of judged pages that are not indexed, and of all judged pages."""

    missing: int
    total: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measures of one collection, perhaps compared with a baseline."""

    collection: str
    query_count: int
    judged_pages: JudgedPages
    measures: Mapping[str, ConfidenceInterval]
    baseline: Mapping[str, ConfidenceInterval] = field(default_factory=dict)
    """The same measures with other settings; empty without a baseline."""
    differences: Mapping[str, Difference] = field(default_factory=dict)
    """The difference between the baseline and this evaluation, for each measure."""


def evaluate(
    folder: Path,
    settings: Settings,
    data: Path | None = None,
    baseline: Settings | None = None,
    run_file: Path | None = None,
) -> Evaluation:
    """Measure search quality on the judged queries of a folder.

    `data`: search this data folder instead of the folder's own documents; judgments then name
    pages by URL. `run_file`: write the results there, as a TREC run.
    """
    collection = read_collection(folder)
    run, scores, judged_pages = _run(collection, settings, data)
    if run_file:
        run_file.write_text("".join(f"{line}\n" for line in as_trec(run)), encoding="utf-8")
    other = _run(collection, baseline, data)[1] if baseline else None
    return Evaluation(
        collection=collection.name,
        query_count=len(scores.queries),
        judged_pages=judged_pages,
        measures=scores.intervals(),
        baseline=other.intervals() if other else {},
        differences=scores.compare_to(other) if other else {},
    )


def tune_weights(
    folders: Sequence[Path],
    settings: Settings,
    output_file: Path,
    max_queries: int,
    data: Path | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> tuple[TunedWeights, list[JudgedPages]]:
    """Learn weights from the judged queries of these folders, and write them to a settings file.

    `progress(name)` is called for each collection, and with an empty name before learning.
    """
    collections = [read_collection(folder) for folder in folders]
    examples, judged_pages = [], []
    for collection in collections:
        progress(collection.name)
        with _open(collection, settings, data) as (engine, judgements):
            judged_pages.append(JudgedPages(*engine.count_missing(judgements)))
            examples.append(_examples(collection, engine, judgements, max_queries))
    progress("")
    tuned = tune(examples, signal_weights(settings))
    names = ", ".join(collection.name for collection in collections)
    output_file.write_text(weights_toml(tuned, names), encoding="utf-8")
    return tuned, judged_pages


@contextmanager
def _open(
    collection: Collection, settings: Settings, data: Path | None
) -> Iterator[tuple[EvaluatedEngine, Judgements]]:
    """The engine to evaluate, and the judgments on its documents."""
    if data:
        with open_data_folder(data, settings) as engine:
            yield engine, normalize_judged_urls(collection.judgements)
    else:
        with open_collection(collection, settings, cache_folder()) as engine:
            yield engine, collection.judgements


def _run(
    collection: Collection, settings: Settings, data: Path | None
) -> tuple[Run, RunScores, JudgedPages]:
    with _open(collection, settings, data) as (engine, judgements):
        judged_pages = JudgedPages(*engine.count_missing(judgements))
        run = run_queries(collection.queries, engine.run_query)
    return run, score(run, judgements), judged_pages


def _examples(
    collection: Collection, engine: EvaluatedEngine, judgements: Judgements, max_queries: int
) -> list[TrainingExample]:
    queries = collection.sample(max_queries)
    examples = [engine.training_example(query.text, judgements[query.id]) for query in queries]
    return [example for example in examples if example.ideal_dcg > 0]
