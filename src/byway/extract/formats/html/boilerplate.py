"""What on a page is not what the page says? What nobody sees, menus, banners, share bars."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from pathlib import Path

from turbohtml import Comment, Element, Node

MAX_BOILERPLATE_BLOCK_SHARE = 0.8
"""A block with this share of a page's text is not taken for furniture because of its name.

On bench/quality/extract .4 cost .01 of F1, since some stories have many more words of comments;
with .9 a page was lost."""
SAFE_BOILERPLATE_SHARE = 0.3
"""The share of a page's text that may be furniture by its names without further question."""
MIN_REMAINING_CHARS = 500
"""Characters that have to be left otherwise."""

#: Where a name like `topAd` is parted.
CAMEL_CASE_PATTERN = re.compile(r"(?<=[a-z])(?=[A-Z])")
MAIN_SELECTOR = "main,article"
HEADING_SELECTOR = "h2,h3,h4,h5,h6"
MAX_HEADINGS = 500
"""Headings of a page that are looked at for what is below them."""


class BoilerplateVerdict(IntEnum):
    """What an element is, as far as its tag and names tell."""

    CONTENT = 0
    LIKELY_BOILERPLATE = 1
    BOILERPLATE = 2


@dataclass(frozen=True, slots=True)
class BoilerplateRules:
    """What `boilerplate_rules.toml` says, made ready."""

    removed_tags: frozenset[str]
    boilerplate_tags: frozenset[str]
    candidate_tags: tuple[str, ...]
    """The tags of all elements that could be furniture."""
    hidden_selectors: tuple[str, ...]
    boilerplate_roles: frozenset[str]
    boilerplate_names: frozenset[str]
    boilerplate_ids: frozenset[str]
    section_classes: frozenset[str]
    tags_with_id: frozenset[str]
    """Blocks whose ids are names; others have them for links, and they say what these are about."""
    likely_pattern: re.Pattern[str]


def remove_boilerplate(body: Node, drop: Sequence[str], guess_by_name: bool) -> list[Element]:
    """Take the furniture out of a page, and give it back. Guessing goes by what blocks are called.

    What is never meant to be read is gone for good, and so is what a site's rule says to `drop`.
    """
    known = boilerplate_rules()
    body.remove(",".join([*known.hidden_selectors, *drop]))
    sure: list[Element] = []
    likely: list[Element] = []
    for element in list(body.iter_elements(known.candidate_tags)):
        tag = element.tag
        if tag in known.removed_tags:
            element.decompose()
        elif tag in known.boilerplate_tags:
            if tag != "header" or element.closest(MAIN_SELECTOR) is None:
                sure.append(element)
        else:
            kind = _kind(tag, element.attr("class"), element.attr("id"), element.attr("role"))
            if kind:
                (sure if kind == BoilerplateVerdict.BOILERPLATE else likely).append(element)
    removed = [element.extract() for element in sure]
    if guess_by_name and likely:
        removed += [element.extract() for element in _believed(body, likely)]
    return removed


def _believed(body: Node, likely: Sequence[Element]) -> list[Element]:
    """Those that are furniture: none, if a page would be left with next to nothing.

    Where nearly all is comments, they are what the page is for. The block with the title of a page
    is no furniture, whatever it is called.
    """
    whole = len(body.text)
    found = [
        each
        for each in likely
        if each.find("h1") is None and len(each.text) < MAX_BOILERPLATE_BLOCK_SHARE * whole
    ]
    known = set(found)
    outer = [each for each in found if known.isdisjoint(each.ancestors)]
    if sum(len(each.text) for each in outer) > SAFE_BOILERPLATE_SHARE * whole:
        left = _length(body) - sum(map(_length, outer))
        return outer if left > MIN_REMAINING_CHARS else []
    return outer


def _length(node: Node) -> int:
    """The characters of a text, white space left out."""
    return sum(map(len, node.text.split()))


def remove_empty_headings(body: Node) -> None:
    """Take out headings that have lost all that they stood above."""
    # The last first: a heading with no more than such a heading below it has lost all, too.
    for heading in reversed(body.select(HEADING_SELECTOR)[:MAX_HEADINGS]):
        block: Element = heading
        # Newer wikis put each heading in a box of its own.
        while isinstance(block.parent, Element) and _is_alone(block):
            block = block.parent
        below = next(filter(_shows, block.next_siblings), None)
        if below is None or _level(below) <= heading.tag:
            block.decompose()


def _is_alone(block: Element) -> bool:
    return not any(map(_shows, block.next_siblings)) and not any(
        map(_shows, block.previous_siblings)
    )


def _shows(node: Node) -> bool:
    """Is there anything to see?"""
    if node.text.strip():
        return not isinstance(node, Comment)
    return isinstance(node, Element) and node.select_one("img,math") is not None


def _level(node: Node) -> str:
    """`h2`, of a heading or a box with one at its start; of a text one that comes after all."""
    if not isinstance(node, Element):
        return "h9"
    if node.tag in HEADING_SELECTOR:
        return node.tag
    first = node.select_one(HEADING_SELECTOR)
    return first.tag if first is not None and first.text.strip() == node.text.strip() else "h9"


def has_boilerplate_name(element: Element) -> bool:
    """Is it called what furniture is called?"""
    return (
        _kind(element.tag, element.attr("class"), element.attr("id"), None)
        > BoilerplateVerdict.CONTENT
    )


@lru_cache(maxsize=65_536)  # the pages of a site have the same names
def _kind(tag: str, classes: str | None, name: str | None, role: str | None) -> BoilerplateVerdict:
    known = boilerplate_rules()
    asked = classes.split() if classes else []
    if role in known.boilerplate_roles:
        return BoilerplateVerdict.BOILERPLATE
    if name and tag in known.tags_with_id and known.section_classes.isdisjoint(asked):
        asked.append(name)
        if name in known.boilerplate_ids:
            return BoilerplateVerdict.BOILERPLATE
    if not known.boilerplate_names.isdisjoint(asked):
        return BoilerplateVerdict.BOILERPLATE
    likely = any(
        known.likely_pattern.search(CAMEL_CASE_PATTERN.sub(" ", each).lower()) for each in asked
    )
    return BoilerplateVerdict.LIKELY_BOILERPLATE if likely else BoilerplateVerdict.CONTENT


@cache
def boilerplate_rules() -> BoilerplateRules:
    """The lists of what is not to be read."""
    path = Path(__file__).with_name("boilerplate.toml")
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    names = lists["names"]
    return BoilerplateRules(
        removed_tags=frozenset(lists["tags"]),
        boilerplate_tags=frozenset(lists["furniture"]),
        candidate_tags=(*lists["tags"], *lists["furniture"], *names["blocks"]),
        hidden_selectors=tuple(lists["unseen"]),
        boilerplate_roles=frozenset(names["roles"]),
        boilerplate_names=frozenset(names["sure"]),
        boilerplate_ids=frozenset(names["sure_ids"]),
        section_classes=frozenset(names["sections"]),
        tags_with_id=frozenset(names["blocks"]) - {"section", "figure"},
        likely_pattern=re.compile(
            f"(?<![a-z])(?:(?:{_any(names['words'])})(?![a-z])|{_any(names['beginnings'])})"
            f"|^(?:{_any(names['first'])})(?![a-z])"
        ),
    )


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))
