"""Product page reader: merges fields from the site rule, structured data and visible text."""

from collections.abc import Mapping

from turbohtml import Document

from byway.core.model.document import DOCUMENT_FIELDS
from byway.core.verticals import ParsedPage
from byway.products.reader.attribute_pairs import extract_pairs, parse_pair
from byway.products.reader.merge import (
    FIELD_BY_ATTRIBUTE,
    KNOWN_FIELDS,
    ProductFields,
    fields_from_pairs,
    merge_sources,
    set_field,
)
from byway.products.reader.structured_data import extract_structured_fields
from byway.products.reader.visible_text import extract_visible_fields
from byway.products.record import product_to_dict
from byway.products.vocabulary.lookup import ProductVocabulary

FIELD_ALIASES = {"colors": "colours", "type": "kind", "old-price": "old_price"}
"""Alternative names of product fields in site rules."""
PAIRS_FIELD, NAMES_FIELD, VALUES_FIELD = "attributes", "attribute_names", "attribute_values"
"""Rule fields with pairs like `Colour: red`, or with names and values in two lists."""
REQUIRED_RULE_FIELDS = ("price", "sizes", "sku")
"""A rule must find at least one of these fields on a product page."""


def extract_product(page: ParsedPage, vocabulary: ProductVocabulary) -> dict[str, object] | None:
    """The product of a page as stored values; None if the page is not about one product."""
    document: Document = page.tree
    from_rule = _rule_fields(page.rule_fields, page.rule_title, vocabulary)
    heading = _heading(document) if page.data.items else ""
    structured = extract_structured_fields(page.data, f"{page.title} {heading}", vocabulary)
    has_structured = any(set(fields) - {"images"} for _, fields in structured)
    if not (from_rule or has_structured or page.has_markup):
        return None
    pairs = extract_pairs(document)
    visible, is_product = extract_visible_fields(document, pairs, page.title, vocabulary)
    if not (from_rule or has_structured or is_product):
        return None
    set_field(visible, "description", page.description, vocabulary)
    product = merge_sources([("rule", from_rule), *structured, ("heuristic", visible)])
    if not product.name or (product.price is None and not product.sizes and not product.sku):
        return None
    return product_to_dict(product, vocabulary, " / ".join(page.breadcrumbs))


def _rule_fields(
    rule_values: Mapping[str, object], title: str, vocabulary: ProductVocabulary
) -> ProductFields:
    """Product fields from the values of a site rule; empty if the rule is not for products."""
    fields: ProductFields = {}
    others: list[tuple[str, str]] = []
    for name, value in rule_values.items():
        field = _field_of(name, vocabulary)
        if name == PAIRS_FIELD:
            others += [pair for row in _texts(value) if (pair := parse_pair(row))]
        elif name == NAMES_FIELD:
            pairs = zip(_texts(value), _texts(rule_values.get(VALUES_FIELD)), strict=False)
            others += [pair for pair in pairs if all(pair)]
        elif field:
            set_field(fields, field, value, vocabulary)
        elif isinstance(value, str | int | float) and name not in DOCUMENT_FIELDS:
            others.append((name, str(value)))
    if not any(name in fields for name in REQUIRED_RULE_FIELDS):
        return {}
    set_field(fields, "name", title, vocabulary)
    return fields_from_pairs(others, vocabulary) | fields


def _field_of(name: str, vocabulary: ProductVocabulary) -> str:
    """The product field a rule means by this name; empty if it means another attribute."""
    field = FIELD_ALIASES.get(name, name)
    if field in {*KNOWN_FIELDS, "images"}:
        return field
    return FIELD_BY_ATTRIBUTE.get(vocabulary.find_attribute(name), "")


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value or "")]


def _heading(document: Document) -> str:
    heading = document.select_one("h1")
    return heading.text if heading is not None else ""
