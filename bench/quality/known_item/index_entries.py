"""Entries of the printed index of a manual, with the pages they name.

The author of the index has chosen the pages for each entry: real queries with real answers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turbohtml import Element, parse

from byway.core.text import tokenize


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An index entry and its pages."""

    text: str
    pages: frozenset[str]


def python_entries(root: Path) -> list[IndexEntry]:
    """The entries of Python's genindex: `abort() (in module os)`, `abc module`."""
    page = parse((root / "genindex-all.html").read_text(encoding="utf-8"))
    tops = [
        item for table in page.select("table.indextable") for item in table.select("td > ul > li")
    ]
    return _entries(pair for item in tops for pair in _sphinx_entries(item, ""))


def postgresql_entries(root: Path) -> list[IndexEntry]:
    """The entries of PostgreSQL's bookindex: `CASCADE`, `CASCADE with DROP`."""
    page = parse((root / "bookindex.html").read_text(encoding="utf-8"))
    lists = page.select("div.indexdiv > dl")
    return _entries(pair for terms in lists for pair in _docbook_entries(terms, ""))


def _entries(pairs: Iterator[tuple[str, str]]) -> list[IndexEntry]:
    """Pairs of text and page, grouped by text; texts without a word are left out."""
    pages: dict[str, set[str]] = {}
    for text, href in pairs:
        # A link within the index (`see`) names another entry and no page.
        if tokenize(text) and not href.startswith("#"):
            pages.setdefault(text, set()).add(href.partition("#")[0])
    return [IndexEntry(text, frozenset(found)) for text, found in pages.items()]


def _sphinx_entries(item: Element, parent: str) -> Iterator[tuple[str, str]]:
    """An entry, with the text of its first link or its own text, and its subentries."""
    links = [child for child in _elements(item) if child.tag == "a"]
    own = "".join(str(node.text) for node in item.children if not isinstance(node, Element))
    label = _line(links[0].text if links else own)
    # A label in parentheses replaces that of the parent: it distinguishes entries of one name.
    parent = parent.partition(" (")[0] if label.startswith("(") else parent
    text = _line(f"{parent} {label}")
    for link in links:
        yield text, str(link.attr("href"))
    for child in item.select(":scope > ul > li"):
        yield from _sphinx_entries(child, text)


def _docbook_entries(terms: Element, parent: str) -> Iterator[tuple[str, str]]:
    """A list of entries: each is a text before its links; a nested list has its subentries."""
    text = ""
    for child in _elements(terms):
        if child.tag == "dt":
            links = [link for link in _elements(child) if link.tag == "a"]
            label = _line(child.text)
            if links:
                label = label[: label.find(_line(links[0].text))].rstrip(" ,")
            text = _line(f"{parent} {label}")
            for link in links:
                yield text, str(link.attr("href"))
        for nested in child.select(":scope > dl") if child.tag == "dd" else ():
            yield from _docbook_entries(nested, text)


def _elements(parent: Element) -> Iterator[Element]:
    return (child for child in parent.children if isinstance(child, Element))


def _line(text: str) -> str:
    return " ".join(text.split())
