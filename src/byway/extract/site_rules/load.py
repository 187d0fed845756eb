"""Which rules are there? The user's come first, then those of installed packages, then ours.

A package offers the TOML files beside one of its modules by an entry point:

    [project.entry-points."byway.sites"]
    shops = "my_package.shops"
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path

from byway.core.errors import SettingsError
from byway.extract.site_rules.parse import parsed, read
from byway.extract.site_rules.rule import Rule

OURS = Path(__file__).parent
GROUP = "byway.sites"


@lru_cache(maxsize=8)
def load(folder: Path | None = None) -> tuple[Rule, ...]:
    """All rules, in the order in which they are tried."""
    mine = [read(path) for path in sorted(folder.glob("*.toml"))] if folder else []
    theirs = [rule for point in _points() for rule in _offered(point)]
    return (*mine, *theirs, *_ours())


@dataclass(frozen=True, slots=True)
class RulesNow:
    """The rules that can be read, and what is wrong with the others."""

    rules: tuple[Rule, ...]
    faults: tuple[str, ...]


def look_at(folder: Path | None = None) -> RulesNow:
    """The rules as they are now: a file that is wrong is told of, and does not hide the others."""
    paths = sorted(folder.glob("*.toml")) if folder else []
    each_of: list[Callable[[], list[Rule]]] = [partial(_alone, path) for path in paths]
    each_of += [partial(_offered, point) for point in _points()]
    rules: list[Rule] = []
    faults: list[str] = []
    for each in (*each_of, _ours):
        try:
            rules += each()
        except SettingsError as error:
            faults.append(str(error))
    return RulesNow(tuple(rules), tuple(faults))


def named(name: str, folder: Path | None = None) -> Rule:
    """The rule of that name, or in that file."""
    if name.endswith(".toml"):
        return read(Path(name))
    rules = load(folder)
    for rule in rules:
        if rule.name == name:
            return rule
    known = ", ".join(dict.fromkeys(rule.name for rule in rules))
    raise SettingsError(f"no rule {name!r}; there are {known}, or name a file that ends in .toml")


def _points() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))


def _ours() -> list[Rule]:
    return [read(path, source="byway") for path in sorted(OURS.glob("*.toml"))]


def _alone(path: Path) -> list[Rule]:
    return [read(path)]


def _offered(point: EntryPoint) -> list[Rule]:
    """The rules of one entry point."""
    package = point.dist.name if point.dist else point.module
    try:
        there = sorted(files(point.module).iterdir(), key=lambda file: file.name)
        texts = {each.name: each.read_text("utf-8") for each in there if _is_rule(each.name)}
    except (ImportError, OSError, TypeError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"the rules of the package {package} cannot be read ({error}); mend or remove it"
        ) from error
    return [
        parsed(text, f"{package}: {name}", name.removesuffix(".toml"), f"package {package}")
        for name, text in texts.items()
    ]


def _is_rule(name: str) -> bool:
    return name.endswith(".toml")
