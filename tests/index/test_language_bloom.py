"""Bloom filter of the languages and page groups that have a term."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from zlib import crc32

import numpy as np

from byway.core.model import UrlId
from byway.core.text import LANGUAGE_BITS
from byway.index.language_bloom import LanguageBloomReader, LanguageBloomWriter

TERMS = ["haus"] * 200


def test_lookups_work_while_another_thread_refreshes(tmp_path: Path) -> None:
    writer = LanguageBloomWriter(tmp_path, [])
    writer.add(UrlId(1), "de", np.array([crc32(b"haus")], np.uint32))
    writer.sync()
    reader = LanguageBloomReader(tmp_path)

    done = Event()

    def renew() -> None:
        while not done.is_set():
            reader.refresh()

    with ThreadPoolExecutor(1) as pool:
        renewing = pool.submit(renew)
        try:
            assert {reader.languages_with(TERMS) for _ in range(1000)} == {1 | LANGUAGE_BITS["de"]}
        finally:
            done.set()
        renewing.result()


def test_terms_that_never_share_a_page_share_no_language_and_no_page_group(tmp_path: Path) -> None:
    writer = LanguageBloomWriter(tmp_path, [])
    for id, terms in enumerate((["haus", "baum"], ["haus"], ["tisch"]), 1):
        writer.add(UrlId(id), "de", np.array([crc32(term.encode()) for term in terms], np.uint32))
    writer.add(UrlId(4), "fr", np.array([crc32(b"tisch")], np.uint32))
    writer.sync()
    reader = LanguageBloomReader(tmp_path)

    assert reader.languages_with(["haus", "baum"]) == 1 | LANGUAGE_BITS["de"]
    assert (
        reader.languages_with(["haus"]) & reader.languages_with(["tisch"])
        == 1 | LANGUAGE_BITS["de"]
    )
    assert reader.languages_with(["haus", "tisch"]) == 1
    assert reader.page_groups_with(["haus"], LANGUAGE_BITS["de"]) == 1 << 1 | 1 << 2
    assert not reader.page_groups_with(["haus"], LANGUAGE_BITS["de"]) & reader.page_groups_with(
        ["tisch"], LANGUAGE_BITS["de"]
    )
    assert not reader.page_groups_with(["haus"], LANGUAGE_BITS["fr"])
