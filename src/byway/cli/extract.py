"""`byway extract`: the extracted text of one page."""

from dataclasses import asdict
from typing import Annotated

import typer

from byway.app.documents import extract_pages
from byway.app.storage import open_storage
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import print_json, print_notice, sanitize
from byway.cli.support.page_argument import BaseUrlOption, load_page, load_stored_page
from byway.cli.support.stop_signals import run_until_interrupted
from byway.core.errors import BywayError, UsageError
from byway.core.markdown import as_markdown
from byway.core.messages import t
from byway.core.model import Document, ExtractionResult
from byway.core.model.document import unpack

PANEL = "Inspect"
ORDER = 4

SourceArgument = Annotated[
    str, typer.Argument(metavar="FILE|URL", help="A file, or the URL of a page.")
]
StoredOption = Annotated[
    bool, typer.Option("--stored", help="Use the stored version of the page; do not fetch it.")
]


def command(
    source: SourceArgument,
    stored: StoredOption = False,
    base_url: BaseUrlOption = "",
    allow_private: options.AllowPrivateOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Print the extracted text of one page.

    The page is extracted as in a crawl and printed as Markdown: the title, the headings, and a
    paragraph for each line of the indexed text. List items, quotes and code become paragraphs;
    the indentation of code is lost.

    The default of crawl.media_types lists the supported types. A URL is fetched politely:
    robots.txt is obeyed, and private addresses are refused unless allowed. Nothing is stored.
    """
    settings = settings_from_options(data, set, {"crawl.allow_private": allow_private})
    if stored and base_url:
        raise UsageError("cli.base_url_of_stored")
    page = load_stored_page(source, data, set) if stored else load_page(source, settings, base_url)
    (extracted,) = run_until_interrupted(
        extract_pages(open_storage(data, settings), settings, [page])
    )
    if not extracted.packed_document:
        raise BywayError("app.not_extracted", source=source, reason=extracted.failure)
    document = unpack(extracted.packed_document)
    if json:
        print_json(_as_json(document, extracted))
        return
    if not extracted.may_index:
        print_notice(t("cli.extract.noindex"))
    print("\n".join(sanitize(line) for line in as_markdown(document).splitlines()))


def _as_json(document: Document, extracted: ExtractionResult) -> dict[str, object]:
    fields = asdict(document)
    del fields["id"]
    fields["headings"] = [heading._asdict() for heading in document.headings]
    fields["images"] = [image._asdict() for image in document.images]
    fields["links"] = [link._asdict() for link in extracted.links]
    fields["feeds"] = extracted.feeds
    return fields | {"indexable": extracted.may_index, "followable": extracted.follow_links}
