"""A documentation site, crawled, indexed and ranked by byway."""

import subprocess
import sys
from pathlib import Path

from bench.speed.crawl.contestants import BYWAY_COMMAND
from bench.speed.crawl.web import BenchSite, serve_sites

INDEX_PAGES_PATTERN = r"genindex|bookindex|py-modindex|search\.html"
"""Index and search pages, which the queries come from."""


def crawl_site(site: BenchSite, folder: Path) -> tuple[Path, str]:
    """Crawl a site; return its data folder and the start of its URLs."""
    data = folder / "data"
    with serve_sites(folder / "web", [site]) as web:
        start = f"http://{site.address}:{web.port}/"
        private = ["--delay", "0", "--allow-private", "127.0.0.0/8"]
        only = ["--set", f"crawl.path_pattern=^(?!.*({INDEX_PAGES_PATTERN}))"]
        _run("crawl", *web.seeds(site), *private, *only, "--data", str(data))
    _run("index", "--data", str(data))
    _run("rank", "--data", str(data))
    return data, start


def _run(*arguments: str) -> None:
    done = subprocess.run([*BYWAY_COMMAND, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"byway {arguments[0]} failed: {done.stderr.strip()[-300:]}")
