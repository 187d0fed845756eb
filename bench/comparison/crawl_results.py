"""Pages, links and ranks of a crawl, from its WARC files and its exported link graph."""

import gzip
import hashlib
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from bench.comparison.aliases import Aliases

Values = dict[str, Any]
"""What is compared in one category, by a key: a URL, a link or a query."""

GRAPHML_NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
KEPT_STATE = "kept"
DIGEST_CHARS = 16


@dataclass(frozen=True, slots=True)
class Graph:
    """The link graph: the state and rank of each URL, and the anchors of each link."""

    states: dict[str, str]
    ranks: dict[str, float]
    links: dict[str, list[tuple[str, str]]]

    @property
    def kept(self) -> list[str]:
        """The URLs of the pages that were kept."""
        return sorted(url for url, state in self.states.items() if state == KEPT_STATE)


def read_graph(path: Path, aliases: Aliases) -> Graph:
    """Read an exported GraphML file."""
    graph = Graph({}, {}, defaultdict(list))
    names: dict[str, str] = {}
    urls: dict[str, str] = {}
    for _, element in ElementTree.iterparse(path):
        kind = element.tag.removeprefix(GRAPHML_NAMESPACE)
        if kind == "key":
            names[element.attrib["id"]] = aliases.old_name("graph", element.attrib["attr.name"])
        elif kind in ("node", "edge"):
            values = {names[part.attrib["key"]]: part.text or "" for part in element}
            if kind == "node":
                url = urls[element.attrib["id"]] = values["url"]
                graph.states[url] = aliases.old_name("states", values["state"])
                graph.ranks[url] = float(values["rank"])
            else:
                ends = urls[element.attrib["source"]], urls[element.attrib["target"]]
                graph.links[" → ".join(ends)].append((values["anchor"], values["nofollow"]))
            element.clear()
    for anchors in graph.links.values():
        anchors.sort()
    return graph


def read_pages(pages: Path, graph: Graph) -> Values:
    """The state of every URL, and the status and the digest of the body of every kept page."""
    records = chain.from_iterable(map(_records, sorted(pages.glob("*.warc*"))))
    found: dict[str, Values] = {url: {"state": state} for url, state in graph.states.items()}
    bodies: dict[str, str] = {}
    for headers, block in records:
        url, digest = headers.get("WARC-Target-URI", ""), headers.get("WARC-Payload-Digest", "")
        if headers["WARC-Type"] == "response":
            status, body = _response(block)
            bodies[digest] = hashlib.sha256(body).hexdigest()[:DIGEST_CHARS]
        elif headers["WARC-Type"] == "revisit":  # its body is that of an earlier page
            status, _ = _response(block)
        else:
            continue
        found.setdefault(url, {}).update(status=status, digest=bodies.get(digest, digest))
    return found


def _records(path: Path) -> Iterator[tuple[Mapping[str, str], bytes]]:
    """The headers and the block of every record of a WARC file."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        while line := file.readline():
            if not line.startswith(b"WARC/"):
                continue
            lines = iter(file.readline, b"\r\n")
            headers = dict(BytesHeaderParser().parsebytes(b"".join(lines)).items())
            yield headers, file.read(int(headers["Content-Length"]))


def _response(block: bytes) -> tuple[int, bytes]:
    """The status and the body of an HTTP response, unpacked if it came with gzip."""
    head, _, body = block.partition(b"\r\n\r\n")
    status, _, fields = head.partition(b"\r\n")
    headers = BytesHeaderParser().parsebytes(fields)
    if headers.get("Content-Encoding") == "gzip" and body:
        body = zlib.decompress(body, wbits=31)
    return int(status.split()[1]), body
