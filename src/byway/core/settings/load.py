"""Loading of settings from a file, the environment and options; the last one wins.

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
from byway.core.model.message import Message
from byway.core.settings.schema import Settings
from byway.core.settings.validators import Minimum, SettingConstraint

ENV_PREFIX = "BYWAY_"
RESERVED_ENV_NAMES = {"BYWAY_DATA", "BYWAY_TEST_DATA"}
"""Environment variables that are not settings: the data folder and the shared test data."""

S = TypeVar("S")
SettingsCheck = Callable[[Settings], object]
"""A further check, which raises a SettingsError for a bad value."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The description of one setting."""

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
    """Every section with its description and settings, for byway.toml, --help and the docs."""
    for section in fields(Settings):
        cls = get_type_hints(Settings)[section.name]
        defaults = cls()
        hints = get_type_hints(cls, include_extras=True)
        settings = []
        for item in fields(cls):
            value_type, help, *constraints = get_args(hints[item.name])
            setting = Setting(
                name=f"{section.name}.{item.name}",
                type_name=_type_description(value_type),
                default=getattr(defaults, item.name),
                help=help,
                constraints=tuple(constraints),
            )
            settings.append(setting)
        yield section.name, (cls.__doc__ or "").strip(), settings


def load_settings(
    path: Path | None,
    environ: Mapping[str, str],
    overrides: Iterable[str] = (),
    extra_check: SettingsCheck | None = None,
) -> Settings:
    """Settings from a TOML file, the environment and `--set` options; the last wins.

    `extra_check` checks each source separately, so that its error names the source, and the result.
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
    settings: Settings = _build(Settings, values)
    if extra_check:
        extra_check(settings)
    return check_settings(settings)


def to_toml(settings: Settings) -> str:
    """A settings file with every setting in it; those at their defaults are commented out."""
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


def check_settings(settings: Settings) -> Settings:
    """The same settings, if every value is valid; else an error that names the setting."""
    _check_constraints(settings)
    crawl = settings.crawl
    constraint = Minimum(crawl.min_revisit_days)
    _check_value("crawl.max_revisit_days", constraint, crawl.max_revisit_days)
    return settings


def to_toml_value(value: object) -> str:
    """A value in TOML; JSON agrees with TOML for all types that settings have."""
    if isinstance(value, Mapping):
        pairs = (f"{_toml_key(key)} = {to_toml_value(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else to_toml_value(name)


def _check_constraints(settings: Settings) -> None:
    """Check each value against its own constraints, independent of other values."""
    for section, _, section_settings in describe_settings():
        for setting in section_settings:
            value = getattr(getattr(settings, section), setting.name.partition(".")[2])
            for constraint in setting.constraints:
                _check_value(setting.name, constraint, value)


def _check_value(name: str, constraint: SettingConstraint, value: object) -> None:
    if violation := constraint.violation(value):
        raise SettingsError(violation.code, setting=name, **violation.params)


def _check_source(
    source: str | Message, values: dict[str, Any], extra_check: SettingsCheck | None
) -> None:
    """Check the values of one source alone, so that the error can name the source."""
    try:
        settings: Settings = _build(Settings, values)
        _check_constraints(settings)
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
    except ValueError as error:  # not TOML, or a number of 5,000 digits
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


def _build(cls: type[S], values: Any, prefix: str = "") -> S:
    """A `cls` with these values; an error names the wrong key and the likely right one."""
    if not isinstance(values, Mapping):
        example = prefix + next(iter(get_type_hints(cls)))
        raise SettingsError("core.not_a_section", setting=prefix[:-1], example=example)
    types = get_type_hints(cls)
    converted = {}
    for name, value in values.items():
        if name not in types:
            raise _unknown_setting(name, prefix, types)
        converted[name] = _convert(types[name], value, prefix + name)
    return cls(**converted)


def _unknown_setting(name: str, prefix: str, siblings: Iterable[str]) -> SettingsError:
    """The error for an unknown name, with a suggestion if a known name is close."""
    suggestion = next(_similar_names(name, prefix, list(siblings)), "")
    if suggestion:
        return SettingsError("core.setting_typo", setting=prefix + name, suggestion=suggestion)
    return SettingsError("core.unknown_setting", setting=prefix + name)


def _similar_names(name: str, prefix: str, siblings: list[str]) -> Iterator[str]:
    """Known names like this one, best first: the same name elsewhere, its words, its spelling."""
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


def _convert(value_type: Any, value: Any, name: str) -> Any:
    if isinstance(value_type, type) and is_dataclass(value_type):
        return _build(value_type, value, name + ".")
    try:
        return _convert_value(value_type, value)
    except (KeyError, TypeError, ValueError) as error:
        expected = _type_message(value_type)
        raise SettingsError(
            "core.bad_type", setting=name, value=value, expected=expected
        ) from error


def _convert_value(value_type: Any, value: Any) -> Any:
    """The value as that type; text is parsed, because the environment has nothing else."""
    origin = get_origin(value_type)
    if origin is Literal:
        if value not in get_args(value_type):
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
        return {str(key): _convert_value(float, item) for key, item in value.items()}
    if value_type is bool:
        return {"true": True, "false": False}[str(value).lower()]
    if isinstance(value, bool) or (value_type is int and isinstance(value, float)):
        raise TypeError
    if value_type is str and not isinstance(value, str):
        raise TypeError
    converted = value_type(value)
    if value_type is float and not isfinite(converted):
        raise ValueError
    return converted


TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "text"}
TYPE_DESCRIPTIONS = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "text": "a text",
    "list": "a list of texts",
    "table": "a table of numbers",
}


def _type_key(value_type: Any) -> str:
    origin = get_origin(value_type)
    if origin is Literal:
        return "choice"
    if origin is tuple:
        return "list"
    return TYPE_NAMES[value_type] if origin is None else "table"


def _type_message(value_type: Any) -> Message:
    """The expected type, for an error message."""
    key = _type_key(value_type)
    params = {"choices": get_args(value_type)} if key == "choice" else {}
    return Message(f"error.core.type.{key}", **params)


def _type_description(value_type: Any) -> str:
    """The expected type in English, for the reference page."""
    key = _type_key(value_type)
    if key == "choice":
        return "one of " + ", ".join(get_args(value_type))
    return TYPE_DESCRIPTIONS[key]
