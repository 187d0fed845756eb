"""Markdown: rendered to HTML and read as a web page."""

import re
from dataclasses import replace

from byway.core.media_types import DocumentFormat
from byway.core.model import ExtractionResult, Page
from byway.extract.formats import ReaderContext
from byway.extract.formats.text import decode_text

FORMAT = DocumentFormat(
    media_types=("text/markdown",),
    # Servers often send Markdown as plain text, so the URL's extension decides.
    extensions={".md": "text/markdown", ".markdown": "text/markdown"},
    aliases=("text/x-markdown",),
    is_text=True,
)

MAX_MARKDOWN_CHARS = 250_000
"""Maximum characters rendered; this takes 0.7 s for prose and 3 s for opening brackets."""

FRONT_MATTER_PATTERN = re.compile(
    r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
"""YAML front matter: `title: ...` and the like, between lines of dashes."""

FRONT_MATTER_TITLE_PATTERN = re.compile(r"^title:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)


def read(page: Page, body: bytes, context: ReaderContext) -> ExtractionResult:
    """Read a Markdown document; no site rule applies to it."""
    from byway.core.text import single_line
    from byway.extract.formats.html.html_reader import read_html

    text = decode_text(body, page.header("content-type"))
    front_matter = FRONT_MATTER_PATTERN.match(text)
    title = FRONT_MATTER_TITLE_PATTERN.search(front_matter.group(1)) if front_matter else None
    max_chars = min(context.settings.max_text_chars, MAX_MARKDOWN_CHARS)
    source = text[front_matter.end() if front_matter else 0 :][:max_chars]
    headers = tuple(pair for pair in page.headers if pair[0].lower() != "content-type")
    page = replace(page, headers=(*headers, ("Content-Type", "text/html; charset=utf-8")))
    extracted = read_html(page, _render(source), ReaderContext(context.settings))
    assert extracted.document is not None
    document = replace(extracted.document, content_type="text/markdown")
    if title:
        document = replace(document, title=single_line(title.group(1).strip("\"' ")))
    return replace(extracted, document=document)


def _render(source: str) -> bytes:
    """The HTML of a Markdown text, as UTF-8."""
    # markdown_it takes 50 ms to load, and few sites have Markdown.
    from markdown_it import MarkdownIt

    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(source)
    return f"<body><main>{rendered}</main>".encode("utf-8", "replace")
