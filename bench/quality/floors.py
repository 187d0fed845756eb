"""Quality floors in bench/floors.json, which are only ever raised.

For a figure in `lower_is_better`, the floor is an upper limit.
"""

import json
from collections.abc import Mapping
from pathlib import Path

FLOORS_PATH = Path(__file__).parents[1] / "floors.json"


def floor_violations(
    part: str, figures: Mapping[str, float], lower_is_better: frozenset[str]
) -> list[str]:
    """A line for each figure of a part that is worse than its floor, if it has one."""
    floors = _read().get(part, {})
    lines = []
    for name, figure in figures.items():
        floor = floors.get(name)
        if floor is not None and _is_worse(figure, floor, name in lower_is_better):
            bound = "above the limit" if name in lower_is_better else "below the floor"
            lines.append(f"{part}.{name} is {figure:.4g}, {bound} of {floor:.4g}")
    return lines


def pin(
    part: str,
    figures: Mapping[str, float],
    lower_is_better: frozenset[str],
    slack: Mapping[str, float],
) -> None:
    """Raise the floors of a part to its figures, minus a slack for random variation."""
    floors = _read()
    known = floors.setdefault(part, {})
    for name, figure in figures.items():
        room = slack.get(name, 0.0)
        reached = round(figure + room if name in lower_is_better else figure - room, 4)
        if name not in known or not _is_worse(reached, known[name], name in lower_is_better):
            known[name] = reached
    FLOORS_PATH.write_text(json.dumps(floors, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _is_worse(figure: float, floor: float, lower_is_better: bool) -> bool:
    return figure > floor if lower_is_better else figure < floor


def _read() -> dict[str, dict[str, float]]:
    if not FLOORS_PATH.exists():
        return {}
    floors: dict[str, dict[str, float]] = json.loads(FLOORS_PATH.read_text(encoding="utf-8"))
    return floors
