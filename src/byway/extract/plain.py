"""From plain text to a document: its first line is its title."""

from turbohtml.detect import Detection, detect

from byway.extract.article import capitals
from byway.extract.dom import charset, line
from byway.extract.language import language_of
from byway.extract.metadata import modified_on, permitted_by_headers
from byway.model import Document, Extracted, Page
from byway.settings import ExtractSettings
from byway.text import storable

MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
NEVER = frozenset({"replacement"})


def read(page: Page, body: bytes, settings: ExtractSettings) -> Extracted:
    """Read a page of plain text."""
    lines = decoded(body, page.header("content-type")).splitlines()
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
            modified=modified_on(page, {}, {}),
        ),
        follow=permission.follow,
        keep=permission.keep,
    )


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
