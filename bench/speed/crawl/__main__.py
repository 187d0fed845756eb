"""Crawl speed, compared with Scrapy on the same machine and hosts, in one run.

    python -m bench.speed.crawl [--quick] [--json FILE] [--profile] [--only NAME]...

All crawlers crawl the same closed set of pages to the end, one after the other, without limits.
"""

import argparse
import json
import random
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.speed.crawl import contestants, table
from bench.speed.crawl.stage_profile import profile
from bench.speed.crawl.web import ServedSites, load_sites, serve_sites
from bench.speed.environment import describe_machine, peers_python, require_packages

TOOL_PACKAGES = ("nginx-light", "wrk")
CRAWLER_NAMES = ("crawl", "up", "scrapy", "two-scrapies", "bare-scrapy", "wrk")


def main() -> None:
    """Measure all crawlers and print the results."""
    args = _arguments()
    # On SIGTERM, the context managers end the child processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    chosen = load_sites(args.quick)
    require_packages([*TOOL_PACKAGES, *(site.package for site in chosen)])
    peers_python()
    with tempfile.TemporaryDirectory(prefix="byway-bench-") as name:
        folder = Path(name)
        print(f"machine: {describe_machine()}", flush=True)
        with serve_sites(folder, chosen) as web:
            print(f"web: {len(chosen)} hosts, one nginx worker, pages compressed beforehand")
            if args.profile:
                print(profile(web, folder, peers_python()))
                return
            results = []
            for result in _results(web, folder, args.only):
                results.append(result)
                print(table.summary_line(result), flush=True)
            print("\n" + table.format_table(results))
            limit = _server_limit(web, folder, results[0]) if "wrk" in args.only else ""
    if args.json:
        about = {
            "machine": describe_machine(),
            "hosts": len(chosen),
            "quick": args.quick,
            "wrk": limit,
        }
        args.json.write_text(json.dumps(table.as_json(results, about), indent=2) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-crawl", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few small sites, ~4,000 pages")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    parser.add_argument("--profile", action="store_true", help="show where byway's time goes")
    parser.add_argument(
        "--only", action="append", choices=CRAWLER_NAMES, help="measure this one; may be repeated"
    )
    args = parser.parse_args()
    args.only = args.only or CRAWLER_NAMES
    return args


def _results(
    web: ServedSites, folder: Path, only: tuple[str, ...]
) -> Iterator[contestants.CrawlerResult]:
    python = peers_python()
    weights = contestants.page_counter(frozenset(web.all_seeds))
    if "crawl" in only:
        result = contestants.byway_crawl(web, folder)
        weights = contestants.page_counter(result.pages)
        yield result
    if "up" in only:
        yield contestants.byway_up(web, folder)
    if "scrapy" in only:
        yield contestants.tuned_scrapy(web, folder, python)
    if "two-scrapies" in only:
        yield contestants.two_process_scrapy(web, folder, python, weights)
    if "bare-scrapy" in only:
        yield contestants.bare_scrapy(web, folder, python)


def _server_limit(web: ServedSites, folder: Path, result: contestants.CrawlerResult) -> str:
    """The pages a second of nginx with wrk: the upper limit for every crawler."""
    pages = sorted(result.pages)
    random.Random(1).shuffle(pages)
    output = web.wrk(pages[:20_000], folder / "paths.lua", 10)
    line = next(line for line in output.splitlines() if line.startswith("Requests/sec"))
    rate = float(line.split()[1])
    print(
        f"\nwrk on the same pages: {rate:,.0f} pages/s; "
        f"byway is at {result.pages_per_second / rate:.1%} of it"
    )
    for failed in (line for line in output.splitlines() if "Non-2xx" in line):
        print(f"but {failed.strip()}")
    return line


if __name__ == "__main__":
    main()
