"""Test corpora of pages that broke other parsers, each with the media type of a server."""

import json
from collections.abc import Iterator
from pathlib import Path

from extract.page_factory import page
from vectors import vector_path

from byway.core.model import Page

MEDIA_TYPES = {
    ".html": "text/html", ".htm": "text/html", ".xml": "text/html", ".pdf": "application/pdf",
    ".txt": "text/plain", ".md": "text/markdown", ".gz": "text/html", ".br": "text/html",
    ".zst": "text/html", ".deflate": "text/html",
}  # fmt: skip
CONTENT_ENCODINGS = {".gz": "gzip", ".br": "br", ".zst": "zstd", ".deflate": "deflate"}


def pages(corpus: str) -> list[Page]:
    """All pages of a corpus, in the order of their names."""
    return list(CORPORA[corpus](vector_path(corpus)))


def _files(folder: Path) -> Iterator[Page]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ("NOTE.md", "index.json", "LICENSE"):
            yield _page(path.read_bytes(), path.relative_to(folder))


def _page(body: bytes, path: Path) -> Page:
    url = f"https://example.org/{path.as_posix().replace(' ', '_')}"
    coding = CONTENT_ENCODINGS.get(path.suffix, "")
    return page(body, MEDIA_TYPES.get(path.suffix, ""), url, Content_Encoding=coding)


def _html5lib(folder: Path) -> Iterator[Page]:
    """The inputs of html5lib's tests of tokenizer, tree construction and encodings."""
    for path in sorted(folder.rglob("*.test")):
        for test in json.loads(path.read_text(encoding="utf-8")).get("tests", ()):
            if isinstance(text := test.get("input"), str):
                yield _page(text.encode("utf-8", "surrogatepass"), Path(path.stem + ".html"))
    for path in sorted(folder.rglob("*.dat")):
        for test in path.read_bytes().split(b"#data\n")[1:]:
            yield _page(test.partition(b"\n#")[0], Path(path.stem + ".html"))


CORPORA = {
    "pdfs": _files,
    "hostile": _files,
    "charset": _files,
    "html5lib-tests": _html5lib,
}
"""The corpora, and the function that reads the pages of each."""
