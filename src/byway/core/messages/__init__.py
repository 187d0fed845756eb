"""Messages (a code and its parameters), and their texts in every interface language (i18n).

Programs use the code and the parameters; people read the text in their own language.

`en.toml` and `ru.toml` hold the texts, here and in the `messages/` folder of a vertical; a table
with `one`, `few`, `many`, `other` has the plural forms for `count`. Placeholders may have a format:
`{pages:n}` groups digits, `{bytes:size}`, `{seconds:duration}` and `{share:percent}` add units,
`{limit:literal}` is a number as written in settings, `{state:state}` is the label of a URL state,
`{names:list}` joins with commas, `{names:clauses}` with semicolons, `{years:range}` with a dash,
and `{has_more:more}` adds "and others" if it is true. Python's number formats, such as
`{seconds:g}`, use the separators of the language.

    with speaking("ru"):
        t("search.results", count=3)
"""

import json
import re
import string
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib.resources import files
from numbers import Real
from typing import Any, ClassVar, Self

PLURAL_FORMS = {"one", "few", "many", "other"}
DEFAULT_LANGUAGE = "en"
LANGUAGE: ContextVar[str] = ContextVar("language", default=DEFAULT_LANGUAGE)
"""The language of the terminal or of the current request."""
SIZE_UNITS = ("B", "kB", "MB", "GB", "TB")
TIME_UNITS = ((86400, "days"), (3600, "hours"), (60, "minutes"))

Text = str | Mapping[str, str]

OMISSION_MARK = "…"
"""Replaces parameters that vary by URL in a generalized message."""
KIND_PARAMS = frozenset(
    (
        *("status", "phrase", "media_type", "encoding", "times", "network", "pattern"),
        *("error", "exit_code", "signal", "limit"),
    )
)
"""Parameters that tell kinds of messages apart, as do limits such as `max_bytes`.

Any other parameter may vary by URL, so messages that differ in it are counted as one kind.
"""


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """A code and its parameters: `Reason("redirect", to=url)`. Falsy without a code."""

    code: str
    items: tuple[tuple[str, object], ...]
    """The parameters in the given order: texts, numbers or other messages."""

    section: ClassVar[str] = ""
    """The section of the message files with the texts of this kind."""

    def __init__(self, code: str = "", /, **params: object) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "items", tuple(params.items()))

    def __bool__(self) -> bool:
        return bool(self.code)

    def __str__(self) -> str:
        """`code name=value …`, for the log. `text` gives the text."""
        return " ".join((self.code, *(f"{name}={value}" for name, value in self.items)))

    @property
    def key(self) -> str:
        """The key of its text in the message files."""
        return f"{self.section}.{self.code}" if self.section else self.code

    @property
    def params(self) -> dict[str, object]:
        """The parameters by name."""
        return dict(self.items)

    def dump_params(self) -> str:
        """The parameters as JSON, for a database column; empty if there are none."""
        return json.dumps(_plain(self.items), ensure_ascii=False) if self.items else ""

    @classmethod
    def load(cls, code: str, params: str = "") -> Self:
        """Restore a message from its stored code and parameters."""
        return cls.from_plain(code, json.loads(params) if params else {})

    @classmethod
    def from_plain(cls, code: str, params: Mapping[str, object]) -> Self:
        """The message with these parameters; a nested message is a `{"code": …}` mapping."""
        return cls(code, **{name: cls._param(value) for name, value in params.items()})

    @classmethod
    def _param(cls, value: object) -> object:
        if isinstance(value, Mapping) and "code" in value:
            return cls.from_plain(str(value["code"]), value.get("params", {}))
        return tuple(map(cls._param, value)) if isinstance(value, list) else value

    def generalize(self) -> Self:
        """The message with only its `KIND_PARAMS`, to count messages by kind."""
        return type(self)(
            self.code, **{name: _general_param(name, value) for name, value in self.items}
        )

    def to_plain(self) -> dict[str, object]:
        """Code and parameters as plain values, for JSON."""
        return {"code": self.code, "params": _plain(self.items)}


class Reason(Message):
    """The reason for a URL's state, or for another crawl event."""

    __slots__ = ()
    section = "reason"


NO_REASON = Reason()


def group_reasons(counts: Mapping[Reason, int]) -> list[tuple[Reason, int]]:
    """Reasons by kind with their counts, most frequent first."""
    grouped: Counter[Reason] = Counter()
    for reason, count in counts.items():
        grouped[reason.generalize()] += count
    return grouped.most_common()


class Diagnosis(Message):
    """A finding about a query: why nothing matches, how a word was interpreted."""

    __slots__ = ()
    section = "diagnosis"


class Damage(Message):
    """Damage to an index file."""

    __slots__ = ()
    section = "error.index.damage"


def _general_param(name: str, value: object) -> object:
    if isinstance(value, Message):
        return value.generalize()
    return value if name in KIND_PARAMS or name.startswith("max_") else OMISSION_MARK


def _plain(items: tuple[tuple[str, object], ...]) -> dict[str, object]:
    return {name: _plain_value(value) for name, value in items}


def _plain_value(value: object) -> object:
    if isinstance(value, Message):
        return value.to_plain()
    return list(map(_plain_value, value)) if isinstance(value, tuple) else value


@cache
def languages() -> tuple[str, ...]:
    """The languages with a message file; English first."""
    names = sorted(file.name for file in files(__package__).iterdir())
    codes = [name.removesuffix(".toml") for name in names if name.endswith(".toml")]
    return tuple(sorted(codes, key=lambda code: (code != DEFAULT_LANGUAGE, code)))


