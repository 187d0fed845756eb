"""robots.txt parser and matcher (RFC 9309, as interpreted by Google's matcher).

>>> robots = parse(b"User-agent: *\\nDisallow: /private\\nAllow: /private/but-not-this$")
>>> robots.decide("byway", Url("http://example.org/private/diary"))[:3]
(False, 'Disallow: /private', 2)
>>> robots.decide("byway", Url("http://example.org/private/but-not-this")).allowed
True
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from byway.core.messages import Reason
from byway.core.model import Url
from byway.core.model.url_state import RobotsDecision
from byway.core.url import path_of

MAX_ROBOTS_BYTES = 512 * 1024
"""Maximum bytes read of a robots.txt; RFC 9309 asks for at least 500 KiB."""

MAX_LINE_BYTES = 2083 * 8 - 1
"""Length at which Google truncates a line: eight times the maximum URL length of old browsers."""

WHITESPACE = " \t\n\v\f\r"
PRODUCT_TOKEN_PATTERN = re.compile(r"[a-zA-Z_-]*")
ESCAPE_PATTERN = re.compile(r"%[0-9a-fA-F]{2}|[\x80-\xff]")
WILDCARD_AGENT_PATTERN = re.compile(r"\*(\s|$)", re.ASCII)
DELAY_SECONDS_PATTERN = re.compile(r"\d{1,9}(\.\d{1,9})?|\.\d{1,9}", re.ASCII)
WORD_GAP_PATTERN = re.compile(r"[ \t]+")
WILDCARD_AGENT = "*"

USER_AGENT, ALLOW, DISALLOW, SITEMAP, CRAWL_DELAY = range(5)

#: Prefixes of directive names, including the misspellings that Google accepts.
DIRECTIVE_PREFIXES: tuple[tuple[int, tuple[str, ...]], ...] = (
    (DISALLOW, ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")),
    (ALLOW, ("allow",)),
    (USER_AGENT, ("user-agent", "useragent", "user agent")),
    (SITEMAP, ("sitemap", "site-map")),
    (CRAWL_DELAY, ("crawl-delay", "crawldelay", "crawl delay")),
)


DEFAULT_DECISION = RobotsDecision(True)


class RobotsRule(NamedTuple):
    """One Allow or Disallow line; `pattern` is percent-encoded as URLs are."""

    allow: bool
    pattern: str
    line: int


class _CompiledRule(NamedTuple):
    """A rule prepared for matching: `prefix` and `substring` are quick checks before `pieces`."""

    prefix: str
    substring: str
    pieces: tuple[str, ...] | None
    is_anchored: bool
    decision: RobotsDecision


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The parsed robots.txt of a host."""

    groups: Mapping[str, list[RobotsRule]] = field(default_factory=dict)
    """Rules by lower-case user agent; `*` for all others."""
    crawl_delays: Mapping[str, float] = field(default_factory=dict)
    sitemaps: tuple[str, ...] = ()
    default_decision: RobotsDecision = DEFAULT_DECISION
    """The decision if no rule matches."""
    _compiled: dict[str, list[_CompiledRule]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def decide(self, user_agent: str, url: Url) -> RobotsDecision:
        """Whether the robot with this product token may visit `url`; the longest match decides."""
        agent = user_agent.lower()
        agent = agent if agent in self.groups else WILDCARD_AGENT
        rules = self._compiled.get(agent)
        if rules is None:
            rules = self._compiled[agent] = _compile_rules(self.groups.get(agent, []))
        path = path_of(url)
        for prefix, substring, pieces, is_anchored, decision in rules:
            if (
                path.startswith(prefix)
                and substring in path
                and (pieces is None or _pieces_match(path, len(prefix), pieces, is_anchored))
            ):
                return decision
        return self.default_decision

    def crawl_delay(self, user_agent: str) -> float | None:
        """The Crawl-delay for this robot, in seconds; None if not set."""
        return self.crawl_delays.get(user_agent.lower(), self.crawl_delays.get(WILDCARD_AGENT))


ALLOW_ALL = RobotsRules()


def product_token(user_agent: str) -> str:
    """The product token of a user agent: `byway` in `byway/0.1 (+https://…)`."""
    found = PRODUCT_TOKEN_PATTERN.match(user_agent)
    return found.group() if found else ""


def from_response(status: int, body: bytes) -> RobotsRules:
    """The rules for this response to a robots.txt request."""
    if 200 <= status < 300:
        return parse(body)
    reason = Reason("robots_status", status=status)
    if status == 429 or status >= 500:
        return disallow_all(reason)
    return RobotsRules(default_decision=RobotsDecision(True, no_rule_reason=reason))


def disallow_all(reason: Reason) -> RobotsRules:
    """Rules that forbid everything, for this reason."""
    return RobotsRules(default_decision=RobotsDecision(False, no_rule_reason=reason))


def parse(body: bytes) -> RobotsRules:
    """Parse a robots.txt; invalid lines are skipped."""
    parser = _RobotsParser()
    for number, line in enumerate(_lines(body), 1):
        kind, value = _parse_line(line)
        if kind == USER_AGENT:
            parser.add_user_agent(value)
        elif kind in (ALLOW, DISALLOW):
            parser.add_rule(RobotsRule(kind == ALLOW, _escape(value), number))
        elif kind == CRAWL_DELAY:
            parser.add_crawl_delay(value)
        elif kind == SITEMAP and value:
            parser.sitemaps[value.encode("latin-1").decode("utf-8", "replace")] = None
    return RobotsRules(parser.groups, parser.crawl_delays, tuple(parser.sitemaps))


class _RobotsParser:
    """The rules parsed so far and the user agents of the current group."""

    def __init__(self) -> None:
        self.groups: dict[str, list[RobotsRule]] = {}
        self.crawl_delays: dict[str, float] = {}
        self.sitemaps: dict[str, None] = {}
        self._rule_agents: dict[str, None] = {}
        self._delay_agents: dict[str, None] = {}
        self._group_closed = self._delay_group_closed = False

    def add_user_agent(self, value: str) -> None:
        # Only rules close a group. Crawl-delay, which Google ignores, closes the group only
        # for delays, as in Bing and Yandex.
        if self._group_closed:
            self._rule_agents = {}
        if self._group_closed or self._delay_group_closed:
            self._delay_agents = {}
        self._group_closed = self._delay_group_closed = False
        agent = (
            WILDCARD_AGENT if WILDCARD_AGENT_PATTERN.match(value) else product_token(value).lower()
        )
        self._rule_agents[agent] = self._delay_agents[agent] = None
        self.groups.setdefault(agent, [])

    def add_rule(self, rule: RobotsRule) -> None:
        self._group_closed = bool(self._rule_agents)
        for agent in self._rule_agents:
            self.groups[agent].append(rule)

    def add_crawl_delay(self, value: str) -> None:
        self._delay_group_closed = True
        if found := DELAY_SECONDS_PATTERN.match(value):
            for agent in self._delay_agents:
                self.crawl_delays[agent] = max(
                    float(found.group()), self.crawl_delays.get(agent, 0.0)
                )


def _lines(body: bytes) -> list[str]:
    """The lines as Latin-1, one character per byte: rules are compared byte by byte."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", "replace").encode()
    body = body.removeprefix(b"\xef\xbb\xbf")
    if len(body) > MAX_ROBOTS_BYTES:
        # Drop the truncated last line: `Allow: /open` must not become `Allow: /`.
        body = body[: 1 + max(body.rfind(end, 0, MAX_ROBOTS_BYTES) for end in (b"\n", b"\r"))]
    text = body.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _parse_line(line: str) -> tuple[int, str]:
    """The directive of a line and its value; -1 for an unknown directive."""
    line = line[:MAX_LINE_BYTES].partition("#")[0].partition("\0")[0].strip(WHITESPACE)
    if not line:
        return -1, ""
    key, colon, value = line.partition(":")
    if not colon:
        # If the colon is missing, two words are read as key and value.
        words = WORD_GAP_PATTERN.split(line)
        if len(words) != 2:
            return -1, ""
        key, value = words
    key = key.lower()
    for kind, prefixes in DIRECTIVE_PREFIXES:
        if key.startswith(prefixes):
            return kind, value.strip(WHITESPACE)
    return -1, ""


def _escape(pattern: str) -> str:
    """The pattern percent-encoded as in normalized URLs: non-ASCII bytes escaped, %c3 as %C3."""
    if "%" not in pattern and pattern.isascii():
        return pattern
    return ESCAPE_PATTERN.sub(_percent_encode, pattern)


def _percent_encode(found: re.Match[str]) -> str:
    text = found.group()
    return text.upper() if len(text) == 3 else f"%{ord(text):02X}"


def _compile_rules(rules: list[RobotsRule]) -> list[_CompiledRule]:
    """The rules in order of precedence: longest first, Allow before Disallow."""
    every = dict.fromkeys(rules)
    for rule in rules:
        folder, slash, name = rule.pattern.rpartition("/")
        if rule.allow and slash and name.startswith("index.htm"):
            # For Google, `Allow: /index.html` allows `/` as well.
            every[rule._replace(pattern=f"{folder}/$")] = None
    ordered = sorted(every, key=lambda rule: (-len(rule.pattern), not rule.allow, rule.line))
    # A rule without a pattern has no effect.
    return [_compile(rule) for rule in ordered if rule.pattern]


def _compile(rule: RobotsRule) -> _CompiledRule:
    is_anchored = rule.pattern.endswith("$")
    prefix, *pieces = rule.pattern.removesuffix("$").split("*")
    substring = max(pieces, key=len, default="")
    name = "Allow" if rule.allow else "Disallow"
    decision = RobotsDecision(rule.allow, f"{name}: {rule.pattern}", rule.line)
    plain = not pieces and not is_anchored
    return _CompiledRule(prefix, substring, None if plain else tuple(pieces), is_anchored, decision)


def _pieces_match(path: str, at: int, pieces: tuple[str, ...], is_anchored: bool) -> bool:
    """Whether the pieces occur in order from `at`; each is matched at its first occurrence.

    Greedy matching is linear, and exact because only the last piece can be anchored.
    """
    end = len(path)
    if is_anchored:
        if not pieces:
            return at == end
        if not path.endswith(pieces[-1]):
            return False
        end -= len(pieces[-1])
        pieces = pieces[:-1]
    for piece in pieces:
        at = path.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return at <= end
