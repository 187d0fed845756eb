"""Plain text: the first line is the title. Also reads `text/…` types without their own reader."""

from byway.core.media_types import DocumentFormat
from byway.core.model import Document, ExtractionResult, Page
from byway.extract.formats import ReaderContext

FORMAT = DocumentFormat(
    media_types=("text/plain",), extensions={".txt": "text/plain"}, is_text=True
)

BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
EXCLUDED_ENCODINGS = frozenset({"replacement"})
MAX_TITLE_CHARS = 200


def read(page: Page, body: bytes, context: ReaderContext) -> ExtractionResult:
    """Read a plain text document."""
    from byway.core.structured_data import StructuredData
    from byway.core.text import single_line, storable_text
    from byway.extract.formats.html.capitals import capitals
    from byway.extract.formats.html.metadata import modified_date
    from byway.extract.language import language_of

    lines = decode_text(body, page.header("content-type")).splitlines()
    text = storable_text("\n".join([stripped for line in lines if (stripped := line.strip())]))
    text = text[: context.settings.max_text_chars]
    document = Document(
        url=page.url,
        id=page.id,
        title=single_line(text.partition("\n")[0], MAX_TITLE_CHARS),
        text=text,
        capitals=capitals(text),
        content_type=page.content_type or "text/plain",
        language=language_of([page.header("content-language")], text),
        modified=modified_date(page, {}, StructuredData()),
    )
    return ExtractionResult(document=document)


def decode_text(body: bytes, content_type: str) -> str:
    """Decode a text by its byte order mark, its header charset or charset detection."""
    from turbohtml.detect import Detection, detect

    from byway.extract.formats.html.dom import charset

    for mark, encoding in BYTE_ORDER_MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    try:
        return body.decode(f"whatwg-{charset(content_type)}", "replace")
    except LookupError:
        match = detect(body, Detection(excluded=EXCLUDED_ENCODINGS))
        return body.decode(match.codec or "utf-8", "replace")
