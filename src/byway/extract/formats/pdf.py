"""From PDF to a document: the text of its pages, within limits."""

import logging
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from itertools import islice
from time import monotonic

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PdfReadError

from byway.core.model import Document, ExtractionResult, Page
from byway.core.model.message import Reason
from byway.core.settings.schema import ExtractSettings
from byway.core.text import storable_text
from byway.extract.dates import plausible_date
from byway.extract.formats.html.capitals import capitals
from byway.extract.formats.html.dom import single_line
from byway.extract.formats.html.metadata import modified_date, robots_header_permission
from byway.extract.formats.html.structured_data import StructuredData
from byway.extract.formats.pdf_paragraphs import paragraphs
from byway.extract.language.detect import language_of

MAX_PDF_PAGES = 2000
TIME_BUDGET_SHARE = 0.5
"""The share of `extract.timeout` after which we make do with the pages read so far."""

# It warns of every oddity of every file; what matters ends in the reason of a failed page.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def read(
    page: Page, body: bytes, settings: ExtractSettings, clock: Callable[[], float] = monotonic
) -> ExtractionResult:
    """Read a PDF; a long one as far as the time allows."""
    until = clock() + settings.timeout * TIME_BUDGET_SHARE
    try:
        reader = PdfReader(BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            return ExtractionResult(failure=Reason("pdf_password"))
        count = len(reader.pages)
        text = _text(reader, settings.max_text_chars, until, clock)
    except FileNotDecryptedError:
        return ExtractionResult(failure=Reason("pdf_password"))
    except MemoryError:
        raise
    except DependencyError:
        return ExtractionResult(failure=Reason("pdf_needs_cryptography"))
    except PdfReadError as error:
        return ExtractionResult(failure=Reason("pdf_damaged", detail=single_line(str(error), 200)))
    except Exception as error:
        # pypdf lets what it trips over in a damaged file through as it is: KeyError, TypeError ...
        return ExtractionResult(failure=Reason("pdf_damaged", detail=type(error).__name__))
    title, created, language = _about(reader)
    permission = robots_header_permission(page)
    return ExtractionResult(
        document=Document(
            url=page.url,
            id=page.id,
            title=title or single_line(text.partition("\n")[0], 200),
            text=text,
            capitals=capitals(text),
            content_type="application/pdf",
            language=language_of([language], text),
            published=plausible_date(created, page.fetched_at),
            modified=modified_date(page, {}, StructuredData()),
            attributes={"pages": count},
        ),
        follow_links=permission.follow,
        may_index=permission.keep,
    )


def _text(reader: PdfReader, most: int, until: float, clock: Callable[[], float]) -> str:
    pieces: list[str] = []
    length = 0
    for sheet in islice(reader.pages, MAX_PDF_PAGES):
        if length > most or clock() > until:
            break
        text = _sheet(sheet.extract_text)
        pieces += paragraphs(text.splitlines())
        length += len(text)
    return storable_text("\n".join(pieces)[:most])


def _sheet(extract_text: Callable[[], str]) -> str:
    """The text of one sheet; a damaged one costs itself, not its neighbours."""
    try:
        return extract_text()
    except (MemoryError, FileNotDecryptedError):
        raise
    except Exception:
        return ""


def _about(reader: PdfReader) -> tuple[str, str, str]:
    """What the file says of itself: title, day of creation, language."""
    try:
        about = reader.metadata
        title = single_line(str(about.title)) if about and about.title else ""
        created = about.creation_date if about else None
        language = str(reader.root_object.get("/Lang", ""))
    except MemoryError:
        raise
    except Exception:
        return "", "", ""
    return title, created.isoformat() if isinstance(created, datetime) else "", language
