"""PDF documents."""

from byway.core.media_types import DocumentFormat
from byway.core.model import ExtractionResult, Page
from byway.extract.formats import ReaderContext

FORMAT = DocumentFormat(
    media_types=("application/pdf",),
    extensions={".pdf": "application/pdf"},
    signature=b"%PDF-",
)


def read(page: Page, body: bytes, context: ReaderContext) -> ExtractionResult:
    """Read a PDF document."""
    # pypdf takes a tenth of a second to load, and few crawls need it.
    from byway.extract.formats.pdf.pdf_reader import read_pdf

    return read_pdf(page, body, context.settings)
