"""In which languages do pages have a term?"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from zlib import crc32

import numpy as np

from byway.backends.embedded.spoken import SpokenReader, SpokenWriter
from byway.text import BITS

TERMS = ["haus"] * 200


def test_who_asks_is_answered_while_another_thread_looks_at_the_file_anew(tmp_path: Path) -> None:
    writer = SpokenWriter(tmp_path, [])
    writer.add("de", np.array([crc32(b"haus")], np.uint32))
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
