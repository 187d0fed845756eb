"""Boilerplate removal: drops hidden elements, menus, banners and share bars."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from pathlib import Path

from turbohtml import Comment, Element, Node

MAX_BOILERPLATE_BLOCK_SHARE = 0.8
"""A block with this share of a page's text is never removed by name.

On bench/quality/extract, .4 lowered F1 by .01, because some stories are far shorter than their
comments; .9 lost a page."""
SAFE_BOILERPLATE_SHARE = 0.3
"""Share of a page's text that may be removed by name without checking `MIN_REMAINING_CHARS`."""
MIN_REMAINING_CHARS = 500
"""Minimum characters that must remain if more than `SAFE_BOILERPLATE_SHARE` is removed."""

#: Word boundary in a name like `topAd`.
CAMEL_CASE_PATTERN = re.compile(r"(?<=[a-z])(?=[A-Z])")
MAIN_SELECTOR = "main,article"
HEADING_SELECTOR = "h2,h3,h4,h5,h6"
MAX_HEADINGS = 500
"""Maximum headings per page checked for empty sections."""


class BoilerplateVerdict(IntEnum):
    """Classification of an element by its tag, role, class and id."""

    CONTENT = 0
    LIKELY_BOILERPLATE = 1
    BOILERPLATE = 2


@dataclass(frozen=True, slots=True)
class BoilerplateRules:
    """The lists of `boilerplate.toml`, as sets and patterns."""

    removed_tags: frozenset[str]
    boilerplate_tags: frozenset[str]
    candidate_tags: tuple[str, ...]
    """The tags of all elements that may be boilerplate."""
    hidden_selectors: tuple[str, ...]
    boilerplate_roles: frozenset[str]
    boilerplate_names: frozenset[str]
    boilerplate_ids: frozenset[str]
    section_classes: frozenset[str]
    tags_with_id: frozenset[str]
    """Tags whose ids are checked as names; ids of other elements are link targets."""
    likely_pattern: re.Pattern[str]


def remove_boilerplate(body: Node, drop: Sequence[str], guess_by_name: bool) -> list[Element]:
    """Remove the boilerplate of a page and return the removed elements.

    Hidden elements, scripts and the `drop` selectors of a site rule are always removed and not
    returned. `guess_by_name` also removes blocks with likely boilerplate names.
    """
    rules = boilerplate_rules()
    body.remove(",".join([*rules.hidden_selectors, *drop]))
    sure: list[Element] = []
    likely: list[Element] = []
    for element in list(body.iter_elements(rules.candidate_tags)):
        tag = element.tag
        if tag in rules.removed_tags:
            element.decompose()
        elif tag in rules.boilerplate_tags:
            if tag != "header" or element.closest(MAIN_SELECTOR) is None:
                sure.append(element)
        else:
            verdict = _verdict(tag, element.attr("class"), element.attr("id"), element.attr("role"))
            if verdict:
                is_sure = verdict == BoilerplateVerdict.BOILERPLATE
                (sure if is_sure else likely).append(element)
    removed = [element.extract() for element in sure]
    if guess_by_name and likely:
        removed += [element.extract() for element in _removable(body, likely)]
    return removed


def _removable(body: Node, likely: Sequence[Element]) -> list[Element]:
    """The likely boilerplate to remove: none if hardly any text would remain.

    If a page is nearly all comments, they are its content. The block with the <h1> is never
    boilerplate.
    """
    page_chars = len(body.text)
    blocks = [
        block
        for block in likely
        if block.find("h1") is None and len(block.text) < MAX_BOILERPLATE_BLOCK_SHARE * page_chars
    ]
    block_set = set(blocks)
    outermost = [block for block in blocks if block_set.isdisjoint(block.ancestors)]
    if sum(len(block.text) for block in outermost) > SAFE_BOILERPLATE_SHARE * page_chars:
        remaining = _length(body) - sum(map(_length, outermost))
        return outermost if remaining > MIN_REMAINING_CHARS else []
    return outermost


