"""Messages as values: a code and its parameters. `byway.core.messages` turns them into text.

Programs use the code and the parameters; people read the text in their own language.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

OMISSION_MARK = "…"
"""Replaces parameters that vary by URL in a generalized message."""
VARYING_PARAMS = frozenset(
    (
        *("url", "to", "location", "host", "site", "address", "options", "text", "file", "offset"),
        *(
            "bytes",
            "seconds",
            "depth",
            "failures",
            "line",
            "rule",
            "path",
            "segments",
            "parameters",
        ),
        *("parameter", "chunks", "detail"),
    )
)
"""Parameters to leave out when counting messages by kind; limits and codes are kept."""


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
        """`code name=value …`, for the log. `byway.core.messages.text` gives the text."""
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
        """The message without parameters that vary by URL, to count messages by kind."""
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
    return OMISSION_MARK if name in VARYING_PARAMS else value


def _plain(items: tuple[tuple[str, object], ...]) -> dict[str, object]:
    return {name: _plain_value(value) for name, value in items}


def _plain_value(value: object) -> object:
    if isinstance(value, Message):
        return value.to_plain()
    return list(map(_plain_value, value)) if isinstance(value, tuple) else value
