"""Everything a user may change, with its default and what it means.

    byway.toml  <  BYWAY_CRAWL__DELAY=2  <  --set crawl.delay=2

A setting is a field: its annotation says its type and, in words, what it does. Parts of the
program are given their own section, never the whole.
"""

import difflib
import json
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from ipaddress import ip_network
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from byway.errors import SettingsError

PREFIX = "BYWAY_"
RESERVED = {"BYWAY_DATA"}
"""Names of the environment that are no settings: where the data folder is."""
ORIGIN = re.compile(r"\*|https?://[^\s/?#@*A-Z]+")
"""A web site as browsers name it when a script of it asks; or all of them."""

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
    host_pattern: Annotated[
        str, "A regular expression: links are followed to hosts that match, whatever the scope."
    ] = ""
    path_pattern: Annotated[
        str, "A regular expression: links are followed to paths that match; seeds need not."
    ] = ""
    keep_pattern: Annotated[
        str, "A regular expression: only paths that match are kept; others are walked for links."
    ] = ""
    firewall: Annotated[
        bool, "Never follow a link from one seed's site to another's, though both are in scope."
    ] = False
    order: Annotated[
        Literal["breadth", "best"],
        "Which page of a host is next: the one nearest to a seed, or the one most linked to.",
    ] = "breadth"
    tracking: Annotated[
        tuple[str, ...],
        "Further query parameters that say nothing about a page, as x_*; the usual ones "
        "(utm_*, gclid, session ids) are left out anyway.",
    ] = ()
    usual_tracking: Annotated[
        bool, "Leave the usual tracking parameters and session ids out of URLs."
    ] = True
    trap_share: Annotated[
        float, "Pause a pattern of URLs when this share of its pages says nothing new; 1 never."
    ] = 0.9
    max_depth: Annotated[int, "Links followed from a seed before we stop."] = 20
    max_pages: Annotated[int, "Pages kept before the crawl stops; 0 means no limit."] = 0
    max_urls_per_host: Annotated[
        int, "URLs of one host that are ever queued; 0 means no limit."
    ] = 0
    hosts_in_memory: Annotated[
        int, "Hosts that wait in memory, at about 3 KB each; the others wait on disk."
    ] = 50_000
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
        "text/markdown",
        "application/pdf",
    )
    tries: Annotated[int, "How often a page that does not come is asked for."] = 3
    retry_after: Annotated[
        float, "Seconds before the second try; each further one waits four times longer."
    ] = 60.0
    sitemaps: Annotated[bool, "Take URLs from the sitemaps and feeds of a host."] = True
    favicons: Annotated[
        bool, "Ask each host once for its favicon, which is shown beside its hits."
    ] = False
    ignore_robots: Annotated[
        tuple[str, ...],
        "Hosts whose robots.txt is not asked for: your own, where you know what you do.",
    ] = ()
    again_least: Annotated[float, "Days before a page that keeps changing is seen again."] = 1.0
    again_most: Annotated[float, "Days before a page that never changes is seen again."] = 60.0
    free_disk: Annotated[int, "Megabytes of disk that are left free; below, a crawl waits."] = 500


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """How pages are read."""

    workers: Annotated[int, "Processes that read pages; 0 means one for each core."] = 0
    seconds: Annotated[float, "How long one page may take before its reader is killed."] = 5.0
    memory: Annotated[int, "Megabytes one reader may use."] = 1024
    max_links: Annotated[int, "Links taken from one page."] = 10_000
    max_text: Annotated[int, "Characters of text kept of one page."] = 2_000_000
    noindex_regions: Annotated[bool, "Leave out parts of a page that it marks noindex."] = True


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How documents become findable."""

    memory: Annotated[int, "Megabytes for documents that are not on disk yet."] = 128
    threads: Annotated[int, "Threads that build the index."] = 1
    batch: Annotated[int, "Documents made findable at a time."] = 1000
    vocabulary: Annotated[int, "Words whose spelling is known, for slips of the typist."] = 200_000
    numbers: Annotated[
        Literal["all", "years"],
        "Which numbers can be found: all, or only short ones and those that may be years.",
    ] = "all"


@dataclass(frozen=True, slots=True)
class RankSettings:
    """What links say about pages."""

    damping: Annotated[float, "How likely a reader is to follow a link rather than jump."] = 0.85
    tolerance: Annotated[float, "Stop when the ranks move less than this in all."] = 1e-10
    iterations: Annotated[int, "Stop after this many rounds in any case."] = 200
    nofollow: Annotated[bool, "Count links that are marked nofollow."] = False
    self_links: Annotated[bool, "Count links of a page to itself."] = False
    repeated_links: Annotated[
        bool, "Count a link as often as its page has it, and not only once."
    ] = False
    within_site: Annotated[
        float, "How much a link within a site counts; one to another site counts 1."
    ] = 1.0
    menus: Annotated[
        float, "How much a link counts that most pages of its host have; one of few counts 1."
    ] = 0.03
    trusted: Annotated[
        tuple[str, ...], "Hosts or sites (registrable domains) that jumps lead to more often."
    ] = ()
    topic: Annotated[str, "A query: jumps lead more often to the pages that match it best."] = ""
    bias: Annotated[
        float,
        "The share of jumps that leads to trusted sites and pages of the topic, where there are "
        "any; the others lead anywhere.",
    ] = 0.8
    memory: Annotated[
        int, "Megabytes that ranking may use; links that do not fit are kept on disk meanwhile."
    ] = 1024


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How answers are found and ordered."""

    candidates: Annotated[int, "Pages that are ordered by all signals."] = 200
    snippet: Annotated[int, "Characters of the text shown under a title."] = 220
    in_a_row: Annotated[int, "Hits of one host in a row; 0 for as many as there are."] = 2
    slips: Annotated[bool, "Look for words that are spelt nearly like one that is not known."] = (
        True
    )
    weights: Annotated[
        Mapping[str, float], "How much each signal counts; `byway explain` shows them at work."
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The search page."""

    host: Annotated[
        str, "The address to listen on; one that others can reach needs an admin account first."
    ] = "127.0.0.1"
    port: Annotated[int, "The port to listen on; 0 takes any free one."] = 8600
    title: Annotated[str, "The name at the top of the search page."] = "byway"
    names: Annotated[
        tuple[str, ...], "The host names it answers to, besides localhost, as search.example.org."
    ] = ()
    proxies: Annotated[
        tuple[str, ...],
        "Addresses or networks of reverse proxies that are believed when they say who is asking "
        "(X-Forwarded-For) and whether over https (X-Forwarded-Proto).",
    ] = ()
    images: Annotated[
        bool, "Show pictures on the page of pictures; they are loaded from the sites they are on."
    ] = False
    private: Annotated[bool, "Only who is logged in may search."] = False
    registration: Annotated[
        Literal["closed", "invitation", "open"],
        "Who may make an account: nobody, who has an admin's invitation, or everybody.",
    ] = "closed"
    session_days: Annotated[float, "Days after which one must log in again."] = 30.0
    cors: Annotated[
        tuple[str, ...],
        "Web sites whose scripts may ask the API, as https://example.org; * means all of them.",
    ] = ()
    searches: Annotated[int, "Searches worked on at once."] = 4
    waiting: Annotated[
        int, "Searches that may wait for their turn; all others are told to come back."
    ] = 16
    patience: Annotated[float, "Seconds a search waits for its turn at most."] = 0.5


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
    _named(str(path), values)
    for name, text in environ.items():
        if name.startswith(PREFIX) and name not in RESERVED:
            place = name.removeprefix(PREFIX).lower().split("__")
            alone: dict[str, Any] = {}
            _put(alone, place, text, name)
            _named(f"{name} in the environment", alone)
            _put(values, place, text, name)
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
    crawl, extract, rank = settings.crawl, settings.extract, settings.rank
    for name, networks in (
        ("crawl.allow_private", crawl.allow_private),
        ("serve.proxies", settings.serve.proxies),
    ):
        for network in networks:
            try:
                ip_network(network)
            except ValueError as error:
                raise SettingsError(f'{name}: {error}; write networks, as "10.0.0.0/8"') from error
    for origin in settings.serve.cors:
        if not ORIGIN.fullmatch(origin):
            raise SettingsError(
                f"serve.cors: {origin!r} is no web site as browsers name it; write the scheme and "
                'the host, without a path or a slash at the end, as "https://example.org"'
            )
    if not (crawl.user_agent.strip() and crawl.user_agent.isprintable()):
        raise SettingsError(
            f"crawl.user_agent = {crawl.user_agent!r} must be one line of text, "
            'as "mybot (+https://example.org/bot)"'
        )
    for name, pattern in (
        ("crawl.host_pattern", crawl.host_pattern),
        ("crawl.path_pattern", crawl.path_pattern),
        ("crawl.keep_pattern", crawl.keep_pattern),
    ):
        try:
            re.compile(pattern)
        except re.error as error:
            raise SettingsError(
                f"{name} = {pattern!r} is no regular expression: {error}; "
                r"write \( for a bracket that is meant as one, and so with other signs"
            ) from error
    for name, value, least in (
        ("crawl.delay", crawl.delay, 0),
        ("crawl.longest_delay", crawl.longest_delay, 0),
        ("crawl.concurrency", crawl.concurrency, 1),
        ("crawl.max_depth", crawl.max_depth, 0),
        ("crawl.max_pages", crawl.max_pages, 0),
        ("crawl.max_urls_per_host", crawl.max_urls_per_host, 0),
        ("crawl.hosts_in_memory", crawl.hosts_in_memory, 100),
        ("crawl.again_least", crawl.again_least, 0),
        ("crawl.again_most", crawl.again_most, crawl.again_least),
        ("crawl.timeout", crawl.timeout, 0.1),
        ("crawl.tries", crawl.tries, 1),
        ("crawl.retry_after", crawl.retry_after, 0),
        ("crawl.max_bytes", crawl.max_bytes, 1),
        ("extract.workers", extract.workers, 0),
        ("extract.seconds", extract.seconds, 0.1),
        ("extract.memory", extract.memory, 64),
        ("extract.max_links", extract.max_links, 0),
        ("extract.max_text", extract.max_text, 1),
        ("index.memory", settings.index.memory, 15),
        ("index.threads", settings.index.threads, 1),
        ("index.batch", settings.index.batch, 1),
        ("index.vocabulary", settings.index.vocabulary, 0),
        ("rank.tolerance", rank.tolerance, 0),
        ("rank.iterations", rank.iterations, 1),
        ("rank.within_site", rank.within_site, 0),
        ("rank.menus", rank.menus, 0),
        ("rank.memory", rank.memory, 1),
        ("search.candidates", settings.search.candidates, 10),
        ("search.snippet", settings.search.snippet, 20),
        ("search.in_a_row", settings.search.in_a_row, 0),
        ("serve.port", settings.serve.port, 0),
        ("serve.session_days", settings.serve.session_days, 0.01),
        ("serve.searches", settings.serve.searches, 1),
        ("serve.waiting", settings.serve.waiting, 0),
        ("serve.patience", settings.serve.patience, 0.01),
    ):
        if value < least:
            raise SettingsError(f"{name} = {value} is too small; the least is {least}")
    if not 0 <= rank.damping < 1:
        raise SettingsError(f"rank.damping = {rank.damping} must be at least 0 and below 1")
    if not 0 <= rank.bias <= 1:
        raise SettingsError(f"rank.bias = {rank.bias} must be from 0 to 1")
    return settings


def as_toml(value: object) -> str:
    """A value as TOML writes it; JSON agrees with TOML for all that settings are made of."""
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {as_toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else as_toml(name)


def _named(source: str, values: dict[str, Any]) -> None:
    """Say where a wrong setting stands."""
    try:
        _build(Settings, values)
    except SettingsError as error:
        raise SettingsError(f"{source}: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # not TOML, not UTF-8, or a number of 5,000 digits
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
    every = [setting.name for _, _, section in described() for setting in section]
    last = {full.rpartition(".")[2]: full for full in every}
    near = [full for full in every if full.rpartition(".")[2] == name]
    near += difflib.get_close_matches(where + name, [*every, *(where + one for one in known)], n=1)
    near += [last[one] for one in difflib.get_close_matches(name, last, n=1)]
    return f"; did you mean {near[0]}?" if near else "; `byway init` writes a file with all of them"


def _convert(kind: Any, value: Any, where: str) -> Any:
    if is_dataclass(kind):
        return _build(kind, value, where + ".")  # type: ignore[arg-type]
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
