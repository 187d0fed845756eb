"""Extract: what one page says."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from byway.app.page_preview import read
from byway.cli.support.crawl_session import AllowPrivate
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, settings_of
from byway.cli.support.output import plain, print_json, say
from byway.cli.support.page_argument import Address, page_of, rules_of, stored_page, words_of
from byway.core.errors import BywayError, UsageError
from byway.core.markdown import as_markdown
from byway.core.model import Document, Extracted
from byway.core.model.codec import unpack

ORDER = 15

Source = Annotated[
    str, typer.Argument(metavar="FILE|URL", help="A page on this machine or on the web.")
]
Stored = Annotated[
    bool, typer.Option("--stored", help="Read the page that the data folder has; fetch nothing.")
]


def command(
    source: Source,
    stored: Stored = False,
    url: Address = "",
    allow_private: AllowPrivate = None,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Print what a page says, as Markdown or JSON, read just as a crawl does it.

    The Markdown has the title, the headings, and a paragraph for each line of the text that is
    indexed: items, quotes and code are paragraphs, and the indentation of code is lost.

    HTML, PDF, Markdown and plain text are read. A URL is fetched politely: robots.txt is obeyed,
    and private addresses are refused unless they are named. Nothing is stored.
    """
    settings = settings_of(data, set, {"crawl.allow_private": allow_private})
    if stored and url:
        raise UsageError("--url is for files, and --stored names a page; leave --url out")
    page = stored_page(source, data, set) if stored else page_of(source, settings, url)
    extracted = asyncio.run(read(page, settings, rules_of(data), words_of(data)))
    if not extracted.packed:
        raise BywayError(f"{source}: {extracted.failed}")
    document = unpack(extracted.packed)
    if json:
        print_json(_as_json(document, extracted))
        return
    if not extracted.keep:
        say("It asks not to be indexed (noindex): a crawl would not keep this document.")
    print("\n".join(plain(line) for line in as_markdown(document).splitlines()))


def _as_json(document: Document, extracted: Extracted) -> dict[str, object]:
    """All there is, for programs."""
    said = asdict(document)
    del said["id"]
    said["headings"] = [each._asdict() for each in document.headings]
    said["images"] = [each._asdict() for each in document.images]
    said["links"] = [link._asdict() for link in extracted.links]
    said["feeds"] = extracted.feeds
    return said | {"keep": extracted.keep, "follow": extracted.follow}
