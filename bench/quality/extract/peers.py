"""Main text by other extractors. Run with the Python of the peers' environment.

    python -m bench.quality.extract.peers NAME < files, one a line > {"cpu": seconds, "texts": []}

It imports nothing of byway. Each peer is used as its documentation shows, and gets decoded pages:
all are saved in UTF-8, whatever they declare. Comments are excluded where there is an option: the
expected texts have none.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

Extractor = Callable[[str], str]


def trafilatura() -> Extractor:
    """trafilatura with defaults."""
    from trafilatura import extract

    return lambda page: extract(page, include_comments=False) or ""


def readability() -> Extractor:
    """readability-lxml, which returns HTML; its text is taken like that of the expected HTML."""
    from readability import Document

    return lambda page: str(Document(page).summary(html_partial=True))


def resiliparse() -> Extractor:
    """resiliparse, main content only."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda page: str(extract_plain_text(page, main_content=True, alt_texts=False))


PEERS = {"trafilatura": trafilatura, "readability-lxml": readability, "resiliparse": resiliparse}


def main() -> None:
    """Extract each file, and print the texts with the total CPU time."""
    extract = PEERS[sys.argv[1]]()
    pages = [Path(line.rstrip("\n")).read_text("utf-8", "replace") for line in sys.stdin]
    _attempt(extract, pages[0])  # lazy loading is not measured
    start = time.process_time()
    texts = [_attempt(extract, page) for page in pages]
    json.dump({"cpu": time.process_time() - start, "texts": texts}, sys.stdout)


def _attempt(extract: Extractor, page: str) -> str:
    try:
        return extract(page)
    except Exception as error:  # a page that an extractor fails on has no text
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return ""


if __name__ == "__main__":
    main()
