"""The rows of the forward file are where they belong, whichever documents come together."""

from pathlib import Path

import numpy as np

from byway.backends.embedded.analysis import plainly
from byway.backends.embedded.forward import BODY, ForwardReader
from byway.backends.embedded.forward_writer import ForwardWriter
from byway.model import Document, UrlId
from byway.question import Reading, Word
from byway.url import normalise

URL = normalise("http://a.org/")


def test_documents_with_gaps_between_their_numbers_are_found_again(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    kept = (7, 3, 4, 12, 5)
    for id in kept:
        writer.add(UrlId(id), plainly(Document(URL, UrlId(id), text="word " * id)))
    assert [id for id in range(15) if writer.has(UrlId(id))] == sorted(kept)
    writer.sync()
    writer.sync()
    assert [id for id in range(15) if writer.has(UrlId(id))] == sorted(kept)
    writer.close()
    again = ForwardWriter(tmp_path)
    assert [id for id in range(15) if again.has(UrlId(id))] == sorted(kept)
    again.close()
    table = (tmp_path / "forward.table").read_bytes()
    assert [bool(any(table[16 * id : 16 * id + 16])) for id in range(13)] == [
        id in kept for id in range(13)
    ]
    reader = ForwardReader(tmp_path)
    reader.refresh()
    word = Word("word", (Reading(("word",)),))
    seen = reader.look(np.array(kept), [word], np.ones(len(kept), np.int64))
    assert seen.lengths[:, BODY].tolist() == list(kept)
