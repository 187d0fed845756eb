"""Products: the shop vertical."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from byway.core.errors import SettingsError
from byway.core.model import Chip
from byway.core.model.query import ParsedQuery
from byway.core.verticals import (
    DetectedFilters,
    FilterParam,
    ParsedPage,
    Presenter,
    Record,
    SortOrder,
    Vertical,
)
from byway.products.reader import PRICE_SELECTOR
from byway.products.record import PRODUCT_ATTRIBUTE
from byway.products.vocabulary.lookup import ProductVocabulary, vocabulary_with_overrides

AMOUNT_PATTERN = r"^[0-9]{1,3}( ?[0-9]{3}){0,3}([.,][0-9]{1,2})?$"
MAX_VOCABULARY_BYTES = 1_000_000
"""Maximum size of a vocabulary file; the built-in ones have a few kB."""


class Products(Vertical):
    """Products from shops, with their prices and attributes."""

    name = "products"
    noun = PRODUCT_ATTRIBUTE
    selector = PRICE_SELECTOR
    filters = (
        FilterParam("shop", "site"),
        *map(FilterParam, ("kind", "brand", "colour", "size", "gender")),
        FilterParam("min_price", "price", "minimum", AMOUNT_PATTERN, "1500 / 1500.50"),
        FilterParam("max_price", "price", "maximum", AMOUNT_PATTERN, "1500 / 1500.50"),
        FilterParam("currency", kind="one", pattern=r"^[A-Za-z]{3}$", example="EUR"),
    )
    sorts: Mapping[str, SortOrder] = {
        "price": SortOrder("price", within="currency"),
        "-price": SortOrder("price", descending=True, within="currency"),
        "rating": SortOrder("rating", descending=True),
    }
    hidden = frozenset(
        {"price", "old_price", "rating", "reviews", "sku", "gtin", "name", "url"}
        | {"size_ru", "size_eu", "size_uk", "size_us"}
    )

    group_name = "offers"

    def __init__(self, data_folder: str = "") -> None:
        self._vocabulary_files = read_vocabulary(Path(data_folder)) if data_folder else {}
        if self._vocabulary_files:
            self.vocabulary  # noqa: B018 - report errors in the user's files now

    @cached_property
    def vocabulary(self) -> ProductVocabulary:
        """The built-in vocabulary with the user's additions; loaded when first needed."""
        return vocabulary_with_overrides(self._vocabulary_files)

    @cached_property
    def presenter(self) -> Presenter:
        """The presenter for products."""
        from byway.products.presenter import ProductPresenter

        return ProductPresenter(self, self.vocabulary)

    def extract(self, page: ParsedPage) -> Record | None:
        """The product of a page; None if the page is not about one product."""
        data = page.data
        if not (page.rule_fields or data.items or data.stored_data or page.has_markup):
            return None
        from byway.products.reader.product_reader import extract_product

        return extract_product(page, self.vocabulary)

    def detect_filters(self, text: str) -> DetectedFilters:
        """Detect kinds, attributes, prices and sizes in the words of a query."""
        from byway.products.query.product_query_parser import parse_product_query

        return parse_product_query(text, self.vocabulary)

    def queries(
        self, chips: Sequence[Chip], words: ParsedQuery, languages: Sequence[str]
    ) -> Iterator[ParsedQuery]:
        """The queries to try: first with all chips and words, then relaxed ones."""
        from byway.products.query.relaxations import product_queries

        return product_queries(chips, words, languages)


def read_vocabulary(data_folder: Path) -> dict[str, str]:
    """The user's vocabulary: file contents by path."""
    texts = {}
    for path in sorted((data_folder / "vocabulary").glob("*.toml")):
        try:
            if path.stat().st_size > MAX_VOCABULARY_BYTES:
                raise SettingsError(
                    "products.vocabulary_too_large", path=path, max_bytes=MAX_VOCABULARY_BYTES
                )
            texts[str(path)] = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise SettingsError("storage.not_utf8", path=path) from error
        except OSError as error:
            raise SettingsError("storage.cannot_read", path=path, detail=error.strerror) from error
    return texts
