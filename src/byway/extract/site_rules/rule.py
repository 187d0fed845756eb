"""Site rule: the pages it matches, selectors for title, text and fields, and links to follow.

Rules are TOML files; `parse.py` reads them, and docs/reference/site-rules.md explains every key.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from turbohtml import Document, Element

from byway.core.model import ExtractionResult, Link, Url
from byway.core.model.document import DOCUMENT_FIELDS
from byway.core.prices import parse_number, parse_price
from byway.core.text import single_line
from byway.core.url import bare_host, host_of, resolve
from byway.extract.dates import plausible_date

MAX_VALUES = 1000
"""Maximum values in a list, and elements found by a selector."""

MAX_PATTERN_INPUT_CHARS = 200_000
"""Maximum characters searched for a field's pattern."""

PAIRED_FIELDS = ("attribute_names", "attribute_values")
"""Lists paired by index, so repeated and empty values are kept."""


@dataclass(frozen=True, slots=True)
class SiteRuleField:
    """A field of a rule: the location and type of its value."""

    css: tuple[str, ...] = ()
    """The first selector that finds an element is used."""
    attr: str = ""
    pattern: re.Pattern[str] | None = None
    type: str = "text"
    list: bool = False
    split: str = ""
    currency: str = ""
    const: object = None


@dataclass(frozen=True, slots=True)
class SiteRule:
    """Selectors and filters for pages of one site. A rule without conditions matches no page."""

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
    """Selector of links to follow regardless of `follow` and `skip`."""
    fields: Mapping[str, SiteRuleField] = field(default_factory=dict)

    def matches(self, url: Url, document: Document) -> bool:
        """Whether the rule applies to this page."""
        if not (self.hosts or self.urls or self.css):
            return False
        return not self.unmet_condition(url, document)

    def unmet_condition(self, url: Url, document: Document) -> str:
        """The first condition that a page does not meet; empty if it meets all."""
        if self.hosts and not _is_host_or_subdomain(host_of(url), self.hosts):
            return "match.host"
        if self.urls and not any(each.search(url) for each in self.urls):
            return "match.url"
        return "match.css" if self.css and document.select_one(self.css) is None else ""

    def title_of(self, document: Document) -> str:
        """The page title found by the rule's selector."""
        element = document.select_one(self.title) if self.title else None
        return single_line(element.text) if element is not None else ""

    def filter_links(
        self, links: tuple[Link, ...], document: Document, base: Url
    ) -> tuple[Link, ...]:
        """The links of a page that the rule allows."""
        if not (self.follow or self.skip):
            return links
        elements = document.select(self.always)[:MAX_VALUES] if self.always else []
        always = set(resolve(base, [each.attr("href") or "" for each in elements]).values())
        return tuple(
            link for link in links if link.target in always or self.may_follow(link.target)
        )

    def may_follow(self, url: Url) -> bool:
        """Whether `follow` and `skip` allow a link to this URL."""
        if self.follow and not any(each.search(url) for each in self.follow):
            return False
        return not any(each.search(url) for each in self.skip)


def extract_values(rule: SiteRule, document: Document, fetched_at: float = 0) -> dict[str, object]:
    """The values of a rule's fields on a page."""
    fields = rule.fields.items()
    values = {name: extract_value(name, field, document, fetched_at) for name, field in fields}
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def move_document_fields(extracted: ExtractionResult) -> ExtractionResult:
    """The result with the values of `DOCUMENT_FIELDS` moved from attributes to document fields."""
    document = extracted.document
    if document is None:
        return extracted
    attributes = dict(document.attributes)
    fields: dict[str, Any] = {
        name: attributes.pop(name) for name in DOCUMENT_FIELDS if name in attributes
    }
    for name, value in fields.items():
        if isinstance(value, list):
            texts = [str(each) for each in value]
            fields[name] = tuple(texts) if name == "breadcrumbs" else ", ".join(texts)
    return replace(extracted, document=replace(document, attributes=attributes, **fields))


def extract_value(
    name: str, field: SiteRuleField, document: Document, fetched_at: float = 0
) -> object:
    """The value of a field on a page: a single value, a list or None."""
    if field.const is not None:
        return field.const
    elements = _select_first(document, field.css)
    if not field.list:
        elements = elements[:1]
    if name in PAIRED_FIELDS:
        return [text for each in elements for text in _texts(field, each) or [""]][:MAX_VALUES]
    texts = [text for each in elements for text in _texts(field, each)][:MAX_VALUES]
    parsed = [_parsed_value(field, text, fetched_at) for text in texts]
    values = [value for value in parsed if value not in (None, "")]
    if field.list:
        if field.type != "price":
            return list(dict.fromkeys(values))
        return [value for index, value in enumerate(values) if value not in values[:index]]
    return values[0] if values else None


def _select_first(document: Document, selectors: Iterable[str]) -> Sequence[Element]:
    for selector in selectors:
        if elements := document.select(selector)[:MAX_VALUES]:
            return elements
    return []


def _texts(field: SiteRuleField, element: Element) -> list[str]:
    raw = element.attr(field.attr) if field.attr else element.text
    if field.pattern is not None:
        # A pattern may search a whole script.
        match = field.pattern.search(single_line(raw, MAX_PATTERN_INPUT_CHARS))
        raw = match.group(min(1, field.pattern.groups)) if match else ""
    text = single_line(raw)
    pieces = text.split(field.split) if field.split else [text]
    return [piece.strip() for piece in pieces if piece.strip()]


def _parsed_value(field: SiteRuleField, text: str, fetched_at: float) -> object:
    match field.type:
        case "number":
            return parse_number(text)
        case "price":
            return parse_price(text, field.currency)
        case "date":
            return plausible_date(text, fetched_at)
    return text


def _is_host_or_subdomain(host: str, hosts: Iterable[str]) -> bool:
    """Whether a host is one of these or a subdomain; a host without a port matches every port."""
    names = (host, bare_host(host))
    return any(name == each or name.endswith(f".{each}") for each in hosts for name in names)
