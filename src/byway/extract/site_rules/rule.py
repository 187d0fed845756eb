"""How is one site read? A rule: which pages it is for, where things are on them, what they mean.

Rules are written as TOML files; `parse.py` reads them and docs/reference/site-rules.md explains
every key.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from turbohtml import Document, Element

from byway.core.model import ExtractionResult, Link, Url
from byway.core.url import bare_host, host_of, resolve
from byway.extract.dates import plausible_date
from byway.extract.formats.html.dom import single_line
from byway.products.prices import parse_number, parse_price

MAX_VALUES = 1000
"""Values of one list."""

MAX_PATTERN_INPUT_CHARS = 200_000
"""Characters that a pattern is searched in."""

DOCUMENT_FIELDS = ("author", "breadcrumbs", "description", "modified", "published")
"""Fields of a rule that fill the document's own; all others become attributes."""


PAIRED_FIELDS = ("attribute_names", "attribute_values")
"""Lists that belong together, place by place: what is there twice or empty stays."""


@dataclass(frozen=True, slots=True)
class SiteRuleField:
    """Where a value comes from, and what it means."""

    css: tuple[str, ...] = ()
    """The first of these that finds something counts."""
    attr: str = ""
    pattern: re.Pattern[str] | None = None
    type: str = "text"
    list: bool = False
    split: str = ""
    currency: str = ""
    const: object = None


@dataclass(frozen=True, slots=True)
class SiteRule:
    """How the pages of one site are read. A rule without conditions is for none."""

    name: str = ""
    source: str = ""
    hosts: tuple[str, ...] = ()
    urls: tuple[re.Pattern[str], ...] = ()
    css: str = ""
    title: str = ""
    main: str = ""
    drop: tuple[str, ...] = ()
    follow: tuple[re.Pattern[str], ...] = ()
    skip: tuple[re.Pattern[str], ...] = ()
    always: str = ""
    """Links that are followed whatever `follow` and `skip` say."""
    fields: Mapping[str, SiteRuleField] = field(default_factory=dict)

    def matches(self, url: Url, document: Document) -> bool:
        """Is it for this page?"""
        if not (self.hosts or self.urls or self.css):
            return False
        return not self.unmet_condition(url, document)

    def unmet_condition(self, url: Url, document: Document) -> str:
        """The condition that a page does not meet, if there is one."""
        if self.hosts and not _is_below(host_of(url), self.hosts):
            return "match.host"
        if self.urls and not any(each.search(url) for each in self.urls):
            return "match.url"
        return "match.css" if self.css and document.select_one(self.css) is None else ""

    def title_of(self, document: Document) -> str:
        """The page's title, where the rule says it is."""
        found = document.select_one(self.title) if self.title else None
        return single_line(found.text) if found is not None else ""

    def filter_links(
        self, links: tuple[Link, ...], document: Document, base: Url
    ) -> tuple[Link, ...]:
        """Those of a page's links that the rule lets us follow."""
        if not (self.follow or self.skip):
            return links
        found = document.select(self.always)[:MAX_VALUES] if self.always else []
        spared = set(resolve(base, [each.attr("href") or "" for each in found]).values())
        return tuple(
            link for link in links if link.target in spared or self.may_follow(link.target)
        )

    def may_follow(self, url: Url) -> bool:
        """May links of its pages lead there?"""
        if self.follow and not any(each.search(url) for each in self.follow):
            return False
        return not any(each.search(url) for each in self.skip)


def extract_values(rule: SiteRule, document: Document, fetched_at: float = 0) -> dict[str, object]:
    """What the fields of a rule find on a page."""
    fields = rule.fields.items()
    found = {name: extract_value(name, field, document, fetched_at) for name, field in fields}
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def move_document_fields(extracted: ExtractionResult) -> ExtractionResult:
    """The same with those values that belong there moved to the document's own fields."""
    document = extracted.document
    if document is None:
        return extracted
    rest = dict(document.attributes)
    mine: dict[str, Any] = {name: rest.pop(name) for name in DOCUMENT_FIELDS if name in rest}
    for name, value in mine.items():
        if isinstance(value, list):
            texts = [str(each) for each in value]
            mine[name] = tuple(texts) if name == "breadcrumbs" else ", ".join(texts)
    return replace(extracted, document=replace(document, attributes=rest, **mine))


def extract_value(
    name: str, field: SiteRuleField, document: Document, fetched_at: float = 0
) -> object:
    """What the field of that name finds: a value, a list of values, or nothing."""
    if field.const is not None:
        return field.const
    elements = _first(document, field.css)
    if not field.list:
        elements = elements[:1]
    if name in PAIRED_FIELDS:
        return [text for each in elements for text in _texts(field, each) or [""]][:MAX_VALUES]
    texts = [text for each in elements for text in _texts(field, each)][:MAX_VALUES]
    meant = [_meant(field, text, fetched_at) for text in texts]
    known = [value for value in meant if value not in (None, "")]
    if field.list:
        if field.type != "price":
            return list(dict.fromkeys(known))
        return [value for place, value in enumerate(known) if value not in known[:place]]
    return known[0] if known else None


def _first(document: Document, selectors: Iterable[str]) -> Sequence[Element]:
    for selector in selectors:
        if found := document.select(selector)[:MAX_VALUES]:
            return found
    return []


def _texts(field: SiteRuleField, element: Element) -> list[str]:
    raw = element.attr(field.attr) if field.attr else element.text
    if field.pattern is not None:
        # A pattern may look for something in a whole script.
        found = field.pattern.search(single_line(raw, MAX_PATTERN_INPUT_CHARS))
        raw = found.group(min(1, field.pattern.groups)) if found else ""
    text = single_line(raw)
    pieces = text.split(field.split) if field.split else [text]
    return [piece.strip() for piece in pieces if piece.strip()]


def _meant(field: SiteRuleField, text: str, fetched_at: float) -> object:
    match field.type:
        case "number":
            return parse_number(text)
        case "price":
            return parse_price(text, field.currency)
        case "date":
            return plausible_date(text, fetched_at)
    return text


def _is_below(host: str, hosts: Iterable[str]) -> bool:
    """Is it one of these or below one? A host of a rule that has no port is for every port."""
    names = (host, bare_host(host))
    return any(name == each or name.endswith(f".{each}") for each in hosts for name in names)
