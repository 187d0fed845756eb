"""Measurement process: compares two sets of weights on the judged queries."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from byway.app.engine import Engine
from byway.app.processes.child_process import Send, run_child
from byway.app.processes.tasks import MeasurementTask, read_task
from byway.app.weight_measurement import measure


def main(arguments: Mapping[str, Any], send: Send) -> None:
    """Measure, and write the result to the data folder."""
    task = read_task(arguments, MeasurementTask)
    engine = Engine(Path(task.path), task.settings)
    with engine.search_session() as session:
        measure(engine.storage, session, task.weights, lambda total: send({"started": total}))


if __name__ == "__main__":
    run_child(main)
