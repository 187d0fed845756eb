"""Document formats: one module or package per document type, discovered in this folder.

Each declares a `FORMAT` (its media types and file extensions, see `core/media_types.py`) and a
`read` function that turns a page into a document. To add a format, add a module; there is no list
to edit. Every command imports these modules, so a reader imports its dependencies inside `read`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from byway.core.model import ExtractionResult, Page

if TYPE_CHECKING:
    from byway.core.settings.schema import ExtractSettings
    from byway.core.verticals import Vertical
    from byway.extract.site_rules.rule import SiteRule


@dataclass(frozen=True, slots=True)
class ReaderContext:
    """Settings, site rules and verticals for readers."""

    settings: "ExtractSettings"
    rules: "Sequence[SiteRule]" = ()
    """Site rules; the first match is used."""
    verticals: "Sequence[Vertical]" = ()


class Reader(Protocol):
    """The `read` function of a format."""

    def __call__(self, page: Page, body: bytes, context: ReaderContext) -> ExtractionResult:
        """The document in a decoded body, its links, and the page's own robots permissions."""
        ...


def reader_of(document_type: str) -> Reader:
    """The reader of a document type."""
    reader: Reader = import_module(f"{__name__}.{document_type}").read
    return reader
