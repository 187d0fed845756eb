"""Crawl: fetch pages and keep them."""

from byway.cli.crawling import (
    AllowPrivate,
    Concurrency,
    Delay,
    Depth,
    Pages,
    ScopeOption,
    Urls,
    crawl_flags,
    opened,
    run,
    seeds,
    summary,
)
from byway.cli.options import HERE, Data, Json, Set, Verbose
from byway.cli.output import out, print_json

ORDER = 21


def command(
    urls: Urls = None,
    delay: Delay = None,
    pages: Pages = None,
    depth: Depth = None,
    concurrency: Concurrency = None,
    scope: ScopeOption = None,
    allow_private: AllowPrivate = None,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Fetch pages from these URLs on, or go on where the last crawl stopped."""
    flags = crawl_flags(delay, pages, depth, concurrency, scope, allow_private)
    engine = opened(data, set, flags)
    named = seeds(urls, engine)
    ended, interrupted = run(engine, named)
    if json:
        print_json({"kept": ended.kept, "new": ended.recorded, "failed": ended.failed})
    else:
        out.print(summary(ended))
        out.print(f"next: byway index --data {data}")
    if interrupted:
        raise KeyboardInterrupt
