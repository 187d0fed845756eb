"""Product reader: the product of a page, from site rule, structured data or visible text."""

from byway.products.reader.product_reader import extract_product
from byway.products.reader.visible_text import PRICE_SELECTOR

__all__ = ["PRICE_SELECTOR", "extract_product"]
