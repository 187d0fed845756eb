"""Are products read right, and found by what they are like?

    python -m bench.quality.products [--pin] [--data FOLDER]

It ends with exit code 1 when a figure is below its floor in bench/floors.json; `--pin` raises the
floors to what was reached, and never lowers one.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from bench.quality import floors
from bench.quality.products import prices, queries, shops
from bench.test_data import folder

FLOORS_PART = "products"
ROOT = Path(__file__).resolve().parents[3]
LOWER_IS_BETTER: frozenset[str] = frozenset()
FLOOR_SLACK = {"judged nDCG@10": 0.05, "prices": 0.0005}
"""Of eight queries, any change of the ranking moves the mean; and figures are rounded."""
BASELINE_FIGURE = "judged nDCG@10 as plain words"
"""A figure to compare with: understanding a query must not be worse than not trying to."""


def main() -> None:
    """Measure, print, and compare with the floors."""
    asked = _arguments()
    village, wrong = queries.measure_village()
    figures = {
        **shops.figures(asked.data / "products"),
        "structured data": _structured(),
        **prices.figures(asked.data / "products"),
        **{f"village {name}": figure for name, figure in village.items()},
        **queries.measure_judged(asked.data / "relevance" / "findmyshoes-ru"),
    }
    for name, figure in figures.items():
        print(f"{name:40} {figure:8.4f}")
    failures = [*wrong, *floors.floor_violations(FLOORS_PART, figures, LOWER_IS_BETTER)]
    if figures["judged nDCG@10"] < figures[BASELINE_FIGURE]:
        failures.append("judged queries: understanding them is worse than taking words for words")
    if asked.pin and not failures:
        ours = {name: figure for name, figure in figures.items() if name != BASELINE_FIGURE}
        floors.pin(FLOORS_PART, ours, LOWER_IS_BETTER, FLOOR_SLACK)
    print(
        "\n".join(failures)
        or f"all figures are at or above their floors in {floors.FLOORS_PATH.name}"
    )
    sys.exit(1 if failures else 0)


def _structured() -> float:
    """Is structured data what extruct's samples say? The tests know how to compare them."""
    tests = ["tests/extract/formats/html/test_structured_data.py", "-k", "matches_other_extractors"]
    command = [sys.executable, "-m", "pytest", "-q", *tests]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    return float(ran.returncode == 0 and "passed" in ran.stdout and "skipped" not in ran.stdout)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pin", action="store_true", help="raise the floors to what was reached")
    parser.add_argument("--data", type=Path, help="the folder of the test data")
    asked = parser.parse_args()
    asked.data = asked.data or folder()
    if not asked.data.is_dir():
        sys.exit(f"no test data in {asked.data}; name its folder with --data")
    return asked


if __name__ == "__main__":
    main()
