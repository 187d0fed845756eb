"""Pages that are made up on the spot: shelves one can filter, and traps without an end.

Each function completes the text of a file for the path and the query that were asked for.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from urllib.parse import urlencode

CARD_PATTERN = re.compile(r'^<li class="card".*</li>\n', re.MULTILINE)
FILTER_PARAMETERS = ("colour", "brand", "sort")
"""The order in which a shelf writes its parameters: a choice more, a URL more."""

PARITY = ("even", "odd")


def calendar(text: str, path: str, query: Mapping[str, str]) -> str:
    """A month, which knows the month before it and the month after it, for ever."""
    found = re.fullmatch(r"/calendar/(\d{1,6})/(\d{1,2})", path)
    year, month = (int(part) for part in found.groups()) if found else (2025, 1)
    before, after = year * 12 + month - 2, year * 12 + month
    return _filled(
        text,
        month=f"{year}-{month:02}",
        before=f"{max(before, 0) // 12}/{before % 12 + 1:02}",
        after=f"{after // 12}/{after % 12 + 1:02}",
    )


def stairs(text: str, path: str, query: Mapping[str, str]) -> str:
    """A landing of a staircase: every one leads further down."""
    depth = path.rstrip("/").count("/")
    return _filled(text, depth=str(depth), path=path.rstrip("/"), parity=PARITY[depth % 2])


def product_list(text: str, path: str, query: Mapping[str, str]) -> str:
    """The goods of a category that fit the filters, and links to every further filter."""
    cards = CARD_PATTERN.findall(text)
    chosen = {name: query[name] for name in FILTER_PARAMETERS if query.get(name)}
    shown = [card for card in cards if _fits(card, chosen)]
    if chosen.get("sort") in ("price", "-price"):
        shown.sort(key=lambda card: float(_data(card, "price")), reverse=chosen["sort"][0] == "-")
    text = text.replace("".join(cards), "".join(shown))
    return _filled(text, filters=_choices(cards, chosen))


def _choices(cards: list[str], chosen: dict[str, str]) -> str:
    found = [(name, value) for name in FILTER_PARAMETERS[:2] for value in _values(cards, name)]
    choices = [(name, value, value) for name, value in found]
    choices += [("sort", "price", "↑ 1…9"), ("sort", "-price", "↓ 9…1")]
    return "\n".join(_choice(chosen, *choice) for choice in choices)


def _values(cards: list[str], name: str) -> list[str]:
    return sorted({_data(card, name) for card in cards})


def _choice(chosen: dict[str, str], name: str, value: str, label: str) -> str:
    wanted = chosen | {name: value}
    link = urlencode({key: wanted[key] for key in FILTER_PARAMETERS if key in wanted})
    return f'<li><a href="?{escape(link)}">{escape(label)}</a></li>'


def _fits(card: str, chosen: Mapping[str, str]) -> bool:
    return all(
        _data(card, name) == chosen[name] for name in FILTER_PARAMETERS[:2] if name in chosen
    )


def _data(card: str, name: str) -> str:
    found = re.search(f'data-{name}="([^"]*)"', card)
    return found.group(1) if found else ""


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"[[{name}]]", value if name == "filters" else escape(value))
    return text


PAGE_GENERATORS: dict[str, Callable[[str, str, Mapping[str, str]], str]] = {
    "calendar": calendar,
    "stairs": stairs,
    "shelf": product_list,
}
