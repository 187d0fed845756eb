"""What does a reader send back for a page? Bytes, of which nothing is believed but plain values."""

import pickle
from io import BytesIO
from typing import Any

from byway.model import Extracted, Link
from byway.packed import pack

OUT_OF_MEMORY = "its reader ran out of memory"
NO_MEMORY = 12
"""The exit code that says the same when there is no memory left to say more: ENOMEM."""


def packed(extracted: Extracted) -> bytes:
    """An answer as bytes. Links go as columns: one by one they took twice the time."""
    document = extracted.document
    links = list(zip(*extracted.links, strict=True))
    body = pack(document) if document else b""
    flags = (extracted.failed, extracted.keep, extracted.follow)
    rest = (extracted.digest, extracted.feeds, extracted.sketch)
    return pickle.dumps((flags, rest, links, body), 5)


def unpacked(frame: bytes) -> Extracted:
    """The answer in these bytes, which a captured reader may have chosen: plain values only."""
    (failed, keep, follow), rest, columns, body = _Plain(BytesIO(frame)).load()
    links = tuple(map(Link, *columns)) if columns else ()
    return Extracted(None, body, links, follow, keep, failed, *rest)


class _Plain(pickle.Unpickler):
    """Unpickles numbers, texts and containers of them; nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"a reader sent a {module}.{name}")
