"""Where do settings come from? A file, the environment and options; the last of them wins.

byway.toml  <  BYWAY_CRAWL__DELAY=2  <  --set crawl.delay=2
"""

import difflib
import json
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from byway.core.errors import SettingsError
from byway.core.settings.schema import Settings
from byway.core.settings.validators import Minimum, SettingConstraint

ENV_PREFIX = "BYWAY_"
RESERVED_ENV_NAMES = {"BYWAY_DATA", "BYWAY_TEST_DATA"}
"""Environment variables that are not settings: the data folder and the shared test data."""

S = TypeVar("S")
SettingsCheck = Callable[[Settings], object]
"""Raises a SettingsError if a value makes no sense."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, described."""

    name: str
    type_name: str
    default: object
    help: str
    constraints: tuple[SettingConstraint, ...] = ()

    @property
    def default_toml(self) -> str:
        """The default as byway.toml writes it."""
        return to_toml_value(self.default)


def describe_settings() -> Iterator[tuple[str, str, list[Setting]]]:
    """Every section with its sentence and its settings: for byway.toml, --help and the docs."""
    for section in fields(Settings):
        cls = get_type_hints(Settings)[section.name]
        defaults = cls()
        hints = get_type_hints(cls, include_extras=True)
        settings = []
        for item in fields(cls):
            kind, help, *limits = get_args(hints[item.name])
            name, default = f"{section.name}.{item.name}", getattr(defaults, item.name)
            settings.append(Setting(name, _kind_name(kind), default, help, tuple(limits)))
        yield section.name, (cls.__doc__ or "").strip(), settings


def load_settings(
    path: Path | None,
    environ: Mapping[str, str],
    overrides: Iterable[str] = (),
    extra_check: SettingsCheck | None = None,
) -> Settings:
    """Read settings from a TOML file, the environment and `--set` options; the last wins.

    `extra_check` checks what only others know of, and is asked of each source alone, too.
    """
    values = _read(path) if path and path.exists() else {}
    _named(str(path), values, extra_check)
    for name, text in environ.items():
        if name.startswith(ENV_PREFIX) and name not in RESERVED_ENV_NAMES:
            place = name.removeprefix(ENV_PREFIX).lower().split("__")
            alone: dict[str, Any] = {}
            _put(alone, place, text, name)
            _named(f"{name} in the environment", alone, extra_check)
            _put(values, place, text, name)
    for option in overrides:
        name, equals, text = option.partition("=")
        if not equals or not name.strip():
            raise SettingsError(f"--set {option}: write it as --set crawl.delay=2")
        _put(values, name.strip().split("."), text, name)
    made: Settings = _build(Settings, values)
    if extra_check:
        extra_check(made)
    return check_settings(made)


def to_toml(settings: Settings) -> str:
    """A settings file with every setting in it; those at their defaults are commented out."""
    lines = ["# Settings of byway. Remove the # before a line to change it.", ""]
    for section, sentence, described_settings in describe_settings():
        lines += [f"[{section}]  # {sentence}"]
        for setting in described_settings:
            name = setting.name.partition(".")[2]
            value = getattr(getattr(settings, section), name)
            mark = "# " if value == setting.default else ""
            lines += [f"# {line}" for line in textwrap.wrap(setting.help, 94)]
            lines += [f"{mark}{name} = {to_toml_value(value)}", ""]
    return "\n".join(lines)


def check_settings(settings: Settings) -> Settings:
    """The settings, if each value makes sense; else an error that names the one that does not."""
    _check_each(settings)
    crawl = settings.crawl
    if fault := Minimum(crawl.min_revisit_days).violation(crawl.max_revisit_days):
        raise SettingsError(f"crawl.max_revisit_days {fault}")
    return settings


def to_toml_value(value: object) -> str:
    """A value as TOML writes it; JSON agrees with TOML for all that settings are made of."""
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {to_toml_value(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else to_toml_value(name)


def _check_each(settings: Settings) -> None:
    """Hold each value against its own limits, whatever the others are."""
    for section, _, some in describe_settings():
        for setting in some:
            value = getattr(getattr(settings, section), setting.name.partition(".")[2])
            for limit in setting.constraints:
                if fault := limit.violation(value):
                    space = "" if fault.startswith(":") else " "
                    raise SettingsError(f"{setting.name}{space}{fault}")


def _named(source: str, values: dict[str, Any], also: SettingsCheck | None) -> None:
    """Say where a wrong setting stands."""
    try:
        made: Settings = _build(Settings, values)
        _check_each(made)
        if also:
            also(made)
    except SettingsError as error:
        raise SettingsError(f"{source}: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
    except ValueError as error:  # not TOML, or a number of 5,000 digits
        raise SettingsError(f"{path}: {error}") from error
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error


def _put(values: dict[str, Any], path: list[str], text: str, name: str) -> None:
    *parents, last = path
    for parent in parents:
        values = values.setdefault(parent, {})
        if not isinstance(values, dict):
            raise SettingsError(f"{name}: {parent} has a value already; leave one of them out")
    values[last] = text


def _build(cls: type[S], values: Any, where: str = "") -> S:
    """Make a `cls` of `values`, or say exactly which key is wrong and what was meant."""
    if not isinstance(values, Mapping):
        first = where + next(iter(get_type_hints(cls)))
        raise SettingsError(f"{where[:-1]} is a section; set what is in it, as {first}")
    types = get_type_hints(cls)
    made = {}
    for name, value in values.items():
        if name not in types:
            raise SettingsError(f"unknown setting {where}{name}{_meant(name, where, types)}")
        made[name] = _convert(types[name], value, where + name)
    return cls(**made)


def _meant(name: str, where: str, known: Iterable[str]) -> str:
    every = [setting.name for _, _, section in describe_settings() for setting in section]
    last = {full.rpartition(".")[2]: full for full in every}
    near = [full for full in every if full.rpartition(".")[2] == name]
    near += difflib.get_close_matches(where + name, [*every, *(where + one for one in known)], n=1)
    near += [last[one] for one in difflib.get_close_matches(name, last, n=1)]
    return f"; did you mean {near[0]}?" if near else "; `byway init` writes a file with all of them"


def _convert(kind: Any, value: Any, where: str) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        return _build(kind, value, where + ".")
    try:
        return _value(kind, value)
    except (KeyError, TypeError, ValueError) as error:
        raise SettingsError(f"{where} = {value!r:.80} is not {_kind_name(kind)}") from error


def _value(kind: Any, value: Any) -> Any:
    """`value` as a `kind`; text is read, because the environment has nothing else."""
    origin = get_origin(kind)
    if origin is Literal:
        if value not in get_args(kind):
            raise ValueError
        return value
    if origin is tuple:
        parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise TypeError
        return tuple(part for part in parts if part)
    if origin is not None:  # Mapping[str, float]
        value = json.loads(value) if isinstance(value, str) else value
        if not isinstance(value, Mapping):
            raise TypeError
        return {str(key): _value(float, item) for key, item in value.items()}
    if kind is bool:
        return {"true": True, "false": False}[str(value).lower()]
    if isinstance(value, bool) or (kind is int and isinstance(value, float)):
        raise TypeError
    if kind is str and not isinstance(value, str):
        raise TypeError
    made = kind(value)
    if kind is float and not isfinite(made):
        raise ValueError
    return made


def _kind_name(kind: Any) -> str:
    origin = get_origin(kind)
    if origin is Literal:
        return "one of " + ", ".join(get_args(kind))
    if origin is tuple:
        return "a list of texts"
    if origin is not None:
        return "a table of numbers"
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[kind]
