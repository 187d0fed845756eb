"""From plain text to a document: its first line is its title. Markdown is read as HTML."""

import re
from dataclasses import replace

from turbohtml.detect import Detection, detect

from byway.core.model import Document, Extracted, Page
from byway.core.settings.schema import ExtractSettings
from byway.core.text import storable
from byway.extract.formats.html import reader
from byway.extract.formats.html.capitals import capitals
from byway.extract.formats.html.dom import charset, line
from byway.extract.formats.html.metadata import modified_on, permitted_by_headers
from byway.extract.formats.html.structured_data import Structured
from byway.extract.language.detect import language_of

MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
MARKDOWN = {"text/markdown", "text/x-markdown"}
MOST_MARKDOWN = 250_000
"""Characters of Markdown that are read: of prose they take 0.7 s, of open brackets 3 s."""

FRONT = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
"""What many tools put before the text: `title: ...` and the like, between lines of dashes."""

TITLE = re.compile(r"^title:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
NEVER = frozenset({"replacement"})


def read(page: Page, body: bytes, settings: ExtractSettings) -> Extracted:
    """Read a page of plain text, or of Markdown, which is nearly that."""
    decoded_text = decoded(body, page.header("content-type"))
    if is_markdown(page):
        return _read_markdown(page, decoded_text, settings)
    lines = decoded_text.splitlines()
    text = storable("\n".join([kept for each in lines if (kept := each.strip())]))
    text = text[: settings.max_text]
    permission = permitted_by_headers(page)
    return Extracted(
        document=Document(
            url=page.url,
            id=page.id,
            title=line(text.partition("\n")[0], 200),
            text=text,
            capitals=capitals(text),
            content_type=page.content_type or "text/plain",
            language=language_of([page.header("content-language")], text),
            modified=modified_on(page, {}, Structured()),
        ),
        follow=permission.follow,
        keep=permission.keep,
    )


def is_markdown(page: Page) -> bool:
    """Is it Markdown? Servers send that as plain text too."""
    path = page.url.partition("?")[0].lower()
    return page.content_type in MARKDOWN or path.endswith((".md", ".markdown"))


def _read_markdown(page: Page, text: str, settings: ExtractSettings) -> Extracted:
    # Loaded only here: few sites have any, and it takes 50 ms.
    from markdown_it import MarkdownIt

    front = FRONT.match(text)
    named = TITLE.search(front.group(1)) if front else None
    source = text[front.end() if front else 0 :][: min(settings.max_text, MOST_MARKDOWN)]
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(source)
    headers = tuple(pair for pair in page.headers if pair[0].lower() != "content-type")
    page = replace(page, headers=(*headers, ("Content-Type", "text/html; charset=utf-8")))
    extracted = reader.read(
        page, f"<body><main>{body}</main>".encode("utf-8", "replace"), settings, ()
    )
    assert extracted.document is not None
    title = line(named.group(1).strip("\"' ")) if named else extracted.document.title
    document = replace(extracted.document, title=title, content_type="text/markdown")
    return replace(extracted, document=document)


def decoded(body: bytes, header: str) -> str:
    """The text of some bytes: as their first bytes say, or the header, or their looks."""
    for mark, name in MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    try:
        return body.decode(f"whatwg-{charset(header)}", "replace")
    except LookupError:
        match = detect(body, Detection(excluded=NEVER))
        return body.decode(match.codec or "utf-8", "replace")
