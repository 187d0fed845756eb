"""What is for sale on a page? A product, from its rule, its structured data, or what it shows."""

from byway.products.reader.dispatch import extract_product
from byway.products.reader.visible_text import PRICE_SELECTOR

__all__ = ["PRICE_SELECTOR", "extract_product"]
