"""PDF reader: extracts the text of each page, within length and time limits."""

import logging
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from itertools import islice
from time import monotonic

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PdfReadError

from byway.core.messages import Reason
from byway.core.model import Document, ExtractionResult, Page
from byway.core.settings.schema import ExtractSettings
from byway.core.structured_data import StructuredData
from byway.core.text import single_line, storable_text
from byway.extract.dates import plausible_date
from byway.extract.formats.html.capitals import capitals
from byway.extract.formats.html.metadata import modified_date
from byway.extract.formats.pdf.paragraphs import paragraphs
from byway.extract.language import language_of

MAX_PDF_PAGES = 2000
MAX_TITLE_CHARS = 200
TIME_BUDGET_SHARE = 0.5
"""Share of `extract.timeout` after which the remaining pages are skipped."""

# pypdf logs many warnings per file; a fatal error becomes the page's failure reason.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def read_pdf(
    page: Page, body: bytes, settings: ExtractSettings, clock: Callable[[], float] = monotonic
) -> ExtractionResult:
    """Read a PDF document, as many pages as time allows."""
    deadline = clock() + settings.timeout * TIME_BUDGET_SHARE
    try:
        reader = PdfReader(BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            return ExtractionResult(failure=Reason("pdf_password"))
        page_count = len(reader.pages)
        text = _text(reader, settings.max_text_chars, deadline, clock)
    except FileNotDecryptedError:
        return ExtractionResult(failure=Reason("pdf_password"))
    except MemoryError:
        raise
    except DependencyError:
        return ExtractionResult(failure=Reason("pdf_needs_cryptography"))
    except PdfReadError as error:
        return ExtractionResult(failure=Reason("pdf_damaged", detail=single_line(str(error), 200)))
    except Exception as error:
        # Damaged files make pypdf raise all kinds of errors: KeyError, TypeError ...
        return ExtractionResult(failure=Reason("pdf_damaged", detail=type(error).__name__))
    title, created, language = _metadata(reader)
    document = Document(
        url=page.url,
        id=page.id,
        title=title or single_line(text.partition("\n")[0], MAX_TITLE_CHARS),
        text=text,
        capitals=capitals(text),
        content_type="application/pdf",
        language=language_of([language], text),
        published=plausible_date(created, page.fetched_at),
        modified=modified_date(page, {}, StructuredData()),
        attributes={"pages": page_count},
    )
    return ExtractionResult(document=document)


def _text(reader: PdfReader, max_chars: int, deadline: float, clock: Callable[[], float]) -> str:
    pieces: list[str] = []
    length = 0
    for page in islice(reader.pages, MAX_PDF_PAGES):
        if length > max_chars or clock() > deadline:
            break
        text = _page_text(page.extract_text)
        pieces += paragraphs(text.splitlines())
        length += len(text)
    return storable_text("\n".join(pieces)[:max_chars])


def _page_text(extract_text: Callable[[], str]) -> str:
    """The text of one page; empty if the page is damaged, so that other pages are still read."""
    try:
        return extract_text()
    except (MemoryError, FileNotDecryptedError):
        raise
    except Exception:
        return ""


def _metadata(reader: PdfReader) -> tuple[str, str, str]:
    """The title, creation date and language declared in the file."""
    try:
        info = reader.metadata
        title = single_line(str(info.title)) if info and info.title else ""
        created = info.creation_date if info else None
        language = str(reader.root_object.get("/Lang", ""))
    except MemoryError:
        raise
    except Exception:
        return "", "", ""
    return title, created.isoformat() if isinstance(created, datetime) else "", language
