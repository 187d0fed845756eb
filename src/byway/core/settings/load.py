"""Loads settings from a file, the environment and options; the last source wins.

byway.toml  <  BYWAY_CRAWL__DELAY=2  <  --set crawl.delay=2
"""

import difflib
import json
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from byway.core.errors import SettingsError
from byway.core.messages import Message
from byway.core.settings.schema import Settings
from byway.core.settings.validators import Check

ENV_PREFIX = "BYWAY_"
RESERVED_ENV_NAMES = {"BYWAY_DATA", "BYWAY_TEST_DATA"}
"""Environment variables that are not settings: the data folder and the shared test data."""

NO_LIMITS = msgspec.Meta()
TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "text"}
SettingsCheck = Callable[[Settings], object]
"""An additional check that raises `SettingsError` for a bad value."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The description of one setting."""

    name: str
    annotation: Any
    type: Any
    default: object
    help: str
    constraint: msgspec.Meta | Check = NO_LIMITS

    @property
    def type_message(self) -> Message:
        """The expected type, as a message for users."""
        origin = get_origin(self.type)
        if origin is Literal:
            return Message("error.core.type.choice", choices=get_args(self.type))
        key = TYPE_NAMES[self.type] if origin is None else "list" if origin is tuple else "table"
        return Message(f"error.core.type.{key}")

    @property
    def default_toml(self) -> str:
        """The default as written in byway.toml."""
        return to_toml_value(self.default)


@cache
def describe_settings() -> tuple[tuple[str, str, tuple[Setting, ...]], ...]:
    """Every section with its description and settings, for byway.toml, --help and the docs."""
    sections = []
    for section, cls in get_type_hints(Settings).items():
        settings, defaults = [], cls()
        for name, hint in get_type_hints(cls, include_extras=True).items():
            value_type, *rest = get_args(hint)
            default = getattr(defaults, name)
            settings.append(Setting(f"{section}.{name}", hint, value_type, default, *rest))
        sections.append((section, (cls.__doc__ or "").strip(), tuple(settings)))
    return tuple(sections)


def load_settings(
    path: Path | None,
    environ: Mapping[str, str],
    overrides: Iterable[str] = (),
    extra_check: SettingsCheck | None = None,
) -> Settings:
    """Load settings from a TOML file, the environment and `--set` options; the last source wins.

    `extra_check` runs on each source, so that its error names the source, and on the result.
    """
    values = _read_toml(path) if path and path.exists() else {}
    _check_source(str(path), values, extra_check)
    for variable, text in environ.items():
        if variable.startswith(ENV_PREFIX) and variable not in RESERVED_ENV_NAMES:
            keys = variable.removeprefix(ENV_PREFIX).lower().split("__")
            source = Message("error.core.environment_variable", name=variable)
            source_values: dict[str, Any] = {}
            _set_value(source_values, keys, text, variable)
            _check_source(source, source_values, extra_check)
            _set_value(values, keys, text, variable)
    for option in overrides:
        name, equals, text = option.partition("=")
        if not equals or not name.strip():
            raise SettingsError("core.option_syntax", option=option)
        _set_value(values, name.strip().split("."), text, name)
    settings = _build(values)
    if extra_check:
        extra_check(settings)
    crawl, setting = settings.crawl, "crawl.max_revisit_days"
    least, value = crawl.min_revisit_days, crawl.max_revisit_days
    if value < least:
        raise SettingsError("core.too_small", setting=setting, value=value, minimum=least)
    return settings


def to_toml(settings: Settings) -> str:
    """A settings file with every setting; defaults are commented out."""
    lines = ["# Settings of byway. Remove the # before a line to change it.", ""]
    for section, description, section_settings in describe_settings():
        lines += [f"[{section}]  # {description}"]
        for setting in section_settings:
            name = setting.name.partition(".")[2]
            value = getattr(getattr(settings, section), name)
            mark = "# " if value == setting.default else ""
            lines += [f"# {line}" for line in textwrap.wrap(setting.help, 94)]
            lines += [f"{mark}{name} = {to_toml_value(value)}", ""]
    return "\n".join(lines)


