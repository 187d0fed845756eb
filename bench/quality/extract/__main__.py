"""Extraction benchmark: quality and speed, compared with other extractors on the same pages.

    python -m bench.quality.extract [--quick] [--pin] [--json FILE]

The exit code is 1 if a figure is below its floor in bench/floors.json; `--pin` raises the floors to
the figures, and never lowers one.
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
"""Tolerance for small changes by newer libraries."""
LANGUAGE_FLOOR_SLACK = 0.005
BUSY_SPEED_SHARE = 0.75
"""The share of the full speed that is expected on a busy machine."""


def main() -> None:
    """Measure, print, and compare with the floors."""
    args = _arguments()
    print(f"machine: {describe_machine()}\n", flush=True)
    encyclopedia = wikipedia.retention_by_group()
    print(_encyclopedia(encyclopedia), flush=True)
    detected = languages.accuracy_by_group()
    print(_languages(detected), flush=True)
    extractors = articles.compare_extractors()
    print(_articles(extractors), flush=True)
    speed = documentation.measure_speed(args.quick)
    print(_speed(speed), flush=True)
    parts = _figures(encyclopedia, extractors, speed)
    parts["languages"] = {name: counts.accuracy for name, counts in detected.items()}
    busy = {name: rate * (1 - BUSY_SPEED_SHARE) for name, rate in parts["documentation"].items()}
    slack = FLOOR_SLACK | busy | dict.fromkeys(detected, LANGUAGE_FLOOR_SLACK)
    if args.json:
        about = {
            "machine": describe_machine(),
            "articles": [asdict(result) for result in extractors],
            **parts,
        }
        args.json.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    failures = [
        line
        for name in parts
        for line in floors.floor_violations(name, parts[name], LOWER_IS_BETTER)
    ]
    if args.pin and not failures:
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
        "Wikipedia: sentences that must be kept (target .99), references and navigation that must",
        "be removed (target .02 left; `partly`: some copies were removed), correct categories",
        _row("", "pages", "kept", "leaked", "partly", "categories"),
    ]
    for name, kept in groups.items():
        shares = (f"{kept.kept_share:.4f}", f"{kept.leaked_share:.4f}")
        partly = f"{kept.partly_removed} of {kept.leaked}"
        lines.append(
            _row(name, str(kept.pages), *shares, partly, f"{kept.correct_categories}/{kept.pages}")
        )
    return "\n".join(lines) + "\n"


def _languages(detected: Mapping[str, languages.DetectionCounts]) -> str:
    lines = [
        "Language detection by the text alone, without the declarations of pages",
        _row("", "texts", "correct", "share", "µs"),
    ]
    for name, counts in detected.items():
        cells = (
            f"{counts.texts:,}",
            f"{counts.correct:,}",
            f"{counts.accuracy:.4f}",
            f"{counts.microseconds_per_text:.0f}",
        )
        lines.append(_row(name, *cells))
    return "\n".join(lines) + "\n"


def _articles(found: Sequence[articles.ExtractorResult]) -> str:
    lines = [
        "Articles: words of the main text compared with the expected ones; pages per CPU second.",
        "Constants in byway's code were chosen on the design half. Peers give the text only; byway",
        "gives fields, dates, structured data and links as well.",
        _row("", "precision", "recall", "F1", "design F1", "held-out F1", "pages/s"),
    ]
    for one in found:
        scores = (one.all.precision, one.all.recall, one.all.f1, one.design.f1, one.held_out.f1)
        rate = f"{one.pages_per_second:,.0f}"
        lines.append(_row(one.name, *(f"{score:.4f}" for score in scores), rate))
    ours, *peers = (one.all.f1 for one in found)
    lines.append(f"byway's F1 minus the best of its peers: {ours - max(peers):+.4f} (target -.01)")
    return "\n".join(lines) + "\n"


def _speed(speed: documentation.ExtractionSpeed) -> str:
    return (
        f"Documentation: {speed.pages} pages of {speed.mean_kilobytes:.0f} kB. One core extracts "
        f"fields, main text and\nlinks of {speed.documents_per_second:,.0f} a second (target 600); "
        f"with decompression, digest and packing, {speed.pages_per_second:,.0f}.\n"
        f"The parser alone reads {speed.parses_per_second:,.0f}.\n"
    )


def _row(name: str, *cells: str) -> str:
    return name.ljust(20) + "".join(cell.rjust(13) for cell in cells)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench-extract", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="documentation of five sites only")
    parser.add_argument("--pin", action="store_true", help="raise the floors to these figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
