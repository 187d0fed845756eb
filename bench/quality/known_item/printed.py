"""What should be found? The entries of a documentation's printed index, and the pages they name.

An author has said for each entry where a reader should look: real queries with real answers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turbohtml import Element, parse

from byway.core.text import tokenize


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What a reader looks up, and the pages that the index sends them to."""

    text: str
    pages: frozenset[str]


def python_entries(root: Path) -> list[IndexEntry]:
    """The entries of Python's genindex: `abort() (in module os)`, `abc module`."""
    page = parse((root / "genindex-all.html").read_text(encoding="utf-8"))
    tops = [
        item for table in page.select("table.indextable") for item in table.select("td > ul > li")
    ]
    return _entries(pair for item in tops for pair in _sphinx(item, ""))


def postgresql_entries(root: Path) -> list[IndexEntry]:
    """The entries of PostgreSQL's bookindex: `CASCADE`, `CASCADE with DROP`."""
    page = parse((root / "bookindex.html").read_text(encoding="utf-8"))
    lists = page.select("div.indexdiv > dl")
    return _entries(pair for each in lists for pair in _docbook(each, ""))


def _entries(pairs: Iterator[tuple[str, str]]) -> list[IndexEntry]:
    """Pairs of text and page, by text; what has no word in it nobody can search for."""
    pages: dict[str, set[str]] = {}
    for text, href in pairs:
        # A link within the index says `see`; it names another entry and no page.
        if tokenize(text) and not href.startswith("#"):
            pages.setdefault(text, set()).add(href.partition("#")[0])
    return [IndexEntry(text, frozenset(found)) for text, found in pages.items()]


def _sphinx(item: Element, above: str) -> Iterator[tuple[str, str]]:
    """An entry: its text is that of its first link, or stands there without one."""
    links = [child for child in _elements(item) if child.tag == "a"]
    own = "".join(str(node.text) for node in item.children if not isinstance(node, Element))
    said = _line(links[0].text if links else own)
    # What stands in brackets tells entries of one name apart, each its own.
    above = above.partition(" (")[0] if said.startswith("(") else above
    text = _line(f"{above} {said}")
    for link in links:
        yield text, str(link.attr("href"))
    for below in item.select(":scope > ul > li"):
        yield from _sphinx(below, text)


def _docbook(terms: Element, above: str) -> Iterator[tuple[str, str]]:
    """A list of entries: each a text before its links; a list after it has those below it."""
    text = ""
    for child in _elements(terms):
        if child.tag == "dt":
            links = [link for link in _elements(child) if link.tag == "a"]
            said = _line(child.text)
            if links:
                said = said[: said.find(_line(links[0].text))].rstrip(" ,")
            text = _line(f"{above} {said}")
            for link in links:
                yield text, str(link.attr("href"))
        for below in child.select(":scope > dl") if child.tag == "dd" else ():
            yield from _docbook(below, text)


def _elements(parent: Element) -> Iterator[Element]:
    return (child for child in parent.children if isinstance(child, Element))


def _line(text: str) -> str:
    return " ".join(text.split())