def to_toml_value(value: object) -> str:
    """A value in TOML; for all setting types, JSON and TOML are the same."""
    if isinstance(value, Mapping):
        pairs = (f"{_toml_key(key)} = {to_toml_value(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else to_toml_value(name)


def _check_source(
    source: str | Message, values: dict[str, Any], extra_check: SettingsCheck | None
) -> None:
    """Check the values of one source, so that an error can name the source."""
    try:
        settings = _build(values)
        if extra_check:
            extra_check(settings)
    except SettingsError as error:
        setting = error.params.get("setting", "")
        raise SettingsError(
            "core.bad_source", source=source, error=error.message, setting=setting
        ) from error


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError("core.not_utf8", path=path, line=line) from error
    except ValueError as error:  # not TOML, or a number with 5,000 digits
        raise SettingsError("core.not_toml", path=path, detail=str(error)) from error
    except OSError as error:
        raise SettingsError("core.unreadable", path=path, detail=error.strerror) from error


def _set_value(values: dict[str, Any], keys: list[str], text: str, name: str) -> None:
    *parents, last = keys
    for parent in parents:
        values = values.setdefault(parent, {})
        if not isinstance(values, dict):
            raise SettingsError("core.value_conflict", name=name, parent=parent)
    values[last] = text


def _build(values: Mapping[str, Any]) -> Settings:
    """Build settings from these values; errors name the bad value and the fix."""
    types, sections = get_type_hints(Settings), {}
    known = {
        section: {setting.name.partition(".")[2]: setting for setting in settings}
        for section, _, settings in describe_settings()
    }
    for section, given in values.items():
        if section not in known:
            raise _unknown_setting(section, "", known)
        if not isinstance(given, Mapping):
            example = next(iter(known[section].values())).name
            raise SettingsError("core.not_a_section", setting=section, example=example)
        converted = {}
        for name, value in given.items():
            if name not in known[section]:
                raise _unknown_setting(name, f"{section}.", known[section])
            converted[name] = _convert(known[section][name], value)
        sections[section] = types[section](**converted)
    return Settings(**sections)


def _unknown_setting(name: str, prefix: str, siblings: Iterable[str]) -> SettingsError:
    """The error for an unknown name, with a suggestion if a known name is close."""
    suggestion = next(_similar_names(name, prefix, list(siblings)), "")
    if suggestion:
        return SettingsError("core.setting_typo", setting=prefix + name, suggestion=suggestion)
    return SettingsError("core.unknown_setting", setting=prefix + name)


def _similar_names(name: str, prefix: str, siblings: list[str]) -> Iterator[str]:
    """Known setting names similar to this one, best first: same name, same words, near spelling."""
    settings = [setting.name for _, _, section in describe_settings() for setting in section]
    by_last_part = {full.rpartition(".")[2]: full for full in settings}
    words = set(name.split("_"))
    if name in by_last_part:
        yield by_last_part[name]
    if not prefix:  # BYWAY_CRAWL_DELAY, with one underscore too few
        yield from difflib.get_close_matches(name, settings, n=1)
    yield from (prefix + each for each in siblings if words <= set(each.split("_")))
    yield from (prefix + each for each in difflib.get_close_matches(name, siblings, n=1))
    elsewhere = difflib.get_close_matches(name, by_last_part, n=1, cutoff=0.75)
    yield from (by_last_part[each] for each in elsewhere)


def _convert(setting: Setting, value: Any) -> Any:
    """Convert a value to the setting's type, and check its limits."""
    try:
        strict = not isinstance(value, str | Mapping)  # environment values are always text
        converted = msgspec.convert(_parse_text(setting, value), setting.type, strict=strict)
        numbers = converted.values() if isinstance(converted, Mapping) else (converted,)
        if any(isinstance(number, float) and not isfinite(number) for number in numbers):
            raise ValueError
    except (ValueError, msgspec.ValidationError) as error:
        params = {"setting": setting.name, "value": value, "expected": setting.type_message}
        raise SettingsError("core.bad_type", **params) from error
    if violation := _violation(setting, converted):
        raise SettingsError(violation.code, setting=setting.name, **violation.params)
    return converted


def _parse_text(setting: Setting, value: Any) -> Any:
    """Parse the text of a list or table; msgspec parses all other types."""
    kind = get_origin(setting.type)
    if not isinstance(value, str) or setting.type is str:
        return value
    if kind is tuple:
        return [part.strip() for part in value.split(",") if part.strip()]
    return value.strip() if kind in (None, Literal) else json.loads(value)


def _violation(setting: Setting, value: Any) -> Message:
    """The error for a value outside its limits; an empty message if it is valid."""
    limits = setting.constraint
    if isinstance(limits, Check):
        return limits.violation(value)
    try:
        msgspec.convert(value, setting.annotation)
    except msgspec.ValidationError:
        if limits.ge is not None and value < limits.ge:
            return Message("core.too_small", value=value, minimum=limits.ge)
        if limits.lt is not None:
            return Message("core.not_below", value=value, maximum=limits.lt)
        return Message("core.too_large", value=value, maximum=limits.le)
    return Message()
