"""Admin pages. Each module declares its routes and the `MENU` entries of its pages."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple


class MenuEntry(NamedTuple):
    """An entry of the admin menu."""

    order: int
    path: str
    title_key: str


@cache
def admin_menu() -> dict[str, str]:
    """The message keys of the titles of all admin pages by path, in the order of the menu."""
    modules = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
    entries: list[MenuEntry] = [one for each in modules for one in getattr(each, "MENU", ())]
    return {entry.path: entry.title_key for entry in sorted(entries)}
