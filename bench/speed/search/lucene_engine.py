"""Lucene, in a process of its own: Debian's jars, and a few lines of Java that are beside this."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from struct import pack, unpack

from bench.speed.environment import require_packages
from bench.speed.search.engines import MAX_CANDIDATES, plain_fields
from bench.speed.search.queries import BenchQuery
from byway.core.fields import FIELDS
from byway.core.model import Document

JAR_FOLDER = Path("/usr/share/java")
DEBIAN_PACKAGE = "liblucene8-java"
JAVA_SOURCE = Path(__file__).with_name("Lucene.java")


class Lucene:
    """The same texts as raw tantivy's, with Lucene's English analysis; as many candidates."""

    name = "lucene"
    warm_up = 3
    """Times that all is asked before: its compiler starts when code has run a while."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        classes = ":".join(map(str, _jars()))
        self._process = subprocess.Popen(
            ["java", "-Xmx3g", "-XX:+UseSerialGC", "-cp", classes, str(JAVA_SOURCE), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._seconds = 0.0

    def clock(self) -> float:
        """CPU seconds that it has taken for what it was asked."""
        return self._seconds

    def caller_clock(self) -> float:
        """Nothing: documents are read here, and its clock runs there."""
        return 0.0

    def index(self, documents: Iterable[Document]) -> None:
        for document in documents:
            texts = plain_fields(document)
            every = [text for name, text in texts.items() for _ in range(FIELDS[name])]
            said = b"".join(map(_text, (*every, texts["title"], texts["url"])))
            self._say(b"d" + pack(">ii", document.id, len(every)) + said)
        self._say(b"c")
        self._seconds = unpack(">q", self._heard(8))[0] / 1e9

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        words = b"".join(map(_text, bench_query.words))
        self._say(
            b"q"
            + _text(bench_query.kind)
            + pack(">ii", MAX_CANDIDATES, len(bench_query.words))
            + words
        )
        spent, found = unpack(">qi", self._heard(12))
        self._seconds += spent / 1e9
        return unpack(f">{found}i", self._heard(4 * found))

    def close(self) -> None:
        """End its process."""
        self._process.communicate()

    def _say(self, order: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(order)
        if order[:1] != b"d":
            self._process.stdin.flush()

    def _heard(self, size: int) -> bytes:
        assert self._process.stdout is not None
        answer = self._process.stdout.read(size)
        if len(answer) < size:
            raise RuntimeError(f"Lucene ended with exit code {self._process.wait()}")
        return answer


def unavailable_reason() -> str:
    """Why Lucene cannot take part; nothing if it can. Root gets its package installed."""
    if not shutil.which("javac"):
        return "there is no javac; install default-jdk-headless"
    if not _jars() and os.geteuid() == 0:
        try:
            require_packages([DEBIAN_PACKAGE])
        except SystemExit as error:
            return str(error)
    return "" if _jars() else f"there is no Lucene; install {DEBIAN_PACKAGE}"


def _jars() -> list[Path]:
    found = [
        sorted(JAR_FOLDER.glob(f"lucene-{name}-[0-9]*.jar"))
        for name in ("core", "analyzers-common")
    ]
    return [each[-1] for each in found] if all(found) else []


def _text(text: str) -> bytes:
    written = text.encode("utf-8", "replace")
    return pack(">i", len(written)) + written
