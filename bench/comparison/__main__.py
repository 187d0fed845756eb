"""Compare two commits: what they do, or how much CPU time they take.

    bench/compare OLD NEW behaviour [--village] [--queries N]
    bench/compare OLD NEW cpu [--rounds N] [--copy FOLDER] -- COMMAND...
    bench/compare clean

OLD and NEW are commits, branches or tags; WORK or . is the working tree with its changes.

behaviour  crawls the village and two Debian manuals with both commits, rebuilds the index, and
           compares pages, documents, links, ranks and the first hits of 200 queries. The exit code
           is 1 if the new commit differs from the old one more than the old one from itself.
cpu        runs a command in both worktrees in turn, and prints the ratio of CPU time, new to old,
           with its spread. {copy} in the command is a fresh copy of --copy FOLDER for each run.
clean      removes the worktrees, environments and results.
"""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from bench.comparison.behaviour import compare_behaviour, print_verdicts
from bench.comparison.cache import Cache
from bench.comparison.commits import Checkout, check_out, commit_of
from bench.comparison.cpu import Work, compare_cpu, print_ratio
from bench.comparison.errors import ComparisonError
from bench.comparison.sample_web import find_manuals

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run what was typed; an error is one line and exit code 2."""
    try:
        sys.exit(run(sys.argv[1:]))
    except ComparisonError as error:
        print(f"compare: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def run(typed: list[str]) -> int:
    """Compare as the arguments say; return the exit code."""
    if "--" in typed:
        place = typed.index("--")
        asked = arguments(typed[:place])
        asked.command = typed[place + 1 :]
    else:
        asked = arguments(typed)
        asked.command = []
    cache = Cache(asked.cache.resolve())
    if asked.check == "clean":
        print("removed" if cache.clean(ROOT) else f"nothing in {cache.path}")
        return 0
    if asked.check == "cpu" and not asked.command:
        raise ComparisonError("no command; write it after --, as: cpu -- byway --version")
    commits = [commit_of(name, ROOT) for name in (asked.old, asked.new)]
    cache.create()
    old, new = (check_out(commit, ROOT, cache) for commit in commits)
    folder = cache.results / f"{old.name}-{new.name}" / asked.check
    return (_behaviour if asked.check == "behaviour" else _cpu)(old, new, asked, folder)


def arguments(typed: list[str]) -> argparse.Namespace:
    """The arguments, without the command after --."""
    parser = _Parser(
        prog="bench/compare",
        usage="%(prog)s [--cache FOLDER] OLD NEW {behaviour,cpu} ... | clean",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cache", type=Path, default=ROOT / ".compare", metavar="FOLDER")
    if typed[-1:] == ["clean"]:
        parser.add_argument("check", choices=["clean"])
        return parser.parse_args(typed)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    checks = parser.add_subparsers(dest="check", metavar="CHECK", required=True)
    behaviour = checks.add_parser(
        "behaviour", aliases=["behavior"], help="compare what the commits do"
    )
    behaviour.set_defaults(check="behaviour")
    behaviour.add_argument("--village", action="store_true", help="crawl the village alone")
    behaviour.add_argument("--queries", type=int, default=200, metavar="N", help="queries asked")
    cpu = checks.add_parser("cpu", help="compare the CPU time of a command")
    cpu.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each commit")
    cpu.add_argument("--copy", type=Path, metavar="FOLDER", help="what {copy} is a copy of")
    return parser.parse_args(typed)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise ComparisonError(f"{message}; see bench/compare --help")


def _behaviour(old: Checkout, new: Checkout, asked: argparse.Namespace, folder: Path) -> int:
    manuals = [] if asked.village else find_manuals()
    verdicts = compare_behaviour(old, new, manuals, asked.queries, folder)
    print_verdicts(verdicts, old, new)
    print(f"results: {folder}")
    return 0 if all(one.passed for one in verdicts) else 1


def _cpu(old: Checkout, new: Checkout, asked: argparse.Namespace, folder: Path) -> int:
    if asked.copy and not asked.copy.is_dir():
        raise ComparisonError(f"no folder {asked.copy}")
    if asked.rounds < 1:
        raise ComparisonError("--rounds must be at least 1")
    figures = compare_cpu(old, new, Work(asked.command, asked.copy), asked.rounds, folder)
    print_ratio(old, new, figures)
    return 0


if __name__ == "__main__":
    main()
