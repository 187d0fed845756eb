"""Verticals, found by folder: built-in, from installed packages, and the user's own.

Each is a package with a module `vertical.py` that defines one subclass of `Vertical`. The user's
are in `verticals/<name>/` of the data folder; their code runs with your permissions. A package
provides one through an entry point:

    [project.entry-points."byway.verticals"]
    recipes = "my_package.recipes.vertical"
"""

import re
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from zlib import crc32

from byway.core.errors import SettingsError
from byway.core.messages import DEFAULT_LANGUAGE, add_messages, languages
from byway.core.verticals import Vertical, VerticalLoader

ENTRY_POINT_GROUP = "byway.verticals"
BUILTIN_FOLDER = Path(__file__).parents[2]
NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]*")
"""Names that can serve as a page path and an operator name."""


def load_verticals(data_folder: str = "") -> tuple[Vertical, ...]:
    """All verticals, each name once; the user's are in `data_folder`."""
    verticals: dict[str, Vertical] = {}
    for place, load in _loaders(data_folder):
        try:
            vertical = _instance(load(), data_folder)
        except SettingsError:
            raise
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            raise SettingsError("app.vertical_unreadable", place=place, detail=detail) from error
        if vertical.name in verticals:
            raise SettingsError("app.vertical_twice", place=place, name=vertical.name)
        verticals[vertical.name] = vertical
    return tuple(verticals.values())


def vertical_loader(data_folder: Path) -> VerticalLoader:
    """The loader for other processes; errors in a vertical are raised here, in this process."""
    load_verticals(str(data_folder))
    return partial(load_verticals, str(data_folder))


def _loaders(data_folder: str) -> "Iterator[tuple[str, partial[ModuleType]]]":
    """The location of each vertical, and the function that imports its module."""
    for path in sorted(BUILTIN_FOLDER.glob("*/vertical.py")):
        yield str(path), partial(import_module, f"byway.{path.parent.name}.vertical")
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda each: each.name):
        yield point.value, partial(import_module, point.module)
    if data_folder:
        for path in sorted(Path(data_folder).glob("verticals/*/vertical.py")):
            yield str(path), partial(_import_folder, path.parent)


def _import_folder(folder: Path) -> ModuleType:
    """The module `vertical` of a folder, which becomes a package with a unique name."""
    package = f"byway_vertical_{folder.name}_{crc32(str(folder.resolve()).encode()):x}"
    spec = ModuleSpec(package, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    sys.modules[package] = module_from_spec(spec)
    return import_module(f"{package}.vertical")


def _instance(module: ModuleType, data_folder: str) -> Vertical:
    """The vertical that a module defines; adds its texts to the message catalogue."""
    classes = [
        each
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, Vertical)
        and each.__module__ == module.__name__
    ]
    folder = Path(str(module.__file__)).parent
    if len(classes) != 1 or not NAME_PATTERN.fullmatch(classes[0].name) or not classes[0].noun:
        raise SettingsError("app.vertical_invalid", place=folder)
    vertical: Vertical = classes[0](data_folder)
    vertical.folder = str(folder)
    for language in languages():
        files = (folder / "messages" / f"{name}.toml" for name in (language, DEFAULT_LANGUAGE))
        if file := next((file for file in files if file.is_file()), None):
            add_messages(language, file.read_text("utf-8"))
    return vertical
