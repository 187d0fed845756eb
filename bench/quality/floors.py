"""What must not get worse? Figures that were reached once, in bench/floors.json, only ever raised.

Each benchmark has its own key there. A figure may lie a little below its floor: two machines add
up the same numbers in different orders.
"""

import json
from collections.abc import Mapping
from math import floor
from pathlib import Path

FLOORS = Path(__file__).parent.parent / "floors.json"
SLACK = 0.001


def below(bench: str, figures: Mapping[str, float], path: Path = FLOORS) -> list[str]:
    """A sentence for each figure that is below its floor, or is missing."""
    floors = _read(path).get(bench, {})
    said = []
    for name, least in floors.items():
        got = figures.get(name)
        if got is None:
            said.append(f"{name} was not measured; its floor is {least:.3f}")
        elif got < least - SLACK:
            said.append(f"{name} is {got:.4f}, below its floor of {least:.3f}")
    return said


def pin(bench: str, figures: Mapping[str, float], path: Path = FLOORS) -> None:
    """Raise floors to what was reached; none is lowered."""
    every = _read(path)
    floors = every.setdefault(bench, {})
    for name, got in figures.items():
        floors[name] = max(floors.get(name, 0.0), floor(got * 1000) / 1000)
    path.write_text(json.dumps(every, indent=2, sort_keys=True) + "\n")


def _read(path: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(path.read_text()) if path.exists() else {}
    return found
