"""Dynamic pages: product lists with filters, and endless crawler traps.

Each function fills in a template file for the requested path and query.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from urllib.parse import urlencode

CARD_PATTERN = re.compile(r'^<li class="card".*</li>\n', re.MULTILINE)
FILTER_PARAMETERS = ("colour", "brand", "sort")
"""Query parameters of a product list, in the order of its links; each choice is another URL."""

PARITY = ("even", "odd")


def calendar(text: str, path: str, query: Mapping[str, str]) -> str:
    """A calendar month that links to the previous and next months, endlessly."""
    found = re.fullmatch(r"/calendar/(\d{1,6})/(\d{1,2})", path)
    year, month = (int(part) for part in found.groups()) if found else (2025, 1)
    before, after = year * 12 + month - 2, year * 12 + month
    return _fill_template(
        text,
        month=f"{year}-{month:02}",
        before=f"{max(before, 0) // 12}/{before % 12 + 1:02}",
        after=f"{after // 12}/{after % 12 + 1:02}",
    )


def stairs(text: str, path: str, query: Mapping[str, str]) -> str:
    """A page whose path gets longer with every link."""
    depth = path.rstrip("/").count("/")
    return _fill_template(text, depth=str(depth), path=path.rstrip("/"), parity=PARITY[depth % 2])


def product_list(text: str, path: str, query: Mapping[str, str]) -> str:
    """The products of a category that match the filters, with links that add further filters."""
    cards = CARD_PATTERN.findall(text)
    chosen = {name: query[name] for name in FILTER_PARAMETERS if query.get(name)}
    shown = [card for card in cards if _matches(card, chosen)]
    if chosen.get("sort") in ("price", "-price"):
        shown.sort(key=lambda card: float(_data(card, "price")), reverse=chosen["sort"][0] == "-")
    text = text.replace("".join(cards), "".join(shown))
    return _fill_template(text, filters=_filter_links(cards, chosen))


def _filter_links(cards: list[str], chosen: dict[str, str]) -> str:
    choices = [
        (name, value, value) for name in FILTER_PARAMETERS[:2] for value in _values(cards, name)
    ]
    choices += [("sort", "price", "↑ 1…9"), ("sort", "-price", "↓ 9…1")]
    return "\n".join(_filter_link(chosen, *choice) for choice in choices)


def _values(cards: list[str], name: str) -> list[str]:
    return sorted({_data(card, name) for card in cards})


def _filter_link(chosen: dict[str, str], name: str, value: str, label: str) -> str:
    selected = chosen | {name: value}
    link = urlencode({key: selected[key] for key in FILTER_PARAMETERS if key in selected})
    return f'<li><a href="?{escape(link)}">{escape(label)}</a></li>'


def _matches(card: str, chosen: Mapping[str, str]) -> bool:
    return all(
        _data(card, name) == chosen[name] for name in FILTER_PARAMETERS[:2] if name in chosen
    )


def _data(card: str, name: str) -> str:
    found = re.search(f'data-{name}="([^"]*)"', card)
    return found.group(1) if found else ""


def _fill_template(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"[[{name}]]", value if name == "filters" else escape(value))
    return text


PAGE_GENERATORS: dict[str, Callable[[str, str, Mapping[str, str]], str]] = {
    "calendar": calendar,
    "stairs": stairs,
    "shelf": product_list,
}
