"""Extract: what one page says."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from byway.app.page_preview import extract_page
from byway.cli.support.crawl_session import AllowPrivateOption
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    settings_from_options,
)
from byway.cli.support.output import print_json, print_notice, sanitize
from byway.cli.support.page_argument import (
    UrlOption,
    load_page,
    load_stored_page,
    load_vocabulary,
    site_rules_folder,
)
from byway.core.errors import BywayError, UsageError
from byway.core.markdown import as_markdown
from byway.core.model import Document, ExtractionResult
from byway.core.model.codec import unpack

ORDER = 15

SourceArgument = Annotated[
    str, typer.Argument(metavar="FILE|URL", help="A page on this machine or on the web.")
]
StoredOption = Annotated[
    bool, typer.Option("--stored", help="Read the page that the data folder has; fetch nothing.")
]


def command(
    source: SourceArgument,
    stored: StoredOption = False,
    url: UrlOption = "",
    allow_private: AllowPrivateOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Print what a page says, as Markdown or JSON, read just as a crawl does it.

    The Markdown has the title, the headings, and a paragraph for each line of the text that is
    indexed: items, quotes and code are paragraphs, and the indentation of code is lost.

    HTML, PDF, Markdown and plain text are read. A URL is fetched politely: robots.txt is obeyed,
    and private addresses are refused unless they are named. Nothing is stored.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private})
    if stored and url:
        raise UsageError("--url is for files, and --stored names a page; leave --url out")
    page = load_stored_page(source, data, set) if stored else load_page(source, settings, url)
    extracted = asyncio.run(
        extract_page(page, settings, site_rules_folder(data), load_vocabulary(data))
    )
    if not extracted.packed_document:
        raise BywayError("app.not_extracted", source=source, reason=extracted.failure)
    document = unpack(extracted.packed_document)
    if json:
        print_json(_as_json(document, extracted))
        return
    if not extracted.may_index:
        print_notice("It asks not to be indexed (noindex): a crawl would not keep this document.")
    print("\n".join(sanitize(line) for line in as_markdown(document).splitlines()))


def _as_json(document: Document, extracted: ExtractionResult) -> dict[str, object]:
    """All there is, for programs."""
    said = asdict(document)
    del said["id"]
    said["headings"] = [each._asdict() for each in document.headings]
    said["images"] = [each._asdict() for each in document.images]
    said["links"] = [link._asdict() for link in extracted.links]
    said["feeds"] = extracted.feeds
    return said | {"keep": extracted.may_index, "follow": extracted.follow_links}
