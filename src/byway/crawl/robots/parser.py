"""Does this site let us? robots.txt, read as RFC 9309 says (as Google's matcher reads it).

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

from byway.core.model import Url
from byway.core.model.message import Reason
from byway.core.url import path_of

MAX_ROBOTS_BYTES = 512 * 1024
"""RFC 9309 asks for 500 KiB at least; what comes after is not read."""

MAX_LINE_BYTES = 2083 * 8 - 1
"""Where Google cuts a line: eight times the longest URL that old browsers open."""

WHITESPACE = " \t\n\v\f\r"
PRODUCT_TOKEN_PATTERN = re.compile(r"[a-zA-Z_-]*")
ESCAPE_PATTERN = re.compile(r"%[0-9a-fA-F]{2}|[\x80-\xff]")
WILDCARD_AGENT_PATTERN = re.compile(r"\*(\s|$)", re.ASCII)
DELAY_SECONDS_PATTERN = re.compile(r"\d{1,9}(\.\d{1,9})?|\.\d{1,9}", re.ASCII)
WORD_GAP_PATTERN = re.compile(r"[ \t]+")
WILDCARD_AGENT = "*"

USER_AGENT, ALLOW, DISALLOW, SITEMAP, CRAWL_DELAY = range(5)

#: How the keys of lines begin, typing errors that Google forgives included.
DIRECTIVE_PREFIXES: tuple[tuple[int, tuple[str, ...]], ...] = (
    (DISALLOW, ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")),
    (ALLOW, ("allow",)),
    (USER_AGENT, ("user-agent", "useragent", "user agent")),
    (SITEMAP, ("sitemap", "site-map")),
    (CRAWL_DELAY, ("crawl-delay", "crawldelay", "crawl delay")),
)


class RobotsDecision(NamedTuple):
    """May we? And the rule that says so, with its line in the file; 0 when no line does."""

    allowed: bool
    rule: str = ""
    line: int = 0
    no_rule_reason: Reason = Reason("robots_no_rule")
    """Why it is so where no line decides."""

    @property
    def reason(self) -> Reason:
        """The rule that decides, or what does where none matches."""
        if self.line:
            return Reason("robots_rule", line=self.line, rule=self.rule)
        return self.no_rule_reason


DEFAULT_DECISION = RobotsDecision(True)


class RobotsRule(NamedTuple):
    """One Allow or Disallow line; `pattern` is percent-encoded as URLs are."""

    allow: bool
    pattern: str
    line: int


class _CompiledRule(NamedTuple):
    """A rule cut up for matching: its text must begin, contain and then follow these."""

    prefix: str
    substring: str
    pieces: tuple[str, ...] | None
    is_anchored: bool
    decision: RobotsDecision


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What a site asks of robots."""

    groups: Mapping[str, list[RobotsRule]] = field(default_factory=dict)
    """The rules for each user agent, in lower case; `*` is everyone else."""
    crawl_delays: Mapping[str, float] = field(default_factory=dict)
    sitemaps: tuple[str, ...] = ()
    default_decision: RobotsDecision = DEFAULT_DECISION
    """What holds where no rule speaks."""
    _ready: dict[str, list[_CompiledRule]] = field(default_factory=dict, repr=False, compare=False)

    def decide(self, user_agent: str, url: Url) -> RobotsDecision:
        """May the robot of this product token visit `url`? The longest rule that fits decides."""
        agent = user_agent.lower()
        agent = agent if agent in self.groups else WILDCARD_AGENT
        rules = self._ready.get(agent)
        if rules is None:
            rules = self._ready[agent] = _by_length(self.groups.get(agent, []))
        path = path_of(url)
        for start, contain, pieces, to_the_end, decision in rules:
            if (
                path.startswith(start)
                and contain in path
                and (pieces is None or _fits(path, len(start), pieces, to_the_end))
            ):
                return decision
        return self.default_decision

    def crawl_delay(self, user_agent: str) -> float | None:
        """How many seconds this robot is asked to wait between two visits."""
        return self.crawl_delays.get(user_agent.lower(), self.crawl_delays.get(WILDCARD_AGENT))


ALLOW_ALL = RobotsRules()


def product_token(user_agent: str) -> str:
    """The name robots.txt knows us by: `byway` of `byway/0.1 (+https://…)`."""
    found = PRODUCT_TOKEN_PATTERN.match(user_agent)
    return found.group() if found else ""


def from_response(status: int, body: bytes) -> RobotsRules:
    """What the answer to a request for robots.txt means."""
    if 200 <= status < 300:
        return parse(body)
    answer = Reason("robots_status", status=status)
    if status == 429 or status >= 500:
        return disallow_all(answer)
    return RobotsRules(default_decision=RobotsDecision(True, no_rule_reason=answer))


def disallow_all(reason: Reason) -> RobotsRules:
    """Robots that may visit nothing, for this reason."""
    return RobotsRules(default_decision=RobotsDecision(False, no_rule_reason=reason))


