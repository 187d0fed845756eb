"""Everything a user may change, with its default and what it means.

    byway.toml  <  BYWAY_CRAWL__DELAY=2  <  --set crawl.delay=2

A setting is a field: its annotation says its type and, in words, what it does. Parts of the
program are given their own section, never the whole.
"""

import difflib
import json
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from byway.errors import SettingsError

PREFIX = "BYWAY_"
RESERVED = {"BYWAY_DATA"}
"""Names of the environment that are no settings: where the data folder is."""

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """How we visit other people's machines."""

    user_agent: Annotated[
        str, "The name we give. Put a page or address in it where people can reach you."
    ] = "byway/0.1 (+https://byway.example/bot)"
    delay: Annotated[
        float, "Seconds between two requests to one host, unless its robots.txt asks for more."
    ] = 1.0
    longest_delay: Annotated[
        float, "A robots.txt may ask for at most this many seconds between requests."
    ] = 300.0
    concurrency: Annotated[int, "Requests under way at once, over all hosts."] = 64
    scope: Annotated[
        Literal["host", "site", "any"],
        "How far links are followed: on the seeds' hosts, their sites (registrable domains), "
        "or anywhere.",
    ] = "host"
    max_depth: Annotated[int, "Links followed from a seed before we stop."] = 20
    max_pages: Annotated[int, "Pages kept before the crawl stops; 0 means no limit."] = 0
    allow_private: Annotated[
        tuple[str, ...],
        'Networks that may be visited though they are private, as "127.0.0.0/8".',
    ] = ()
    timeout: Annotated[float, "Seconds one request may take in all."] = 30.0
    max_bytes: Annotated[int, "Bytes of a response that we take, and take decompressed."] = (
        8 * 1024 * 1024
    )
    types: Annotated[tuple[str, ...], "Media types that are kept."] = (
        "text/html",
        "application/xhtml+xml",
        "text/plain",
        "application/pdf",
    )
    tries: Annotated[int, "How often a page that does not come is asked for."] = 3
    retry_after: Annotated[
        float, "Seconds before the second try; each further one waits four times longer."
    ] = 60.0
    sitemaps: Annotated[bool, "Take URLs from the sitemaps that robots.txt names."] = True


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """How pages are read."""

    workers: Annotated[int, "Processes that read pages; 0 means one for each core."] = 0
    seconds: Annotated[float, "How long one page may take before its reader is killed."] = 5.0
    memory: Annotated[int, "Megabytes one reader may use."] = 1024
    max_links: Annotated[int, "Links taken from one page."] = 10_000
    max_text: Annotated[int, "Characters of text kept of one page."] = 2_000_000


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How documents become findable."""

    memory: Annotated[int, "Megabytes for documents that are not on disk yet."] = 128
    threads: Annotated[int, "Threads that build the index."] = 1
    batch: Annotated[int, "Documents made findable at a time."] = 1000


@dataclass(frozen=True, slots=True)
class RankSettings:
    """What links say about pages."""

    damping: Annotated[float, "How likely a reader is to follow a link rather than jump."] = 0.85
    tolerance: Annotated[float, "Stop when the ranks move less than this in all."] = 1e-9
    iterations: Annotated[int, "Stop after this many rounds in any case."] = 100


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How answers are found and ordered."""

    candidates: Annotated[int, "Pages that are ordered by all signals."] = 200
    snippet: Annotated[int, "Characters of the text shown under a title."] = 220
    weights: Annotated[
        Mapping[str, float], "How much each signal counts; `byway explain` shows them at work."
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The search page."""

    host: Annotated[str, "The address to listen on."] = "127.0.0.1"
    port: Annotated[int, "The port to listen on; 0 takes any free one."] = 8600
    title: Annotated[str, "The name at the top of the search page."] = "byway"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user may change."""

    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    rank: RankSettings = field(default_factory=RankSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, described."""

    name: str
    kind: str
    default: object
    help: str

    @property
    def toml(self) -> str:
        """The default as byway.toml writes it."""
        return as_toml(self.default)


def described() -> Iterator[tuple[str, str, list[Setting]]]:
    """Every section with its sentence and its settings: for byway.toml, --help and the docs."""
    for section in fields(Settings):
        cls = get_type_hints(Settings)[section.name]
        defaults = cls()
        hints = get_type_hints(cls, include_extras=True)
        settings = []
        for item in fields(cls):
            kind, help = get_args(hints[item.name])
            default = getattr(defaults, item.name)
            settings.append(Setting(f"{section.name}.{item.name}", _kind_name(kind), default, help))
        yield section.name, (cls.__doc__ or "").strip(), settings


def load(path: Path | None, environ: Mapping[str, str], overrides: Iterable[str] = ()) -> Settings:
    """Read settings from a TOML file, the environment and `--set` options; the last wins."""
    values = _read(path) if path and path.exists() else {}
    for name, text in environ.items():
        if name.startswith(PREFIX) and name not in RESERVED:
            _put(values, name.removeprefix(PREFIX).lower().split("__"), text, name)
    for option in overrides:
        name, equals, text = option.partition("=")
        if not equals:
            raise SettingsError(f"--set {option}: write it as --set crawl.delay=2")
        _put(values, name.strip().split("."), text, name)
    made: Settings = _build(Settings, values)
    return check(made)


def to_toml(settings: Settings) -> str:
    """A settings file with every setting in it; those at their defaults are commented out."""
    lines = ["# Settings of byway. Remove the # before a line to change it.", ""]
    for section, sentence, described_settings in described():
        lines += [f"[{section}]  # {sentence}"]
        for setting in described_settings:
            name = setting.name.partition(".")[2]
            value = getattr(getattr(settings, section), name)
            mark = "# " if value == setting.default else ""
            lines += [f"# {line}" for line in textwrap.wrap(setting.help, 94)]
            lines += [f"{mark}{name} = {as_toml(value)}", ""]
    return "\n".join(lines)


def check(settings: Settings) -> Settings:
    """The settings, if each value makes sense; else an error that names the one that does not."""
    crawl, rank = settings.crawl, settings.rank
    for network in crawl.allow_private:
        try:
            ip_network(network)
        except ValueError as error:
            raise SettingsError(
                f'crawl.allow_private: {error}; write networks, as "10.0.0.0/8"'
            ) from error
    for name, value, least in (
        ("crawl.delay", crawl.delay, 0),
        ("crawl.concurrency", crawl.concurrency, 1),
        ("crawl.max_depth", crawl.max_depth, 0),
        ("crawl.max_pages", crawl.max_pages, 0),
        ("crawl.tries", crawl.tries, 1),
        ("crawl.max_bytes", crawl.max_bytes, 1),
        ("extract.workers", settings.extract.workers, 0),
        ("index.memory", settings.index.memory, 15),
        ("index.threads", settings.index.threads, 1),
        ("index.batch", settings.index.batch, 1),
        ("rank.iterations", rank.iterations, 1),
        ("search.candidates", settings.search.candidates, 10),
        ("serve.port", settings.serve.port, 0),
    ):
        if value < least:
            raise SettingsError(f"{name} = {value} is too small; the least is {least}")
    if not 0 <= rank.damping < 1:
        raise SettingsError(f"rank.damping = {rank.damping} must be at least 0 and below 1")
    return settings


def as_toml(value: object) -> str:
    """A value as TOML writes it; JSON agrees with TOML for all that settings are made of."""
    if isinstance(value, Mapping):
        pairs = (f"{key} = {as_toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error


def _put(values: dict[str, Any], path: list[str], text: str, name: str) -> None:
    *parents, last = path
    for parent in parents:
        values = values.setdefault(parent, {})
        if not isinstance(values, dict):
            raise SettingsError(f"{name}: {parent} is a setting, not a section")
    values[last] = text


def _build(cls: type[S], values: Any, where: str = "") -> S:
    """Make a `cls` of `values`, or say exactly which key is wrong and what was meant."""
    if not isinstance(values, Mapping):
        raise SettingsError(f"{where.rstrip('.')} is a section; write [{where.rstrip('.')}]")
    types = get_type_hints(cls)
    made = {}
    for name, value in values.items():
        if name not in types:
            raise SettingsError(f"unknown setting {where}{name}{_meant(name, where, types)}")
        made[name] = _convert(types[name], value, where + name)
    return cls(**made)


def _meant(name: str, where: str, known: Iterable[str]) -> str:
    every = [setting.name for _, _, section in described() for setting in section]
    near = [where + other for other in difflib.get_close_matches(name, known, n=1)]
    near += [other for other in every if other.rpartition(".")[2] == name]
    near += difflib.get_close_matches(where + name, every, n=1)
    return f"; did you mean {near[0]}?" if near else "; `byway init` writes a file with all of them"


def _convert(kind: Any, value: Any, where: str) -> Any:
    if is_dataclass(kind):
        return _build(kind, value, where + ".")  # type: ignore[arg-type]
    try:
        return _value(kind, value)
    except (KeyError, TypeError, ValueError) as error:
        raise SettingsError(f"{where} = {value!r} is not {_kind_name(kind)}") from error


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
        return {str(key): float(item) for key, item in dict(value).items()}
    if kind is bool:
        return {"true": True, "false": False}[str(value).lower()]
    if kind is int and isinstance(value, float | bool):
        raise TypeError
    if kind is str and not isinstance(value, str):
        raise TypeError
    return kind(value)


def _kind_name(kind: Any) -> str:
    origin = get_origin(kind)
    if origin is Literal:
        return "one of " + ", ".join(get_args(kind))
    if origin is tuple:
        return "a list of texts"
    if origin is not None:
        return "a table of numbers"
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[kind]
