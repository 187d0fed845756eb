"""Lucene in a process of its own: Debian's jars and Lucene.java."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from struct import pack, unpack

from bench.speed.environment import require_packages
from bench.speed.search.engines import MAX_CANDIDATES, plain_fields
from bench.speed.search.queries import BenchQuery
from byway.core.model import Document

JAR_FOLDER = Path("/usr/share/java")
DEBIAN_PACKAGE = "liblucene8-java"
JAVA_SOURCE = Path(__file__).with_name("Lucene.java")


class Lucene:
    """Lucene with its English analyzer, over the same texts as tantivy."""

    name = "lucene"
    warm_up = 3
    """Runs of all queries before the measurement, for its just-in-time compiler."""

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
        """CPU seconds of its indexing and queries."""
        return self._seconds

    def caller_clock(self) -> float:
        """0: documents are read in this process, and its clock runs in another."""
        return 0.0

    def index(self, documents: Iterable[Document]) -> None:
        for document in documents:
            texts = plain_fields(document)
            all_texts = [*texts.values()]
            encoded = b"".join(map(_encode, (*all_texts, texts["title"], texts["url"])))
            self._send(b"d" + pack(">ii", document.id, len(all_texts)) + encoded)
        self._send(b"c")
        self._seconds = unpack(">q", self._receive(8))[0] / 1e9

    def run_query(self, bench_query: BenchQuery) -> Sequence[int]:
        words = b"".join(map(_encode, bench_query.words))
        self._send(
            b"q"
            + _encode(bench_query.kind)
            + pack(">ii", MAX_CANDIDATES, len(bench_query.words))
            + words
        )
        spent, found = unpack(">qi", self._receive(12))
        self._seconds += spent / 1e9
        return unpack(f">{found}i", self._receive(4 * found))

    def close(self) -> None:
        """End its process."""
        self._process.communicate()

    def _send(self, order: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(order)
        if order[:1] != b"d":
            self._process.stdin.flush()

    def _receive(self, size: int) -> bytes:
        assert self._process.stdout is not None
        answer = self._process.stdout.read(size)
        if len(answer) < size:
            raise RuntimeError(f"Lucene ended with exit code {self._process.wait()}")
        return answer


def unavailable_reason() -> str:
    """Why Lucene is not available; empty if it is. Its package is installed for root."""
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
    return [jars[-1] for jars in found] if all(found) else []


def _encode(text: str) -> bytes:
    encoded = text.encode("utf-8", "replace")
    return pack(">i", len(encoded)) + encoded
