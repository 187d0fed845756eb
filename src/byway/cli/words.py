"""Words: what does a page say, word for word, and where?"""

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table

from byway.app.missing_page import data_option
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.core.errors import UsageError
from byway.core.fields import FIELDS, DocumentTerm, document_terms
from byway.core.url import parse_typed_url

ORDER = 13

UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="The page.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="Words shown; 0 shows all.")]
FieldOption = Annotated[
    str, typer.Option("--field", help="Only words that stand there, as title, anchor or body.")
]
MAX_SHOWN_POSITIONS = 8
"""Positions that a person is shown; --json has all."""


def command(
    url: UrlArgument,
    limit: LimitOption = 40,
    field: FieldOption = "",
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Show the words of a page as the index has them: how often, in which fields, and where."""
    if field and field not in FIELDS:
        raise UsageError(f"--field {field:.40}: there are {', '.join(FIELDS)}")
    page = parse_typed_url(url)
    with open_search_session(data, set) as reading:
        record = reading.find_url(page)
        document = reading.document(record.id) if record else None
        anchors = reading.anchor_texts(record.id) if record else ()
    if document is None:
        command_line = f"byway explain WORDS {shlex.quote(page)}{data_option(data)}"
        raise UsageError("app.no_document", url=page, command=command_line)
    found = [
        one for one in document_terms(document, anchors) if not field or field in one.positions
    ]
    if json:
        print_json({"url": page, "language": document.language, "words": _as_json(found)})
        return
    _print(found, limit or len(found))


def _print(found: Sequence[DocumentTerm], limit: int) -> None:
    table = Table("word", "times", "fields", "positions in the text", box=None, pad_edge=False)
    for one in found[:limit]:
        body = [str(place) for place in one.positions.get("body", ())]
        more = " …" if len(body) > MAX_SHOWN_POSITIONS else ""
        fields = " ".join(f"{name}:{len(places)}" for name, places in one.positions.items())
        table.add_row(
            sanitize(one.term),
            str(one.frequency),
            fields,
            " ".join(body[:MAX_SHOWN_POSITIONS]) + more,
        )
    out.print(table)
    if len(found) > limit:
        out.print(f"[dim]… {len(found) - limit:,} more with -n 0[/dim]")


def _as_json(found: list[DocumentTerm]) -> list[dict[str, object]]:
    return [{"word": one.term, "times": one.frequency, "fields": one.positions} for one in found]
