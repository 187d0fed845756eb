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
from byway.extract.site_rules.parse import parse_rule, read_rule
from byway.extract.site_rules.rule import SiteRule

BUILTIN_RULES_FOLDER = Path(__file__).parent
ENTRY_POINT_GROUP = "byway.sites"


@lru_cache(maxsize=8)
def load_rules(folder: Path | None = None) -> tuple[SiteRule, ...]:
    """All rules, in the order in which they are tried."""
    mine = [read_rule(path) for path in sorted(folder.glob("*.toml"))] if folder else []
    theirs = [rule for point in _points() for rule in _offered(point)]
    return (*mine, *theirs, *_ours())


@dataclass(frozen=True, slots=True)
class SiteRuleSet:
    """The rules that can be read, and what is wrong with the others."""

    rules: tuple[SiteRule, ...]
    errors: tuple[str, ...]


def load_rules_with_errors(folder: Path | None = None) -> SiteRuleSet:
    """The rules as they are now: a file that is wrong is told of, and does not hide the others."""
    paths = sorted(folder.glob("*.toml")) if folder else []
    each_of: list[Callable[[], list[SiteRule]]] = [partial(_alone, path) for path in paths]
    each_of += [partial(_offered, point) for point in _points()]
    rules: list[SiteRule] = []
    faults: list[str] = []
    for each in (*each_of, _ours):
        try:
            rules += each()
        except SettingsError as error:
            faults.append(str(error))
    return SiteRuleSet(tuple(rules), tuple(faults))


def find_rule(name: str, folder: Path | None = None) -> SiteRule:
    """The rule of that name, or in that file."""
    if name.endswith(".toml"):
        return read_rule(Path(name))
    rules = load_rules(folder)
    for rule in rules:
        if rule.name == name:
            return rule
    known = ", ".join(dict.fromkeys(rule.name for rule in rules))
    raise SettingsError(f"no rule {name!r}; there are {known}, or name a file that ends in .toml")


def _points() -> list[EntryPoint]:
    return sorted(
        entry_points(group=ENTRY_POINT_GROUP), key=lambda point: (point.name, point.value)
    )


def _ours() -> list[SiteRule]:
    return [read_rule(path, source="byway") for path in sorted(BUILTIN_RULES_FOLDER.glob("*.toml"))]


def _alone(path: Path) -> list[SiteRule]:
    return [read_rule(path)]


def _offered(point: EntryPoint) -> list[SiteRule]:
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
        parse_rule(text, f"{package}: {name}", name.removesuffix(".toml"), f"package {package}")
        for name, text in texts.items()
    ]


def _is_rule(name: str) -> bool:
    return name.endswith(".toml")
