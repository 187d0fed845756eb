"""How well and how fast are pages read? Beside other extractors, on the same pages, in one run.

    python -m bench.quality.extract [--quick] [--pin] [--json FILE]

It ends with exit code 1 when a figure is below its floor in bench/floors.json; `--pin` raises the
floors to what was reached, and never lowers one.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.quality import floors
from bench.quality.extract import articles, documentation, languages, wikipedia
from bench.speed.environment import describe_machine

LOWER_IS_BETTER = frozenset({"leaked"})
FLOOR_SLACK = {"f1": 0.002, "recall": 0.002, "beside_best": 0.002, "kept": 0.001, "leaked": 0.002}
"""Newer libraries may change a word here or there."""
LANGUAGE_FLOOR_SLACK = 0.005
BUSY_SPEED_SHARE = 0.75
"""The share of its speed that a page keeps on a machine where others work, too."""


def main() -> None:
    """Measure, print, and compare with the floors."""
    asked = _arguments()
    print(f"machine: {describe_machine()}\n", flush=True)
    encyclopedia = wikipedia.retention_by_group()
    print(_encyclopedia(encyclopedia), flush=True)
    told = languages.accuracy_by_group()
    print(_languages(told), flush=True)
    found = articles.compare_extractors()
    print(_articles(found), flush=True)
    speed = documentation.measure_speed(asked.quick)
    print(_speed(speed), flush=True)
    parts = _figures(encyclopedia, found, speed)
    parts["languages"] = {name: one.accuracy for name, one in told.items()}
    busy = {name: rate * (1 - BUSY_SPEED_SHARE) for name, rate in parts["documentation"].items()}
    slack = FLOOR_SLACK | busy | dict.fromkeys(told, LANGUAGE_FLOOR_SLACK)
    if asked.json:
        about = {
            "machine": describe_machine(),
            "articles": [asdict(each) for each in found],
            **parts,
        }
        asked.json.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    failures = [
        line
        for name in parts
        for line in floors.floor_violations(name, parts[name], LOWER_IS_BETTER)
    ]
    if asked.pin and not failures:
        for name, figures in parts.items():
            floors.pin(name, figures, LOWER_IS_BETTER, slack)
    print(
        "\n".join(failures)
        or f"all figures are at or above their floors in {floors.FLOORS_PATH.name}"
    )
    sys.exit(1 if failures else 0)


def _figures(
    encyclopedia: Mapping[str, wikipedia.RetentionCounts],
    found: Sequence[articles.ExtractorResult],
    speed: documentation.ExtractionSpeed,
) -> dict[str, dict[str, float]]:
    ours, *peers = found
    figures = {
        f"wikipedia {group}": {
            "kept": kept.kept_share,
            "leaked": kept.leaked_share,
            "categories": kept.correct_categories / kept.pages,
        }
        for group, kept in encyclopedia.items()
    }
    figures["articles"] = {
        "f1": ours.all.f1,
        "recall": ours.all.recall,
        "beside_best": ours.all.f1 - max(peer.all.f1 for peer in peers),
    }
    figures["documentation"] = {
        "pages_per_second": speed.pages_per_second,
        "documents_per_second": speed.documents_per_second,
    }
    return figures


def _encyclopedia(groups: Mapping[str, wikipedia.RetentionCounts]) -> str:
    lines = [
        "Wikipedia: sentences that must stay (aim .99), references and navigation that must go",
        "(aim .02 left; `said`: elsewhere on the page, too), pages with right categories",
        _row("", "pages", "kept", "leaked", "said", "categories"),
    ]
    for name, kept in groups.items():
        shares = (f"{kept.kept_share:.4f}", f"{kept.leaked_share:.4f}")
        said = f"{kept.partly_removed} of {kept.leaked}"
        lines.append(
            _row(name, str(kept.pages), *shares, said, f"{kept.correct_categories}/{kept.pages}")
        )
    return "\n".join(lines) + "\n"


def _languages(told: Mapping[str, languages.DetectionCounts]) -> str:
    lines = [
        "Languages told by the words alone, whatever pages declare",
        _row("", "texts", "right", "share", "µs"),
    ]
    for name, one in told.items():
        cells = (
            f"{one.texts:,}",
            f"{one.correct:,}",
            f"{one.accuracy:.4f}",
            f"{one.microseconds_per_text:.0f}",
        )
        lines.append(_row(name, *cells))
    return "\n".join(lines) + "\n"


def _articles(found: Sequence[articles.ExtractorResult]) -> str:
    lines = [
        "Articles: words of the main text found beside those expected; pages a second of CPU time.",
        "Figures in byway's code were chosen on the design half. Peers give the text only; byway",
        "gives fields, dates, structured data and links as well.",
        _row("", "precision", "recall", "F1", "design F1", "held-out F1", "pages/s"),
    ]
    for one in found:
        scores = (one.all.precision, one.all.recall, one.all.f1, one.design.f1, one.held_out.f1)
        rate = f"{one.pages_per_second:,.0f}"
        lines.append(_row(one.name, *(f"{score:.4f}" for score in scores), rate))
    ours, *peers = (one.all.f1 for one in found)
    lines.append(f"byway's F1 less the best of the others': {ours - max(peers):+.4f} (aim -.01)")
    return "\n".join(lines) + "\n"


def _speed(speed: documentation.ExtractionSpeed) -> str:
    return (
        f"Documentation: {speed.pages} pages of {speed.mean_kilobytes:.0f} kB. One core makes "
        f"fields, main text and\nlinks of {speed.documents_per_second:,.0f} a second (aim 600); "
        f"with inflating, digest and packing, {speed.pages_per_second:,.0f}.\n"
        f"It only parses {speed.parses_per_second:,.0f}.\n"
    )


def _row(name: str, *cells: str) -> str:
    return name.ljust(20) + "".join(cell.rjust(13) for cell in cells)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench-extract", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="documentation of five sites only")
    parser.add_argument("--pin", action="store_true", help="raise the floors to what was reached")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
