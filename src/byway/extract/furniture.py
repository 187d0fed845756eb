"""What on a page is not what the page says? What nobody sees, menus, banners, share bars."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from turbohtml import Element, Node

MUCH = 0.4
"""A block with this share of a page's text is not taken for furniture because of its name.

On bench/quality/extract .2 to .5 came out the same; what is more would take away discussions."""

#: Where a name like `topAd` is parted.
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def clear(body: Node, drop: Sequence[str], guess: bool) -> list[Element]:
    """Take the furniture out of a page, and give it back. Guessing goes by what blocks are called.

    What is never meant to be read is gone for good, and so is what a site's rule says to `drop`.
    """
    lists = _lists()
    for element in list(body.iter_elements(lists["tags"])):
        element.decompose()
    body.remove(",".join([*lists["unseen"], *drop]))
    removed = [element.extract() for element in body.select(lists["furniture"])]
    sure, likely = _named(body)
    removed += [element.extract() for element in sure]
    if guess and likely:
        most = len(body.text) * MUCH
        removed += [each.extract() for each in likely if len(each.text) < most and _is_plain(each)]
    return removed


def is_named_so(element: Element) -> bool:
    """Is it called what furniture is called?"""
    return _kind(element.tag, element.attr("class"), element.attr("id")) > 0


def _named(body: Node) -> tuple[list[Element], list[Element]]:
    """The blocks that are surely furniture by their names, and those that are likely to be."""
    kinds: tuple[list[Element], ...] = ([], [], [])
    for element in body.select(_lists()["named"]):
        kinds[_kind(element.tag, element.attr("class"), element.attr("id"))].append(element)
    return kinds[2], kinds[1]


def _is_plain(element: Element) -> bool:
    """The block with the title of a page is no furniture, whatever it is called."""
    return element.find("h1") is None


@lru_cache(maxsize=65_536)  # the pages of a site have the same names
def _kind(tag: str, classes: str | None, name: str | None) -> int:
    """0: nothing says that such a block is furniture; 1: something does; 2: it surely is."""
    lists = _lists()
    tokens = classes.split() if classes else []
    asked = [*tokens]
    if name and tag in lists["with_id"] and lists["sections"].isdisjoint(tokens):
        asked.append(name)
        if name in lists["sure_ids"]:
            return 2
    if not lists["sure"].isdisjoint(asked):
        return 2
    return int(any(lists["likely"].search(HUMP.sub(" ", each).lower()) for each in asked))


@cache
def _lists() -> dict[str, Any]:
    path = Path(__file__).with_name("boilerplate.toml")
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    names = lists["names"]
    return {
        "tags": tuple(lists["tags"]),
        "unseen": lists["unseen"],
        "furniture": ",".join(lists["furniture"]),
        "named": f":is({','.join(names['blocks'])}):is([class],[id])",
        "sure": frozenset(names["sure"]),
        "sure_ids": frozenset(names["sure_ids"]),
        "sections": frozenset(names["sections"]),
        # The others are given ids for the sake of links to them: those say what they are about.
        "with_id": frozenset(names["blocks"]) - {"section", "p", "li", "figure"},
        "likely": re.compile(
            f"(?<![a-z])(?:(?:{_any(names['words'])})(?![a-z])|{_any(names['beginnings'])})"
            f"|^(?:{_any(names['first'])})(?![a-z])"
        ),
    }


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))
