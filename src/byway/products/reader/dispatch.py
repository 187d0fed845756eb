"""Is this a product's page? Then: what do its rule, its structured data and its looks say of it?"""

from collections.abc import Mapping, Sequence

from turbohtml import Document

from byway.extract.formats.html.structured_data import Structured
from byway.extract.site_rules.rule import OWN
from byway.products.reader.attribute_pairs import pair_in, pairs_on
from byway.products.reader.merge import EVERY, FIELDS, Given, merged, put, sorted_out
from byway.products.reader.structured_data import described
from byway.products.reader.visible_text import shown_on
from byway.products.record import kept
from byway.products.vocabulary.lookup import Vocabulary, ours

SPELT = {"colors": "colours", "type": "kind", "old-price": "old_price"}
"""Other names that a rule may give to fields of a product."""
PAIRS, NAMES, VALUES = "attributes", "attribute_names", "attribute_values"
"""Fields of a rule that list pairs as `Colour: red`, or names and values each by itself."""
TELLING = ("price", "sizes", "sku")
"""Fields of which a rule must find one, for its page to be a product's."""


def product_on(
    document: Document,
    data: Structured,
    ruled: Mapping[str, object],
    priced: bool = True,
    named: str = "",
    title: str = "",
    description: str = "",
    breadcrumbs: Sequence[str] = (),
    vocabulary: Vocabulary | None = None,
) -> dict[str, object] | None:
    """The product that a page is about, as it is kept; None if it is about none.

    `ruled` is what the fields of the page's rule found, and `named` the title that it found;
    `priced` is false where nothing looks like a price; `title` and `description` are the page's.
    """
    if not (ruled or data.things or data.record or priced):
        return None
    vocabulary = vocabulary or ours()
    by_rule = _ruled(ruled, named, vocabulary)
    heading = _heading(document) if data.things else ""
    said = described(data, f"{title} {heading}", vocabulary)
    told = [source for source, given in said if set(given) - {"images"}]
    if not (by_rule or told or priced):
        return None
    shown, is_one = shown_on(document, pairs_on(document), title, vocabulary)
    if not (by_rule or told or is_one):
        return None
    put(shown, "description", description, vocabulary)
    product = merged([("rule", by_rule), *said, ("heuristic", shown)])
    if not product.name or (product.price is None and not product.sizes and not product.sku):
        return None
    return kept(product, vocabulary, " / ".join(breadcrumbs))


def _ruled(ruled: Mapping[str, object], named: str, vocabulary: Vocabulary) -> Given:
    """What a rule found of a product; nothing, if it is not a rule for products."""
    given: Given = {}
    others: list[tuple[str, str]] = []
    for name, value in ruled.items():
        field = SPELT.get(name, name)
        field = field if field in {*EVERY, "images"} else FIELDS.get(vocabulary.attribute(name), "")
        if name == PAIRS:
            others += [pair for row in _texts(value) if (pair := pair_in(row))]
        elif name == NAMES:
            pairs = zip(_texts(value), _texts(ruled.get(VALUES)), strict=False)
            others += [pair for pair in pairs if all(pair)]
        elif field:
            put(given, field, value, vocabulary)
        elif isinstance(value, str | int | float) and name not in OWN:
            others.append((name, str(value)))
    if not any(name in given for name in TELLING):
        return {}
    put(given, "name", named, vocabulary)
    return sorted_out(others, vocabulary) | given


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value or "")]


def _heading(document: Document) -> str:
    heading = document.select_one("h1")
    return heading.text if heading is not None else ""
