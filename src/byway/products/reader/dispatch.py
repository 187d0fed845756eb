"""Is this a product's page? Then: what do its rule, its structured data and its looks say of it?"""

from collections.abc import Mapping, Sequence

from turbohtml import Document

from byway.extract.formats.html.structured_data import StructuredData
from byway.extract.site_rules.rule import DOCUMENT_FIELDS
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
from byway.products.vocabulary.lookup import ProductVocabulary, default_vocabulary

FIELD_ALIASES = {"colors": "colours", "type": "kind", "old-price": "old_price"}
"""Other names that a rule may give to fields of a product."""
PAIRS_FIELD, NAMES_FIELD, VALUES_FIELD = "attributes", "attribute_names", "attribute_values"
"""Fields of a rule that list pairs as `Colour: red`, or names and values each by itself."""
REQUIRED_RULE_FIELDS = ("price", "sizes", "sku")
"""Fields of which a rule must find one, for its page to be a product's."""


def extract_product(
    document: Document,
    data: StructuredData,
    rule_fields: Mapping[str, object],
    may_have_price: bool = True,
    rule_title: str = "",
    title: str = "",
    description: str = "",
    breadcrumbs: Sequence[str] = (),
    vocabulary: ProductVocabulary | None = None,
) -> dict[str, object] | None:
    """The product that a page is about, as it is kept; None if it is about none.

    `rule_fields` is what the fields of the page's rule found, and `rule_title` the title that it
    found;
    `may_have_price` is false where nothing looks like a price; `title` and `description` are the
    page's.
    """
    if not (rule_fields or data.items or data.stored_data or may_have_price):
        return None
    vocabulary = vocabulary or default_vocabulary()
    by_rule = _ruled(rule_fields, rule_title, vocabulary)
    heading = _heading(document) if data.items else ""
    said = extract_structured_fields(data, f"{title} {heading}", vocabulary)
    told = [source for source, given in said if set(given) - {"images"}]
    if not (by_rule or told or may_have_price):
        return None
    shown, is_one = extract_visible_fields(document, extract_pairs(document), title, vocabulary)
    if not (by_rule or told or is_one):
        return None
    set_field(shown, "description", description, vocabulary)
    product = merge_sources([("rule", by_rule), *said, ("heuristic", shown)])
    if not product.name or (product.price is None and not product.sizes and not product.sku):
        return None
    return product_to_dict(product, vocabulary, " / ".join(breadcrumbs))


def _ruled(ruled: Mapping[str, object], named: str, vocabulary: ProductVocabulary) -> ProductFields:
    """What a rule found of a product; nothing, if it is not a rule for products."""
    given: ProductFields = {}
    others: list[tuple[str, str]] = []
    for name, value in ruled.items():
        field = FIELD_ALIASES.get(name, name)
        field = (
            field
            if field in {*KNOWN_FIELDS, "images"}
            else FIELD_BY_ATTRIBUTE.get(vocabulary.find_attribute(name), "")
        )
        if name == PAIRS_FIELD:
            others += [pair for row in _texts(value) if (pair := parse_pair(row))]
        elif name == NAMES_FIELD:
            pairs = zip(_texts(value), _texts(ruled.get(VALUES_FIELD)), strict=False)
            others += [pair for pair in pairs if all(pair)]
        elif field:
            set_field(given, field, value, vocabulary)
        elif isinstance(value, str | int | float) and name not in DOCUMENT_FIELDS:
            others.append((name, str(value)))
    if not any(name in given for name in REQUIRED_RULE_FIELDS):
        return {}
    set_field(given, "name", named, vocabulary)
    return fields_from_pairs(others, vocabulary) | given


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value or "")]


def _heading(document: Document) -> str:
    heading = document.select_one("h1")
    return heading.text if heading is not None else ""