@cache
def catalogue(language: str) -> dict[str, Text]:
    """All texts of a language by dotted key: `reason.redirect`."""
    texts: dict[str, Text] = {}
    for folder in sorted(files("byway").iterdir(), key=lambda folder: folder.name):
        file = folder / "messages" / f"{language}.toml"
        if file.is_file():
            texts |= _flat(tomllib.loads(file.read_text("utf-8")), "")
    return texts


def add_messages(language: str, source: str) -> None:
    """Add the texts of a message file (TOML); existing texts are not replaced."""
    texts = catalogue(language)
    for key, added in _flat(tomllib.loads(source), ""):
        texts.setdefault(key, added)


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Text]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and not value.keys() <= PLURAL_FORMS:
            yield from _flat(value, f"{key}.")
        else:
            yield key, value


def t(key: str, /, count: int | str | None = None, **params: object) -> str:
    """The text with this key in the current language, with placeholders filled in."""
    language = LANGUAGE.get()
    found = catalogue(language)[key]
    number = count if isinstance(count, int) else 0
    if count is not None:
        params["count"] = count if isinstance(count, str) else grouped(count)
    template = found if isinstance(found, str) else found[plural_form(language, number)]
    return FORMATTER.vformat(template, (), params) if params else template


def has_text(key: str) -> bool:
    """Whether the current language has a text with this key."""
    return key in catalogue(LANGUAGE.get())


def text(message: Message) -> str:
    """The text of a message in the current language; empty for an empty message.

    A stored message may come from another version, so an unknown code is shown as is.
    """
    if not message:
        return ""
    params = message.params
    count = params.pop("count", None)
    try:
        return t(message.key, count if isinstance(count, int | str) else None, **params)
    except (KeyError, ValueError, TypeError):
        return message.code


def state_label(state: str) -> str:
    """The short name of a URL state, such as `out of scope`; the code if unknown."""
    key = f"state.label.{state}"
    return t(key) if has_text(key) else state


def message_as_json(message: Message) -> dict[str, object] | None:
    """Code, parameters and text of a message, for JSON; None for an empty message."""
    return message.to_plain() | {"text": text(message)} if message else None


def as_json(value: object) -> Any:
    """A value as plain types for JSON: dataclasses as objects, messages with code and text."""
    if isinstance(value, Message):
        return message_as_json(value)
    if is_dataclass(value):
        return {item.name: as_json(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {name: as_json(one) for name, one in value.items()}
    return [as_json(one) for one in value] if isinstance(value, list | tuple) else value


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Use this language for messages within the block."""
    token = LANGUAGE.set(language)
    try:
        yield
    finally:
        LANGUAGE.reset(token)


def language_of(environment: Mapping[str, str]) -> str:
    """The language set by LC_ALL, LC_MESSAGES or LANG, if it has a message file."""
    chosen = next(
        (environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)),
        "",
    )
    code = re.split(r"[_.@-]", chosen, maxsplit=1)[0].lower()
    return code if code in languages() else DEFAULT_LANGUAGE


def plural_form(language: str, count: int) -> str:
    """The plural form for a number: `one` or `other`; in Russian `one`, `few` or `many`."""
    if language != "ru":
        return "one" if count == 1 else "other"
    if count % 10 == 1 and count % 100 != 11:
        return "one"
    return "few" if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else "many"


def grouped(number: float) -> str:
    """A number with thousands separators: 1,234 in English, 1 234 in Russian."""
    return decimal(number, ",")


def decimal(number: float | Real, format_spec: str) -> str:
    """A number in one of Python's formats, with the separators of the current language."""
    separators = {",": t("units.thousands_separator"), ".": t("units.decimal_separator")}
    return "".join(
        separators.get(character, character) for character in format(number, format_spec)
    )


def size(byte_count: float) -> str:
    """A size such as `1.2 MB`."""
    amount, place = float(byte_count), 0
    while amount >= 999.5 and place + 1 < len(SIZE_UNITS):
        amount, place = amount / 1000, place + 1
    return f"{decimal(amount, '.3g')} {t(f'units.{SIZE_UNITS[place]}')}"


def duration(seconds: float) -> str:
    """A duration such as `5 minutes`, in the largest unit that gives a whole number."""
    for length, name in TIME_UNITS:
        if seconds >= length and seconds % length == 0:
            return t(f"units.{name}", count=int(seconds // length))
    if seconds == int(seconds):
        return t("units.seconds", count=int(seconds))
    return t("units.fraction_of_seconds", number=decimal(seconds, "g"))


class _Formatter(string.Formatter):
    """Fills placeholders; supports this module's formats as well as Python's own."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Message):
            return text(value)
        if format_spec == "state":
            return state_label(value)
        if isinstance(value, str):
            return value  # OMISSION_MARK replaces numbers in a generalized message
        if format_spec in FORMATS:
            return FORMATS[format_spec](value)
        if format_spec and isinstance(value, Real):
            return decimal(value, format_spec)
        return str(format(value, format_spec))


def _joined(values: Sequence[object], separator: str = ", ") -> str:
    texts = (text(value) if isinstance(value, Message) else str(value) for value in values)
    return separator.join(texts)


FORMATS: Mapping[str, Callable[[Any], str]] = {
    "n": grouped,
    "size": size,
    "duration": duration,
    "percent": lambda share: f"{100 * share:.0f}{t('units.percent')}",
    "literal": lambda number: f"{number:g}",
    "list": _joined,
    "range": lambda ends: "–".join(map(str, ends)),
    "more": lambda has_more: t("search.and_others") if has_more else "",
    "clauses": lambda values: _joined(values, "; "),
}
FORMATTER = _Formatter()
