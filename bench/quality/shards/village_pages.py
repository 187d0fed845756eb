"""Shops and news of the village as documents, and product queries over them."""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.quality.products.queries import QUERIES_PATH
from byway.app.search import search_session
from byway.core.model import Document, Query, UrlId
from byway.core.settings.schema import Settings
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village

SITES = ("shop", "uppers", "news")
CRAWL_OPTIONS = ("--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "crawl.max_retries=0")
SORTS = ("relevance", "date", "price", "price_desc")


def village_documents(first_id: int) -> list[Document]:
    """The documents of the sites, numbered from `first_id`."""
    with tempfile.TemporaryDirectory() as folder, Village() as village:
        seeds = [village.url(name) for name in SITES]
        command = [sys.executable, "-m", "byway", "crawl", *seeds, *CRAWL_OPTIONS, "--data", folder]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        with search_session(SqliteStorage(Path(folder)), Settings()) as session:
            found = sorted(session.documents(), key=lambda document: document.url)
    return [replace(one, id=UrlId(first_id + n)) for n, one in enumerate(found)]


def product_queries() -> Iterator[Query]:
    """Product queries, each with facets and in several orders."""
    for query in tomllib.loads(QUERIES_PATH.read_text("utf-8"))["queries"]:
        if "{" in query["query"]:
            continue
        for sort in SORTS:
            yield Query(query["query"], vertical="products", sort=sort, count_facets=True)
        yield Query(query["query"], vertical="products", group_records=True, count_facets=True)