def parse(body: bytes) -> RobotsRules:
    """Read a robots.txt; there is none so damaged that it cannot be read."""
    reading = _RobotsParser()
    for number, line in enumerate(_lines(body), 1):
        kind, value = _read(line)
        if kind == USER_AGENT:
            reading.add_user_agent(value)
        elif kind in (ALLOW, DISALLOW):
            reading.add_rule(RobotsRule(kind == ALLOW, _escaped(value), number))
        elif kind == CRAWL_DELAY:
            reading.add_crawl_delay(value)
        elif kind == SITEMAP and value:
            reading.sitemaps[value.encode("latin-1").decode("utf-8", "replace")] = None
    return RobotsRules(reading.groups, reading.crawl_delays, tuple(reading.sitemaps))


class _RobotsParser:
    """Whom the line at hand speaks to, and what has been said so far."""

    def __init__(self) -> None:
        self.groups: dict[str, list[RobotsRule]] = {}
        self.crawl_delays: dict[str, float] = {}
        self.sitemaps: dict[str, None] = {}
        self._ruled: dict[str, None] = {}
        self._slowed: dict[str, None] = {}
        self._closed = self._delay_closed = False

    def add_user_agent(self, value: str) -> None:
        # Only rules close a group. For delays, which Google does not know, a delay does too:
        # Bing and Yandex read them so.
        if self._closed:
            self._ruled = {}
        if self._closed or self._delay_closed:
            self._slowed = {}
        self._closed = self._delay_closed = False
        agent = (
            WILDCARD_AGENT if WILDCARD_AGENT_PATTERN.match(value) else product_token(value).lower()
        )
        self._ruled[agent] = self._slowed[agent] = None
        self.groups.setdefault(agent, [])

    def add_rule(self, rule: RobotsRule) -> None:
        self._closed = bool(self._ruled)
        for agent in self._ruled:
            self.groups[agent].append(rule)

    def add_crawl_delay(self, value: str) -> None:
        self._delay_closed = True
        if found := DELAY_SECONDS_PATTERN.match(value):
            for agent in self._slowed:
                self.crawl_delays[agent] = max(
                    float(found.group()), self.crawl_delays.get(agent, 0.0)
                )


def _lines(body: bytes) -> list[str]:
    """The lines as text of one character for each byte, as rules are compared byte by byte."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", "replace").encode()
    body = body.removeprefix(b"\xef\xbb\xbf")
    if len(body) > MAX_ROBOTS_BYTES:
        # The last line may be cut in two, and `Allow: /` must not be left of `Allow: /open`.
        body = body[: 1 + max(body.rfind(end, 0, MAX_ROBOTS_BYTES) for end in (b"\n", b"\r"))]
    text = body.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _read(line: str) -> tuple[int, str]:
    """What kind of line it is, and its value; -1 for all we do not know."""
    line = line[:MAX_LINE_BYTES].partition("#")[0].partition("\0")[0].strip(WHITESPACE)
    if not line:
        return -1, ""
    key, colon, value = line.partition(":")
    if not colon:
        # Some forget the colon; two words in a row are read as if it was there.
        words = WORD_GAP_PATTERN.split(line)
        if len(words) != 2:
            return -1, ""
        key, value = words
    key = key.lower()
    for kind, beginnings in DIRECTIVE_PREFIXES:
        if key.startswith(beginnings):
            return kind, value.strip(WHITESPACE)
    return -1, ""


def _escaped(pattern: str) -> str:
    """The pattern as URLs are spelt: bytes above ASCII as %C3, and %c3 as %C3."""
    if "%" not in pattern and pattern.isascii():
        return pattern
    return ESCAPE_PATTERN.sub(_percent, pattern)


def _percent(found: re.Match[str]) -> str:
    text = found.group()
    return text.upper() if len(text) == 3 else f"%{ord(text):02X}"


def _by_length(rules: list[RobotsRule]) -> list[_CompiledRule]:
    """The rules so ordered that the first which fits decides: long before short, Allow first."""
    every = dict.fromkeys(rules)
    for rule in rules:
        folder, slash, name = rule.pattern.rpartition("/")
        if rule.allow and slash and name.startswith("index.htm"):
            # Google takes `Allow: /index.html` to open `/` as well.
            every[rule._replace(pattern=f"{folder}/$")] = None
    ordered = sorted(every, key=lambda rule: (-len(rule.pattern), not rule.allow, rule.line))
    # A rule without a pattern says nothing.
    return [_made_ready(rule) for rule in ordered if rule.pattern]


def _made_ready(rule: RobotsRule) -> _CompiledRule:
    to_the_end = rule.pattern.endswith("$")
    start, *pieces = rule.pattern.removesuffix("$").split("*")
    contain = max(pieces, key=len, default="")
    name = "Allow" if rule.allow else "Disallow"
    decision = RobotsDecision(rule.allow, f"{name}: {rule.pattern}", rule.line)
    plain = not pieces and not to_the_end
    return _CompiledRule(start, contain, None if plain else tuple(pieces), to_the_end, decision)


def _fits(path: str, at: int, pieces: tuple[str, ...], to_the_end: bool) -> bool:
    """Do the pieces follow one another from `at`? Each is taken where it first occurs.

    That loses nothing, as only the last can be tied to the end, and nothing is tried twice:
    no pattern is slow.
    """
    end = len(path)
    if to_the_end:
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
