"""Is this part of a site a trap? Endless pages that all say the same are paused, and say so.

    traps = Traps()
    if not traps.refusal(url) and not traps.is_paused(url): ...
    if paused := traps.saw(url, simhash, kept=True):
        print(paused)       # paused /calendar/{n}/{n}: 400 URLs, 97 % near-duplicates

A trap is known by what comes of it and not by its looks: a manual of a thousand pages is none,
be they numbered or not.
"""

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from byway.core.errors import UsageError
from byway.core.model import Url
from byway.core.url import host_of
from byway.crawl.traps.pattern_stats import NEAR, Tally
from byway.crawl.traps.url_pattern import (
    Kind,
    Pattern,
    crookedness,
    number_of,
    patterns_of,
    template_of,
)

__all__ = ["Paused", "Row", "Thresholds", "Traps", "template_of"]

MASK = (1 << 64) - 1

Standing = Literal["counted", "paused", "resumed", "dropped"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When enough is enough."""

    share: float = 0.9
    """The share of pages that say nothing new at which a pattern is paused."""
    template: int = 200
    """URLs of one template that are tried before it is judged."""
    choices: int = 100
    """Choices of parameters for one path, likewise."""
    folder: int = 400
    host: int = 1000
    pages: int = 50
    """Pages in a row with ever higher numbers that said nothing new: a list without an end."""
    segments: int = 20
    parameters: int = 8
    suspect: int = 10
    """Pages that say what another said, before a host is asked for a page that cannot exist."""
    repeats: int = 2
    """How often the same segments, or the same parameter, may follow one another."""
    patterns: int = 50_000
    """Patterns counted at once, of 1 KB at most; the one seen longest ago is forgotten first."""

    def before(self, kind: Kind) -> int:
        """URLs that are tried before a pattern of this kind is judged."""
        match kind:
            case Kind.TEMPLATE:
                return self.template
            case Kind.CHOICES:
                return self.choices
            case Kind.FOLDER:
                return self.folder
        return self.host


@dataclass(frozen=True, slots=True)
class Paused:
    """Part of a host that is not visited for now, and why."""

    host: str
    pattern: str
    urls: int
    """How many of its URLs were visited."""
    share: float
    """How many of the last of them said nothing new."""
    reason: str

    def __str__(self) -> str:
        share = f"{self.share * 100:.0f} %"
        return f"paused {self.pattern}: {self.urls:,} URLs, {share} {self.reason}"


class Row(NamedTuple):
    """What is known of one pattern, for a store to keep."""

    host: str
    pattern: str
    standing: Standing
    urls: int = 0
    share: float = 0.0
    reason: str = ""
    tried: int = 0
    near: int = 0
    lost: int = 0
    empty: int = 0
    highest: int = -1
    in_a_row: int = 0
    contents: bytes = b""


class Traps:
    """Counts what comes of the URLs of each pattern, and pauses those that bring nothing new."""

    def __init__(self, thresholds: Thresholds | None = None, rows: Iterable[Row] = ()) -> None:
        self._thresholds = thresholds or Thresholds()
        self._tallies: OrderedDict[tuple[str, str], Tally] = OrderedDict()
        self._verdicts: dict[str, dict[str, tuple[Standing, Paused]]] = {}
        self._missing: OrderedDict[str, int] = OrderedDict()
        for row in rows:
            self._restore(row)

    def refusal(self, url: Url) -> str:
        """Why this URL is never visited: its very shape, or that its pattern was dropped."""
        limits = self._thresholds
        crooked = crookedness(url, limits.segments, limits.parameters, limits.repeats)
        standing, verdict = self._verdict(url)
        dropped = f"dropped as a trap: {verdict.pattern}" if standing == "dropped" else ""
        return crooked or dropped

    def is_paused(self, url: Url) -> bool:
        """Is it part of a pattern that is paused?"""
        return self._verdict(url)[0] == "paused"

    def saw(self, url: Url, simhash: int | None, kept: bool) -> Paused | None:
        """Take note of what came of a URL; the pattern that is paused because of it, if any is.

        To be told once for each URL: a page that is visited again is its own duplicate. The
        simhash is best made without numbers, in which the months of a calendar differ. None
        or 0 says that there was no text; not `kept`, that there was no page.
        """
        if self._verdict(url)[0] != "counted":
            return None
        host, number = host_of(url), number_of(url)
        content = (simhash or 0) & MASK
        lost = self._is_missing(host, content)
        # What parameters do is not held against a folder: filters would close a whole shop.
        patterns = [one for one in patterns_of(url) if "?" in one.text or "?" not in url]
        tallies = [self._tally(host, pattern.text) for pattern in patterns]
        for tally in tallies:
            tally.count(content, kept, lost, number)
        for at, pattern in enumerate(patterns):
            if paused := self._judged(host, pattern, tallies[at]):
                for wider in tallies[at + 1 :]:
                    wider.without(tallies[at])
                self._verdicts.setdefault(host, {})[pattern.text] = ("paused", paused)
                self._tallies.pop((host, pattern.text), None)
                return paused
        return None

    def pause_host(self, host: str, urls: int, share: float, reason: str) -> Paused | None:
        """Pause a whole host, unless somebody has decided on it; None if nothing changes."""
        whole = "/*"
        if whole in self._verdicts.get(host, {}):
            return None
        paused = Paused(host, whole, urls, share, reason)
        self._verdicts.setdefault(host, {})[whole] = ("paused", paused)
        self._tallies.pop((host, whole), None)
        return paused

    def is_suspect(self, host: str) -> bool:
        """Do many of its pages say the same, so that we should know what its 404s look like?"""
        tally = self._tallies.get((host, "/*"))
        return tally is not None and tally.near >= self._thresholds.suspect

    def missing(self, host: str, simhash: int) -> None:
        """This is what the host says, with status 200, for a page that cannot exist."""
        self._missing[host] = simhash & MASK
        while len(self._missing) > self._thresholds.patterns:
            self._missing.popitem(last=False)

    def _is_missing(self, host: str, simhash: int) -> bool:
        """Does a page say what the host says for pages that do not exist?"""
        known = self._missing.get(host)
        return known is not None and ((simhash & MASK) ^ known).bit_count() <= NEAR

    def paused(self) -> list[Paused]:
        """Every pattern that is paused now."""
        every = [one for verdicts in self._verdicts.values() for one in verdicts.values()]
        return [paused for standing, paused in every if standing == "paused"]

    def resume(self, host: str, pattern: str) -> None:
        """Visit it after all, and never pause it again: somebody has looked at it."""
        self._decide(host, pattern, "resumed")

    def drop(self, host: str, pattern: str) -> None:
        """It is a trap indeed: its URLs are refused from now on."""
        self._decide(host, pattern, "dropped")

    def rows(self) -> Iterator[Row]:
        """All that must be kept for `Traps(thresholds, rows)` to go on from here."""
        for (host, pattern), tally in self._tallies.items():
            yield Row(
                host,
                pattern,
                "counted",
                tally.urls,
                tried=tally.tried,
                near=tally.near,
                lost=tally.lost,
                empty=tally.empty,
                highest=tally.highest,
                in_a_row=tally.in_a_row,
                contents=tally.contents.tobytes(),
            )
        for host, verdicts in self._verdicts.items():
            for pattern, (standing, paused) in verdicts.items():
                yield Row(host, pattern, standing, paused.urls, paused.share, paused.reason)

    def _restore(self, row: Row) -> None:
        if row.standing != "counted":
            paused = Paused(row.host, row.pattern, row.urls, row.share, row.reason)
            self._verdicts.setdefault(row.host, {})[row.pattern] = (row.standing, paused)
            return
        self._tallies[row.host, row.pattern] = Tally(
            row.urls,
            row.tried,
            row.near,
            row.lost,
            row.empty,
            row.highest,
            row.in_a_row,
            array("Q", row.contents),
        )

    def _tally(self, host: str, pattern: str) -> Tally:
        tally = self._tallies.setdefault((host, pattern), Tally())
        self._tallies.move_to_end((host, pattern))
        while len(self._tallies) > self._thresholds.patterns:
            self._tallies.popitem(last=False)
        return tally

    def _judged(self, host: str, pattern: Pattern, tally: Tally) -> Paused | None:
        if pattern.kind is Kind.TEMPLATE and tally.in_a_row >= self._thresholds.pages:
            what = "soft 404s" if 2 * tally.lost > tally.in_a_row else "nothing new"
            reason = f"{what}, page after page up to {tally.highest}"
            return Paused(host, pattern.text, tally.in_a_row, 1.0, reason)
        enough = self._thresholds.before(pattern.kind)
        if tally.tried < enough:
            return None
        # A host with thousands of broken links is no trap: there, only what it says counts.
        share = tally.near / tally.tried if pattern.kind is Kind.HOST else tally.share
        if share >= self._thresholds.share:
            return Paused(host, pattern.text, tally.urls, share, _reason(pattern, tally))
        if tally.tried >= 2 * enough:
            tally.fade()
        return None

    def _verdict(self, url: Url) -> tuple[Standing, Paused]:
        """What was decided on the narrowest pattern of a URL on which something was decided."""
        verdicts = self._verdicts.get(host_of(url))
        if verdicts:
            for pattern in patterns_of(url):
                if pattern.text in verdicts:
                    return verdicts[pattern.text]
        return UNDECIDED

    def _decide(self, host: str, pattern: str, standing: Standing) -> None:
        known = self._verdicts.get(host, {}).get(pattern)
        if known is None:
            raise UsageError(f"nothing is paused as {pattern} on {host}")
        self._verdicts[host][pattern] = (standing, known[1])


UNDECIDED: tuple[Standing, Paused] = ("counted", Paused("", "", 0, 0.0, ""))


def traps_of(rows: Iterable[tuple[object, ...]], thresholds: Thresholds | None = None) -> Traps:
    """The traps that a store has kept."""
    return Traps(thresholds, [Row(*row) for row in rows])  # type: ignore[arg-type]


def _reason(pattern: Pattern, tally: Tally) -> str:
    """What is wrong with most of these pages."""
    if tally.empty > tally.near:
        return "empty or missing"
    if 2 * tally.lost > tally.near:
        return "soft 404s"
    if pattern.kind is Kind.CHOICES:
        return "near-duplicates, whatever the parameters"
    return "near-duplicates"
