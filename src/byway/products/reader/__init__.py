"""Product reader: a page's product, from a site rule, structured data or visible text."""

PRICE_SELECTOR = "[itemprop=price],[class*=price i],[id*=price i],[class*=cost i]"
"""Elements that may show a price."""
