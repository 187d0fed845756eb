"""Loads site rules in the order they are tried: user rules, installed packages, built-in rules.

A package provides the TOML files next to one of its modules through an entry point:

    [project.entry-points."byway.sites"]
    shops = "my_package.shops"
"""

from collections.abc import Callable, Iterator
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
    """All rules, in the order they are tried; `folder` holds the user's rules."""
    return tuple(rule for load in _loaders(folder) for rule in load())


@dataclass(frozen=True, slots=True)
class SiteRuleSet:
    """The valid rules, and the errors in the others."""

    rules: tuple[SiteRule, ...]
    errors: tuple[SettingsError, ...]


def load_rules_with_errors(folder: Path | None = None) -> SiteRuleSet:
    """The rules currently on disk; an error in one file does not affect the others."""
    rules: list[SiteRule] = []
    errors: list[SettingsError] = []
    for load in _loaders(folder):
        try:
            rules += load()
        except SettingsError as error:
            errors.append(error)
    return SiteRuleSet(tuple(rules), tuple(errors))


def find_rule(name: str, folder: Path | None = None) -> SiteRule:
    """The rule with this name or in this file."""
    if name.endswith(".toml"):
        return read_rule(Path(name))
    rules = load_rules(folder)
    for rule in rules:
        if rule.name == name:
            return rule
    names = tuple(dict.fromkeys(rule.name for rule in rules))
    raise SettingsError("extract.rule_not_found", name=name, names=names)


def _loaders(folder: Path | None) -> Iterator[Callable[[], list[SiteRule]]]:
    """A function for each user file and each package, then one for the built-in rules."""
    for path in sorted(folder.glob("*.toml")) if folder else []:
        yield partial(_user_rule, path)
    points = entry_points(group=ENTRY_POINT_GROUP)
    for point in sorted(points, key=lambda point: (point.name, point.value)):
        yield partial(_package_rules, point)
    yield _builtin_rules


def _builtin_rules() -> list[SiteRule]:
    return [read_rule(path, source="byway") for path in sorted(BUILTIN_RULES_FOLDER.glob("*.toml"))]


def _user_rule(path: Path) -> list[SiteRule]:
    return [read_rule(path)]


def _package_rules(point: EntryPoint) -> list[SiteRule]:
    """The rules of one package entry point."""
    package = point.dist.name if point.dist else point.module
    try:
        package_files = sorted(files(point.module).iterdir(), key=lambda file: file.name)
        texts = {
            file.name: file.read_text("utf-8")
            for file in package_files
            if file.name.endswith(".toml")
        }
    except (ImportError, OSError, TypeError, UnicodeDecodeError) as error:
        raise SettingsError(
            "extract.package_rules_unreadable", package=package, reason=str(error)
        ) from error
    return [
        parse_rule(text, f"{package}: {name}", name.removesuffix(".toml"), f"package {package}")
        for name, text in texts.items()
    ]
