"""What a page said that is no more does not lie about in documents.db."""

from contextlib import closing
from pathlib import Path

from byway.core.model import UrlId
from byway.storage.sqlite.documents import open_documents_to_write


def test_what_a_page_said_is_written_over_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    with closing(open_documents_to_write(path)) as documents:
        packed = {n: f"what page {n} says ".encode() * 999 for n in (1, 2)}
        documents.put((n, UrlId(n), text) for n, text in packed.items())
        documents.put([(3, UrlId(1), b"")])
    left = path.read_bytes()
    assert b"page 1 says" not in left
    assert b"page 2 says" in left
