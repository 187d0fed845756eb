"""From plain text to a document: its first line is its title. Markdown is read as HTML."""

import re
from dataclasses import replace

from turbohtml.detect import Detection, detect

from byway.core.model import Document, ExtractionResult, Page
from byway.core.settings.schema import ExtractSettings
from byway.core.text import storable_text
from byway.extract.formats.html import reader
from byway.extract.formats.html.capitals import capitals
from byway.extract.formats.html.dom import charset, single_line
from byway.extract.formats.html.metadata import modified_date, robots_header_permission
from byway.extract.formats.html.structured_data import StructuredData
from byway.extract.language.detect import language_of

BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
MARKDOWN_TYPES = {"text/markdown", "text/x-markdown"}
MAX_MARKDOWN_CHARS = 250_000
"""Characters of Markdown that are read: of prose they take 0.7 s, of open brackets 3 s."""

FRONT_MATTER_PATTERN = re.compile(
    r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
"""What many tools put before the text: `title: ...` and the like, between lines of dashes."""

FRONT_MATTER_TITLE_PATTERN = re.compile(r"^title:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
EXCLUDED_ENCODINGS = frozenset({"replacement"})


def read(page: Page, body: bytes, settings: ExtractSettings) -> ExtractionResult:
    """Read a page of plain text, or of Markdown, which is nearly that."""
    decoded_text = decode_text(body, page.header("content-type"))
    if is_markdown(page):
        return _read_markdown(page, decoded_text, settings)
    lines = decoded_text.splitlines()
    text = storable_text("\n".join([kept for each in lines if (kept := each.strip())]))
    text = text[: settings.max_text_chars]
    permission = robots_header_permission(page)
    return ExtractionResult(
        document=Document(
            url=page.url,
            id=page.id,
            title=single_line(text.partition("\n")[0], 200),
            text=text,
            capitals=capitals(text),
            content_type=page.content_type or "text/plain",
            language=language_of([page.header("content-language")], text),
            modified=modified_date(page, {}, StructuredData()),
        ),
        follow_links=permission.follow,
        may_index=permission.keep,
    )


def is_markdown(page: Page) -> bool:
    """Is it Markdown? Servers send that as plain text too."""
    path = page.url.partition("?")[0].lower()
    return page.content_type in MARKDOWN_TYPES or path.endswith((".md", ".markdown"))


def _read_markdown(page: Page, text: str, settings: ExtractSettings) -> ExtractionResult:
    # Loaded only here: few sites have any, and it takes 50 ms.
    from markdown_it import MarkdownIt

    front = FRONT_MATTER_PATTERN.match(text)
    named = FRONT_MATTER_TITLE_PATTERN.search(front.group(1)) if front else None
    source = text[front.end() if front else 0 :][: min(settings.max_text_chars, MAX_MARKDOWN_CHARS)]
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(source)
    headers = tuple(pair for pair in page.headers if pair[0].lower() != "content-type")
    page = replace(page, headers=(*headers, ("Content-Type", "text/html; charset=utf-8")))
    extracted = reader.read(
        page, f"<body><main>{body}</main>".encode("utf-8", "replace"), settings, ()
    )
    assert extracted.document is not None
    title = single_line(named.group(1).strip("\"' ")) if named else extracted.document.title
    document = replace(extracted.document, title=title, content_type="text/markdown")
    return replace(extracted, document=document)


def decode_text(body: bytes, header: str) -> str:
    """The text of some bytes: as their first bytes say, or the header, or their looks."""
    for mark, name in BYTE_ORDER_MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    try:
        return body.decode(f"whatwg-{charset(header)}", "replace")
    except LookupError:
        match = detect(body, Detection(excluded=EXCLUDED_ENCODINGS))
        return body.decode(match.codec or "utf-8", "replace")
