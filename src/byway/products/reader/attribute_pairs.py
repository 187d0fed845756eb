"""Attribute names and values on a page: table rows, definition lists, `Colour: red`."""

from collections.abc import Iterator

from turbohtml import Document, Element

from byway.core.text import single_line

MAX_PAIRS = 200
MAX_SCANNED_ROWS = 5000
MAX_NAME_CHARS, MAX_VALUE_CHARS, MAX_NAME_WORDS = 60, 300, 6
MAX_PROSE_VALUE_CHARS = 80

#: Rows that may hold a pair. Other blocks are examined only if their class suggests it.
ROW_SELECTOR = "dt,tr,li,p"
ATTRIBUTE_BLOCK_SELECTOR = ",".join(
    f"[class*={word} i]"
    for word in ("attr", "feature", "charact", "spec", "param", "propert", "detail", "option")
)
BOILERPLATE_SELECTOR = (
    "nav,header,footer,form[action*=search],[class*=menu i],[class*=footer i],[class*=review i]"
)


def extract_pairs(document: Document) -> list[tuple[str, str]]:
    """The pairs of a page in page order, each name once."""
    value_by_name: dict[str, str] = {}
    rows = document.select(f"{ROW_SELECTOR},{ATTRIBUTE_BLOCK_SELECTOR}")[:MAX_SCANNED_ROWS]
    for row in rows:
        for name, value in _pairs(row):
            if len(value_by_name) < MAX_PAIRS and row.closest(BOILERPLATE_SELECTOR) is None:
                value_by_name.setdefault(name, value)
    return list(value_by_name.items())


def parse_pair(text: str) -> tuple[str, str] | None:
    """The name and value in `Colour: red`; None if there is no pair."""
    name, colon, value = text.partition(":")
    return _pair(name, value) if colon else None


def _pairs(row: Element) -> Iterator[tuple[str, str]]:
    if row.tag == "dt":
        sibling = next((each for each in row.next_siblings if isinstance(each, Element)), None)
        has_value = sibling is not None and sibling.tag == "dd"
        pair = _pair(row.text, sibling.text) if sibling is not None and has_value else None
    else:
        children = [each for each in row.children if isinstance(each, Element)]
        cells = [each for each in children if each.tag not in ("br", "script", "style", "i")]
        if len(cells) == 2 and (row.tag == "tr" or single_line(cells[0].text).endswith(":")):
            pair = _pair(cells[0].text, cells[1].text)
        else:
            pair = parse_pair(row.text) if row.tag in ("li", "p") and len(cells) < 2 else None
            if pair is not None and row.tag == "p" and _is_prose(*pair):
                return
    if pair is not None:
        yield pair


def _is_prose(name: str, value: str) -> bool:
    """Whether a pair is more likely a sentence with a colon."""
    return len(name.split()) > 2 or len(value) > MAX_PROSE_VALUE_CHARS


def _pair(name: str | None, value: str | None) -> tuple[str, str] | None:
    name, value = single_line(name, 200).rstrip(" :"), single_line(value, MAX_VALUE_CHARS + 1)
    if not name or not value or len(name) > MAX_NAME_CHARS or len(value) > MAX_VALUE_CHARS:
        return None
    is_pair = len(name.split()) <= MAX_NAME_WORDS and "://" not in value
    return (name, value) if is_pair else None
