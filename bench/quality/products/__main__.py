"""Product benchmark: extraction of products, and search by their attributes.

    python -m bench.quality.products [--pin] [--data FOLDER]

The exit code is 1 if a figure is below its floor in bench/floors.json; `--pin` raises the floors to
the figures, and never lowers one.
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
"""With eight queries, any change of the ranking moves the mean; and figures are rounded."""
BASELINE_FIGURE = "judged nDCG@10 as plain words"
"""The baseline: product search must not be worse than a search for plain words."""


def main() -> None:
    """Measure, print, and compare with the floors."""
    args = _arguments()
    village, wrong = queries.measure_village()
    figures = {
        **shops.figures(args.data / "products"),
        "structured data": _structured_data_share(),
        **prices.figures(args.data / "products"),
        **{f"village {name}": figure for name, figure in village.items()},
        **queries.measure_judged(args.data / "relevance" / "findmyshoes-ru"),
    }
    for name, figure in figures.items():
        print(f"{name:40} {figure:8.4f}")
    failures = [*wrong, *floors.floor_violations(FLOORS_PART, figures, LOWER_IS_BETTER)]
    if figures["judged nDCG@10"] < figures[BASELINE_FIGURE]:
        failures.append("judged queries: product search is worse than a search for plain words")
    if args.pin and not failures:
        ours = {name: figure for name, figure in figures.items() if name != BASELINE_FIGURE}
        floors.pin(FLOORS_PART, ours, LOWER_IS_BETTER, FLOOR_SLACK)
    print(
        "\n".join(failures)
        or f"all figures are at or above their floors in {floors.FLOORS_PATH.name}"
    )
    sys.exit(1 if failures else 0)


def _structured_data_share() -> float:
    """1 if structured data agrees with extruct's samples, which the tests compare; else 0."""
    tests = ["tests/extract/formats/html/test_structured_data.py", "-k", "matches_other_extractors"]
    command = [sys.executable, "-m", "pytest", "-q", *tests]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    return float(ran.returncode == 0 and "passed" in ran.stdout and "skipped" not in ran.stdout)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pin", action="store_true", help="raise the floors to these figures")
    parser.add_argument("--data", type=Path, help="the folder of the test data")
    args = parser.parse_args()
    args.data = args.data or folder()
    if not args.data.is_dir():
        sys.exit(f"no test data in {args.data}; name its folder with --data")
    return args


if __name__ == "__main__":
    main()
