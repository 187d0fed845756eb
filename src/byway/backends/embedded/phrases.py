"""What may somebody be about to type? Titles, main headings and what links call pages.

    phrases.db     the phrases of each document, so that they go when it goes
    phrases.npy    the phrases as written, the most frequent first
    beginnings.npy each word of a phrase is a beginning: sorted, with the number of its phrase

Searchers map the arrays; the writer makes them anew when a tenth has been added, and at the end.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.backends.embedded.damage import damaged
from byway.backends.embedded.durable import replacing
from byway.model import Document, UrlId
from byway.ports import Linked
from byway.text import called, clean, storable, unnumbered

LONGEST = 80
"""Characters of a phrase: nobody types more before choosing."""
KEY = 40
"""Bytes of a beginning that are compared."""
WORDS = 8
"""Words of a phrase that one can begin with."""
ANCHORS = 3
"""What links say of a page, that is taken: the most frequent."""
TITLE = 3
"""How many times a title counts as much as a link."""
AT_ONCE = 500
"""Documents whose phrases are written at once."""
GROWN = 0.1
BEGINNING = np.dtype([("key", f"S{KEY}"), ("phrase", np.int32)])

SCHEMA = """
create table if not exists phrase (id integer, text text, count integer);
create index if not exists phrase_id on phrase (id);
"""

Texts = NDArray[np.bytes_]


class Phrases:
    """Phrases of the documents, found by how one of their words begins."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._db: sqlite3.Connection | None = None
        self._waiting: dict[UrlId, list[tuple[str, int]]] = {}
        self._changed = 0
        self._known = _Known(0, np.zeros(0, "S1"), np.zeros(0, BEGINNING))

    # Writing.

    def add(self, document: Document, linked: Linked) -> None:
        """Take in what a document is called, in place of what it was called before."""
        self._waiting[document.id] = list(_called(document, linked))
        self._changed += 1
        if len(self._waiting) >= AT_ONCE:
            self._put()

    def remove(self, ids: Iterable[UrlId]) -> None:
        """Forget what these documents are called."""
        gone = list(ids)
        self._changed += len(gone)
        self._forget(gone)

    def _forget(self, ids: Iterable[UrlId]) -> None:
        gone = [(id,) for id in ids]
        for (id,) in gone:
            self._waiting.pop(id, None)
        self._writing().executemany("delete from phrase where id = ?", gone)

    def _put(self) -> None:
        """Write down what documents are called that wait for it."""
        rows = [(id, *one) for id, called in self._waiting.items() for one in called]
        self._forget(list(self._waiting))
        self._writing().executemany("insert into phrase values (?, ?, ?)", rows)

    def commit(self, among: int = 0) -> None:
        """Keep what was added; show it, too, once it is enough among so many documents."""
        self._put()
        self._writing().execute("commit")
        self._writing().execute("begin")
        if self._changed > GROWN * among:
            self.write()

    def write(self) -> None:
        """Make the arrays anew, unless nothing has changed."""
        if not self._changed:
            return
        best = self._best()
        _save(self._folder / "beginnings.npy", _sorted(map(_beginnings, best)))
        _save(self._folder / "phrases.npy", np.array([text.encode() for text in best.values()]))
        self._changed = 0

    def close(self) -> None:
        """Show all that is committed, and let go of the file."""
        if self._db is not None:
            self._waiting.clear()
            self._db.execute("rollback")
            self.write()
            self._db.close()
            self._db = None

    def _writing(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = sqlite3.connect(self._folder / "phrases.db", isolation_level=None)
            # All of it can be made anew from the documents, so nothing waits for the disk.
            self._db.executescript(f"pragma synchronous = off; {SCHEMA}")
            self._db.execute("begin")
        return self._db

    def _best(self) -> dict[str, str]:
        """The phrases that most pages and links have, cleaned: each as it is mostly written."""
        spellings: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for text, count in self._writing().execute(
            "select text, sum(count) from phrase group by 1"
        ):
            spellings[clean(text)].append((count, text))
        rows = [
            (-sum(count for count, _ in each), len(text), text) for text, each in spellings.items()
        ]
        best = (text for _, _, text in sorted(rows)[: self._most])
        return {text: max(spellings[text], key=itemgetter(0))[1] for text in best}

    # Reading.

    def beginning(self, typed: str, most: int) -> list[str]:
        """The phrases in which a word, and what follows it, begins like this; the best first."""
        known, key = self._read(), clean(typed).encode()[:KEY]
        if not key or not len(known.beginnings):
            return []
        keys = known.beginnings["key"]
        start, end = np.searchsorted(keys, [key, key + b"\xff" * (KEY - len(key))])
        numbers = known.beginnings["phrase"][start:end]
        # A phrase may stand there for several of its words.
        few = min(len(numbers), most * WORDS)
        numbers = np.unique(np.partition(numbers, few - 1)[:few]) if few else numbers
        # One file is replaced after the other, and somebody may look in between.
        there = numbers[numbers < len(known.texts)]
        return [known.texts[number].decode() for number in there[:most]]

    def _read(self) -> "_Known":
        """What the files say now; swapped whole, since several threads may ask."""
        path = self._folder / "phrases.npy"
        try:
            stamp = path.stat().st_mtime_ns
            if stamp != self._known.stamp:
                texts = np.asarray(np.load(path, mmap_mode="r"))
                beginnings = np.load(self._folder / "beginnings.npy", mmap_mode="r")
                self._known = _Known(stamp, texts, np.asarray(beginnings))
        except FileNotFoundError:  # not made yet, or deleted since another took its place
            return self._known
        except (ValueError, EOFError) as error:
            raise damaged(path, str(error)) from error
        return self._known


@dataclass(frozen=True, slots=True)
class _Known:
    """The files as they were last read."""

    stamp: int
    texts: Texts
    beginnings: NDArray[np.void]


def _called(document: Document, linked: Linked) -> Iterator[tuple[str, int]]:
    """What a document is called, and how much each counts."""
    main = (one.text for one in document.headings if one.level == 1)
    names = dict.fromkeys(map(_tidy, called(document.title, main)))
    yield from ((name, TITLE) for name in names if name)
    for text, count in sorted(linked.anchors, key=lambda item: -item[1])[:ANCHORS]:
        if (name := _tidy(unnumbered(text))) and name not in names:
            yield name, count


def _tidy(text: str) -> str:
    text = " ".join(storable(text).split())
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0]


def _beginnings(cleaned: str) -> list[bytes]:
    """The phrase from each of its words on."""
    whole = " ".join(cleaned.split()).encode()
    found = [whole[:KEY]] if whole else []
    here = 0
    while len(found) < WORDS and (here := whole.find(b" ", here) + 1):
        found.append(whole[here : here + KEY])
    return found


def _sorted(beginnings: Iterable[list[bytes]]) -> NDArray[np.void]:
    """The beginnings of all phrases in order, each with the number of its phrase."""
    keys: list[bytes] = []
    sizes = []
    for each in beginnings:
        keys += each
        sizes.append(len(each))
    written = np.array(keys, f"S{KEY}")
    order = np.argsort(written, kind="stable")
    rows = np.zeros(len(keys), BEGINNING)
    rows["key"] = written[order]
    rows["phrase"] = np.repeat(np.arange(len(sizes)), sizes)[order]
    return rows


def _save(path: Path, rows: NDArray[np.generic]) -> None:
    with replacing(path) as file:
        np.save(file, rows)
