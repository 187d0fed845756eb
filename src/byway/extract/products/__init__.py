"""What is for sale on a page? A product, from its rule, its structured data, or what it shows."""

from byway.extract.products.reading import product_on
from byway.extract.products.shown import PRICE

__all__ = ["PRICE", "product_on"]
