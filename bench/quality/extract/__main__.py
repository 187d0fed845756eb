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
from bench.speed.environment import machine

MOST = frozenset({"leaked"})
SLACK = {"f1": 0.002, "recall": 0.002, "beside_best": 0.002, "kept": 0.001, "leaked": 0.002}
"""Newer libraries may change a word here or there."""
SLACK_LANGUAGES = 0.005
BUSY = 0.75
"""The share of its speed that a page keeps on a machine where others work, too."""


def main() -> None:
    """Measure, print, and compare with the floors."""
    asked = _arguments()
    print(f"machine: {machine()}\n", flush=True)
    encyclopedia = wikipedia.groups()
    print(_encyclopedia(encyclopedia), flush=True)
    told = languages.groups()
    print(_languages(told), flush=True)
    found = articles.results()
    print(_articles(found), flush=True)
    speed = documentation.speed(asked.quick)
    print(_speed(speed), flush=True)
    parts = _figures(encyclopedia, found, speed)
    parts["languages"] = {name: one.share for name, one in told.items()}
    busy = {name: rate * (1 - BUSY) for name, rate in parts["documentation"].items()}
    slack = SLACK | busy | dict.fromkeys(told, SLACK_LANGUAGES)
    if asked.json:
        about = {"machine": machine(), "articles": [asdict(each) for each in found], **parts}
        asked.json.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    failures = [line for name in parts for line in floors.broken(name, parts[name], MOST)]
    if asked.pin and not failures:
        for name, figures in parts.items():
            floors.pin(name, figures, MOST, slack)
    print(
        "\n".join(failures) or f"all figures are at or above their floors in {floors.FLOORS.name}"
    )
    sys.exit(1 if failures else 0)


def _figures(
    encyclopedia: Mapping[str, wikipedia.Kept],
    found: Sequence[articles.Result],
    speed: documentation.Speed,
) -> dict[str, dict[str, float]]:
    ours, *peers = found
    figures = {
        f"wikipedia {group}": {
            "kept": kept.kept_share,
            "leaked": kept.leaked_share,
            "categories": kept.categories / kept.pages,
        }
        for group, kept in encyclopedia.items()
    }
    figures["articles"] = {
        "f1": ours.all.f1,
        "recall": ours.all.recall,
        "beside_best": ours.all.f1 - max(peer.all.f1 for peer in peers),
    }
    figures["documentation"] = {
        "pages_per_second": speed.read,
        "documents_per_second": speed.fields,
    }
    return figures


def _encyclopedia(groups: Mapping[str, wikipedia.Kept]) -> str:
    lines = [
        "Wikipedia: sentences that must stay (aim .99), references and navigation that must go",
        "(aim .02 left; `said`: elsewhere on the page, too), pages with right categories",
        _row("", "pages", "kept", "leaked", "said", "categories"),
    ]
    for name, kept in groups.items():
        shares = (f"{kept.kept_share:.4f}", f"{kept.leaked_share:.4f}")
        said = f"{kept.said} of {kept.leaked}"
        lines.append(_row(name, str(kept.pages), *shares, said, f"{kept.categories}/{kept.pages}"))
    return "\n".join(lines) + "\n"


def _languages(told: Mapping[str, languages.Told]) -> str:
    lines = [
        "Languages told by the words alone, whatever pages declare",
        _row("", "texts", "right", "share", "µs"),
    ]
    for name, one in told.items():
        cells = (f"{one.texts:,}", f"{one.right:,}", f"{one.share:.4f}", f"{one.microseconds:.0f}")
        lines.append(_row(name, *cells))
    return "\n".join(lines) + "\n"


def _articles(found: Sequence[articles.Result]) -> str:
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


def _speed(speed: documentation.Speed) -> str:
    return (
        f"Documentation: {speed.pages} pages of {speed.kilobytes:.0f} kB. One core makes fields, "
        f"main text and\nlinks of {speed.fields:,.0f} a second (aim 600); with inflating, "
        f"digest and packing, {speed.read:,.0f}.\nIt only parses {speed.parsed:,.0f}.\n"
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
