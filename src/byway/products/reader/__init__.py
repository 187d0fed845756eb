"""What is for sale on a page? A product, from its rule, its structured data, or what it shows."""

from byway.products.reader.dispatch import product_on
from byway.products.reader.visible_text import PRICE

__all__ = ["PRICE", "product_on"]
