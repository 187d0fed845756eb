"""What is for sale on a page? A product, from its rule, its structured data, or what it shows."""

from byway.extract.products.reading import product_on

__all__ = ["product_on"]
