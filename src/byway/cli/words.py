"""`byway words`: the indexed terms of a page."""

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table

from byway.cli.support import options
from byway.cli.support.options import open_search_session
from byway.cli.support.output import out, print_json, sanitize
from byway.cli.support.page_argument import data_option
from byway.core.errors import UsageError
from byway.core.fields import DocumentTerm, document_terms
from byway.core.messages import grouped, t
from byway.core.model.candidates import FIELDS
from byway.core.url import parse_typed_url

PANEL = "Inspect"
ORDER = 3
MAX_FIELD_CHARS = 40

UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="URL of the page.")]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=0, help="Number of terms shown; 0 for all.")
]
FieldOption = Annotated[
    str, typer.Option("--field", help="List only terms in this field: title, anchor, body, …")
]
MAX_SHOWN_POSITIONS = 8
"""Maximum positions shown for a term; --json has all."""


def command(
    url: UrlArgument,
    limit: LimitOption = 40,
    field: FieldOption = "",
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """List the indexed terms of a page.

    Shows how often each term occurs, in which fields, and at which positions in the text.
    """
    if field and field not in FIELDS:
        raise UsageError("cli.unknown_field", field=field[:MAX_FIELD_CHARS], fields=list(FIELDS))
    page = parse_typed_url(url)
    with open_search_session(data, set) as session:
        record = session.catalog.find_url(page)
        document = session.document(record.id) if record else None
        anchors = session.anchor_texts(record.id) if record else ()
    if document is None:
        command_line = f"byway explain QUERY {shlex.quote(page)}{data_option(data)}"
        raise UsageError("app.no_document", url=page, command=command_line)
    terms = [
        term for term in document_terms(document, anchors) if not field or field in term.positions
    ]
    if json:
        print_json({"url": page, "language": document.language, "terms": _as_json(terms)})
        return
    _print(terms, limit or len(terms))


def _print(terms: Sequence[DocumentTerm], limit: int) -> None:
    heads = (t(f"cli.words.head_{name}") for name in ("term", "count", "fields", "positions"))
    table = Table(*heads, box=None, pad_edge=False)
    for term in terms[:limit]:
        body = [str(position) for position in term.positions.get("body", ())]
        more = " …" if len(body) > MAX_SHOWN_POSITIONS else ""
        fields = " ".join(f"{name}:{len(places)}" for name, places in term.positions.items())
        table.add_row(
            sanitize(term.term),
            grouped(term.frequency),
            fields,
            " ".join(body[:MAX_SHOWN_POSITIONS]) + more,
        )
    out.print(table)
    if len(terms) > limit:
        out.print(f"[dim]{t('cli.words.more', more=len(terms) - limit)}[/dim]")


def _as_json(terms: list[DocumentTerm]) -> list[dict[str, object]]:
    return [
        {"term": term.term, "count": term.frequency, "positions": term.positions} for term in terms
    ]