def _length(node: Node) -> int:
    """The number of non-whitespace characters."""
    return sum(map(len, node.text.split()))


def remove_empty_headings(body: Node) -> None:
    """Remove headings whose section is empty."""
    # In reverse: a heading with only an empty heading below it is empty too.
    for heading in reversed(body.select(HEADING_SELECTOR)[:MAX_HEADINGS]):
        block: Element = heading
        # Newer wikis wrap each heading in a <div>.
        while isinstance(block.parent, Element) and _is_alone(block):
            block = block.parent
        below = next(filter(_is_visible, block.next_siblings), None)
        if below is None or _heading_level(below) <= heading.tag:
            block.decompose()


def _is_alone(block: Element) -> bool:
    return not any(map(_is_visible, block.next_siblings)) and not any(
        map(_is_visible, block.previous_siblings)
    )


def _is_visible(node: Node) -> bool:
    """Whether a node has visible text or an image."""
    if node.text.strip():
        return not isinstance(node, Comment)
    return isinstance(node, Element) and node.select_one("img,math") is not None


def _heading_level(node: Node) -> str:
    """`h2` for a heading or its wrapper; `h9`, below all headings, for anything else."""
    if not isinstance(node, Element):
        return "h9"
    if node.tag in HEADING_SELECTOR:
        return node.tag
    first = node.select_one(HEADING_SELECTOR)
    return first.tag if first is not None and first.text.strip() == node.text.strip() else "h9"


def has_boilerplate_name(element: Element) -> bool:
    """Whether the class or id of an element is a boilerplate name."""
    verdict = _verdict(element.tag, element.attr("class"), element.attr("id"), None)
    return verdict > BoilerplateVerdict.CONTENT


@lru_cache(maxsize=65_536)  # pages of a site share names
def _verdict(
    tag: str, classes: str | None, element_id: str | None, role: str | None
) -> BoilerplateVerdict:
    rules = boilerplate_rules()
    names = classes.split() if classes else []
    if role in rules.boilerplate_roles:
        return BoilerplateVerdict.BOILERPLATE
    if element_id and tag in rules.tags_with_id and rules.section_classes.isdisjoint(names):
        names.append(element_id)
        if element_id in rules.boilerplate_ids:
            return BoilerplateVerdict.BOILERPLATE
    if not rules.boilerplate_names.isdisjoint(names):
        return BoilerplateVerdict.BOILERPLATE
    is_likely = any(
        rules.likely_pattern.search(CAMEL_CASE_PATTERN.sub(" ", name).lower()) for name in names
    )
    return BoilerplateVerdict.LIKELY_BOILERPLATE if is_likely else BoilerplateVerdict.CONTENT


@cache
def boilerplate_rules() -> BoilerplateRules:
    """The rules in `boilerplate.toml`."""
    path = Path(__file__).with_name("boilerplate.toml")
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    names = lists["names"]
    return BoilerplateRules(
        removed_tags=frozenset(lists["tags"]),
        boilerplate_tags=frozenset(lists["boilerplate"]),
        candidate_tags=(*lists["tags"], *lists["boilerplate"], *names["blocks"]),
        hidden_selectors=tuple(lists["hidden"]),
        boilerplate_roles=frozenset(names["roles"]),
        boilerplate_names=frozenset(names["sure"]),
        boilerplate_ids=frozenset(names["sure_ids"]),
        section_classes=frozenset(names["sections"]),
        tags_with_id=frozenset(names["blocks"]) - {"section", "figure"},
        likely_pattern=re.compile(
            f"(?<![a-z])(?:(?:{_alternatives(names['words'])})(?![a-z])|{_alternatives(names['beginnings'])})"
            f"|^(?:{_alternatives(names['first'])})(?![a-z])"
        ),
    )


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))
