"""Document formats: their media types, document types and file extensions.

A document format is a module in `extract/formats/` that declares a `FORMAT` and a `read` function.
Its module name is the document type, as in `filetype:pdf`. Adding the module adds the format: to
the default of `crawl.media_types`, to `filetype:` and to the files that `byway extract` reads.
Every command imports these modules, so slow imports belong inside `read`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

FORMATS_PACKAGE = "byway.extract.formats"

HTML = "html"
"""The document type of web pages; only they have links, site rules and a cached copy."""

UNKNOWN_MEDIA_TYPES = frozenset(
    {"", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*"}
)
"""Media types that do not identify the format; it is detected from the first bytes."""

XML_MEDIA_TYPES = frozenset({"application/xml", "text/xml"})
"""Media types of XML, which is supported only if it is XHTML."""


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """Media types, file extensions and signature of a document format."""

    media_types: tuple[str, ...]
    """Media types that a crawl accepts by default; the first is the usual one."""
    extensions: Mapping[str, str] = field(default_factory=dict)
    """Media types by file extension, with the dot."""
    aliases: tuple[str, ...] = ()
    """Other media types that can be read but are not accepted by default."""
    signature: bytes = b""
    """Bytes near the start of every such file; without them, the declared media type is ignored."""
    tag_pattern: re.Pattern[bytes] | None = None
    """Markup that identifies the format if the media type does not."""
    is_text: bool = False
    """Whether the format is plain text, in which NUL bytes are not allowed."""

    def declares(self, media_type: str) -> bool:
        """Whether the media type belongs to this format."""
        return media_type in self.media_types or media_type in self.aliases


@cache
def document_formats() -> Mapping[str, DocumentFormat]:
    """Every document format by its document type (`html`, `pdf`, …), in alphabetical order."""
    package = import_module(FORMATS_PACKAGE)
    names = sorted(module.name for module in iter_modules(package.__path__))
    return {name: import_module(f"{FORMATS_PACKAGE}.{name}").FORMAT for name in names}


def default_media_types() -> tuple[str, ...]:
    """The default of `crawl.media_types`: every type that can be read."""
    return tuple(
        media_type for format in document_formats().values() for media_type in format.media_types
    )


def media_type_of_extension(extension: str) -> str:
    """The media type of a file extension (`.pdf`); empty if no format declares it."""
    media_types = (
        format.extensions.get(extension.lower()) for format in document_formats().values()
    )
    return next(filter(None, media_types), "")


def document_type_of(media_type: str) -> str:
    """The document type of a media type or a file extension: `html`, `pdf`, `markdown`, …"""
    name = media_type.rpartition("/")[2].lower().lstrip(".")
    return _document_types().get(name, name)


@cache
def _document_types() -> Mapping[str, str]:
    """Document types by file extension and by the second half of a media type."""
    types: dict[str, str] = {}
    for document_type, format in document_formats().items():
        for media_type in (*format.media_types, *format.aliases):
            types[media_type.rpartition("/")[2]] = document_type
        for extension in format.extensions:
            types[extension.lstrip(".")] = document_type
    return types
