"""Which names and values does a page show? Rows of tables, lists of terms, `Colour: red`."""

from collections.abc import Iterator

from turbohtml import Document, Element

from byway.extract.formats.html.dom import line

MOST = 200
MOST_LOOKS = 5000
LONGEST_NAME, LONGEST_VALUE, MOST_WORDS = 60, 300, 6
LONGEST_IN_TEXT = 80

#: Rows that may hold a pair. Blocks are looked at only where a site calls them something like it.
ROWS = "dt,tr,li,p"
NAMED = ",".join(
    f"[class*={word} i]"
    for word in ("attr", "feature", "charact", "spec", "param", "propert", "detail", "option")
)
AROUND = (
    "nav,header,footer,form[action*=search],[class*=menu i],[class*=footer i],[class*=review i]"
)


def pairs_on(document: Document) -> list[tuple[str, str]]:
    """The pairs of a page, in its order, each name once."""
    found: dict[str, str] = {}
    rows = document.select(f"{ROWS},{NAMED}")[:MOST_LOOKS]
    for row in rows:
        for name, value in _pairs(row):
            if len(found) < MOST and row.closest(AROUND) is None:
                found.setdefault(name, value)
    return list(found.items())


def pair_in(text: str) -> tuple[str, str] | None:
    """The pair in `Colour: red`."""
    name, colon, value = text.partition(":")
    return _pair(name, value) if colon else None


def _pairs(row: Element) -> Iterator[tuple[str, str]]:
    if row.tag == "dt":
        after = next((each for each in row.next_siblings if isinstance(each, Element)), None)
        found = _pair(row.text, after.text) if after is not None and after.tag == "dd" else None
    else:
        children = [each for each in row.children if isinstance(each, Element)]
        cells = [each for each in children if each.tag not in ("br", "script", "style", "i")]
        if len(cells) == 2 and (row.tag == "tr" or line(cells[0].text).endswith(":")):
            found = _pair(cells[0].text, cells[1].text)
        else:
            found = pair_in(row.text) if row.tag in ("li", "p") and len(cells) < 2 else None
            if found is not None and row.tag == "p" and _is_prose(*found):
                return
    if found is not None:
        yield found


def _is_prose(name: str, value: str) -> bool:
    """Is it a sentence that has a colon in it?"""
    return len(name.split()) > 2 or len(value) > LONGEST_IN_TEXT


def _pair(name: str | None, value: str | None) -> tuple[str, str] | None:
    name, value = line(name, 200).rstrip(" :"), line(value, LONGEST_VALUE + 1)
    if not name or not value or len(name) > LONGEST_NAME or len(value) > LONGEST_VALUE:
        return None
    is_one = len(name.split()) <= MOST_WORDS and "://" not in value
    return (name, value) if is_one else None
