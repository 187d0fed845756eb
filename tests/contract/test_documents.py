"""What every document store and rank store must do."""

import numpy as np
from contract.backends import Backend

from byway.core.model import Document, Heading, UrlId
from byway.core.model.document import pack
from byway.core.ports import Ranks
from byway.core.url import normalize


def document(n: int, title: str = "", text: str = "", host: str = "a.org") -> Document:
    return Document(normalize(f"http://{host}/{n}"), UrlId(n), title, text)


def test_a_stored_document_is_returned_unchanged(backend: Backend) -> None:
    whole = Document(
        normalize("http://a.org/"),
        UrlId(7),
        "Title",
        "Text\nwith lines",
        headings=(Heading(2, "Part", "part"),),
        emphasis=("much",),
        attributes={"price": 5.0, "categories": ["a", "b"]},
    )
    backend.documents.put([(1, UrlId(7), pack(whole))])
    assert backend.documents.get(UrlId(7)) == whole
    assert backend.documents.get(UrlId(8)) is None


def test_changes_are_in_order_with_the_last_version_of_each_document(backend: Backend) -> None:
    first, second, third = (document(1, f"v{n}") for n in range(3))
    backend.documents.put([(1, UrlId(1), pack(first)), (2, UrlId(2), pack(document(2)))])
    backend.documents.put([(3, UrlId(1), pack(third))])
    assert [row[:2] for row in backend.documents.changes_since(0, 10)] == [(2, 2), (3, 1)]
    assert backend.documents.changes_since(2, 10) == [(3, UrlId(1), third)]
    assert backend.documents.last_sequence() == 3
    backend.documents.put([(4, UrlId(1), b"")])
    assert backend.documents.changes_since(3, 10) == [(4, UrlId(1), None)]
    assert second != third


def test_ranks_are_replaced_completely(backend: Backend) -> None:
    assert len(backend.ranks.load().pages) == 0
    ranks = Ranks(np.array([0, 1, 2], np.float32), np.array([0, 2, 1], np.float32))
    backend.ranks.save(ranks)
    assert backend.ranks.load().pages.tolist() == [0, 1, 2]
    assert backend.ranks.load().hosts.tolist() == [0, 2, 1]
