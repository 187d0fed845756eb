"""The pages of the search benchmark: installed Debian documentation, 100,000 pages.

Pages are extracted by byway once, into a data folder that later runs use again.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from bench import test_data
from byway.core.model import Document, Page, UrlId
from byway.core.model.document import pack
from byway.core.settings.schema import ExtractSettings
from byway.core.url import normalize
from byway.extract.dispatch import extract
from byway.storage.sqlite.documents import open_documents_to_read, open_documents_to_write
from byway.storage.sqlite.storage import SqliteStorage

DOC_ROOTS = (
    "/usr/share/doc",
    "/usr/share/cppreference",
    "/usr/share/qt5/doc",
    "/usr/share/gtk-doc",
)
MAX_PAGE_BYTES = 2_000_000
"""Larger pages are left out: a few hold whole books."""
MIN_TEXT_CHARS = 100
"""Pages with less text are left out: they are frames and indexes."""
BATCH_PAGES = 2000
MIN_SECTION_CHARS = 2000
"""A section of an article ends at the first sentence end after so many characters."""
ARTICLES_PATH = "relevance/dbpedia-entity-wiki/docs.jsonl"
"""Articles of an encyclopedia, used if there is not enough documentation."""


def collect_pages(folder: Path, page_count: int) -> SqliteStorage:
    """A data folder with the documents of so many pages; an existing one is reused."""
    data = SqliteStorage(folder)
    data.create()
    with closing(open_documents_to_write(data.documents_db)) as documents:
        if documents.last_sequence() >= page_count:
            return data
    for path in data.path.glob(f"{data.documents_db.name}*"):
        path.unlink()
    with (
        closing(open_documents_to_write(data.documents_db)) as documents,
        ProcessPoolExecutor() as pool,
    ):
        number = 0
        read = (body for body in pool.map(_packed, html_files(), chunksize=50) if body)
        packed = chain(read, map(pack, sections()))
        while number < page_count and (
            batch := list(islice(packed, min(BATCH_PAGES, page_count - number)))
        ):
            documents.put((id, UrlId(id), body) for id, body in enumerate(batch, number + 1))
            number += len(batch)
            print(f"\r{number:,} pages read", end="", file=sys.stderr, flush=True)
        pool.shutdown(cancel_futures=True)
    print(file=sys.stderr)
    if number < page_count:
        sys.exit(f"only {number:,} pages found; install more documentation, or use fewer --pages")
    return data


def read_documents(data: SqliteStorage, limit: int) -> Iterator[Document]:
    """The documents in order, read in batches."""
    with closing(open_documents_to_read(data.documents_db)) as documents:
        here = 0
        while here < limit and (
            rows := documents.changes_since(here, min(BATCH_PAGES, limit - here))
        ):
            here = rows[-1][0]
            yield from (replace(found, id=id) for _, id, found in rows if found is not None)


def html_files() -> Iterator[str]:
    """Every documentation page of this machine once, with packages mixed."""
    found: dict[tuple[int, int], str] = {}
    for root in DOC_ROOTS:
        for parent, _, names in os.walk(root):
            for name in names:
                path = Path(parent, name)
                if name.endswith((".html", ".htm")) and not path.is_symlink():
                    status = path.stat()
                    if status.st_size <= MAX_PAGE_BYTES:
                        found.setdefault((status.st_dev, status.st_ino), str(path))
    yield from sorted(found.values(), key=lambda path: hashlib.sha256(path.encode()).digest())


def sections() -> Iterator[Document]:
    """The sections of an encyclopedia's articles, each as a page; none without the test data."""
    data = test_data.find_folder()
    if data is None or not (data / ARTICLES_PATH).exists():
        return
    with (data / ARTICLES_PATH).open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            article = json.loads(line)
            rest = article["text"]
            while rest:
                end = rest.find(". ", MIN_SECTION_CHARS) + 1 or len(rest)
                url = normalize(f"http://encyclopedia.example/{number}/{len(rest)}")
                yield Document(url, title=article["title"], text=rest[:end], language="en")
                rest = rest[end:].strip()


def _packed(path: str) -> bytes:
    """The packed document of a file; empty if it has too little text."""
    file = Path(path)
    _, _, _, share, *rest = file.parts
    host = f"{rest[0] if rest else share}.example".replace("+", "-").replace("_", "-").lower()
    url = normalize(f"http://{host}/{'/'.join(rest[1:])}")
    page = Page(url, 0.0, 200, (("content-type", "text/html"),), file.read_bytes())
    document = extract(page, ExtractSettings(), MAX_PAGE_BYTES).document
    if document is None or len(document.text) < MIN_TEXT_CHARS:
        return b""
    return pack(document)


def text_bytes(documents: Sequence[Document]) -> int:
    """Bytes of text in these documents."""
    return sum(len(document.title.encode()) + len(document.text.encode()) for document in documents)
