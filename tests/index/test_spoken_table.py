"""In which languages do pages have a term?"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from zlib import crc32

import numpy as np

from byway.core.model import UrlId
from byway.core.text import BITS
from byway.index.language_bloom import SpokenReader, SpokenWriter

TERMS = ["haus"] * 200


def test_who_asks_is_answered_while_another_thread_looks_at_the_file_anew(tmp_path: Path) -> None:
    writer = SpokenWriter(tmp_path, [])
    writer.add(UrlId(1), "de", np.array([crc32(b"haus")], np.uint32))
    writer.sync()
    reader = SpokenReader(tmp_path)

    done = Event()

    def renew() -> None:
        while not done.is_set():
            reader.renew()

    with ThreadPoolExecutor(1) as pool:
        renewing = pool.submit(renew)
        try:
            assert {reader.of(TERMS) for _ in range(1000)} == {1 | BITS["de"]}
        finally:
            done.set()
        renewing.result()


def test_terms_that_no_page_has_together_share_no_language_and_no_pages(tmp_path: Path) -> None:
    writer = SpokenWriter(tmp_path, [])
    for id, terms in enumerate((["haus", "baum"], ["haus"], ["tisch"]), 1):
        writer.add(UrlId(id), "de", np.array([crc32(term.encode()) for term in terms], np.uint32))
    writer.add(UrlId(4), "fr", np.array([crc32(b"tisch")], np.uint32))
    writer.sync()
    reader = SpokenReader(tmp_path)

    assert reader.of(["haus", "baum"]) == 1 | BITS["de"]
    assert reader.of(["haus"]) & reader.of(["tisch"]) == 1 | BITS["de"]
    assert reader.of(["haus", "tisch"]) == 1
    assert reader.pages(["haus"], BITS["de"]) == 1 << 1 | 1 << 2
    assert not reader.pages(["haus"], BITS["de"]) & reader.pages(["tisch"], BITS["de"])
    assert not reader.pages(["haus"], BITS["fr"])
