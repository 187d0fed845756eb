"""Words: what does a page say, word for word, and where?"""

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table

from byway.app.missing_page import in_folder
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.support.output import out, plain, print_json
from byway.core.errors import UsageError
from byway.core.fields import FIELDS, Found, words_of
from byway.core.url import guess

ORDER = 13

Url = Annotated[str, typer.Argument(metavar="URL", help="The page.")]
Most = Annotated[int, typer.Option("--limit", "-n", min=0, help="Words shown; 0 shows all.")]
Field = Annotated[
    str, typer.Option("--field", help="Only words that stand there, as title, anchor or body.")
]
SHOWN = 8
"""Positions that a person is shown; --json has all."""


def command(
    url: Url,
    limit: Most = 40,
    field: Field = "",
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show the words of a page as the index has them: how often, in which fields, and where."""
    if field and field not in FIELDS:
        raise UsageError(f"--field {field:.40}: there are {', '.join(FIELDS)}")
    page = guess(url)
    with reading_of(data, set) as reading:
        record = reading.look_up(page)
        document = reading.document(record.id) if record else None
        anchors = reading.anchors(record.id) if record else ()
    if document is None:
        why = in_folder(f"`byway explain WORDS {shlex.quote(page)}` says why", data)
        raise UsageError(f"no document of {page}; {why}")
    found = [one for one in words_of(document, anchors) if not field or field in one.places]
    if json:
        print_json({"url": page, "language": document.language, "words": _as_json(found)})
        return
    _print(found, limit or len(found))


def _print(found: Sequence[Found], limit: int) -> None:
    table = Table("word", "times", "fields", "positions in the text", box=None, pad_edge=False)
    for one in found[:limit]:
        body = [str(place) for place in one.places.get("body", ())]
        more = " …" if len(body) > SHOWN else ""
        fields = " ".join(f"{name}:{len(places)}" for name, places in one.places.items())
        table.add_row(plain(one.term), str(one.times), fields, " ".join(body[:SHOWN]) + more)
    out.print(table)
    if len(found) > limit:
        out.print(f"[dim]… {len(found) - limit:,} more with -n 0[/dim]")


def _as_json(found: list[Found]) -> list[dict[str, object]]:
    return [{"word": one.term, "times": one.times, "fields": one.places} for one in found]
