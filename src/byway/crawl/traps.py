"""Is this part of a site a trap? Endless pages that all say the same are paused, and say so.

    traps = Traps()
    if not traps.refusal(url) and not traps.is_paused(url): ...
    if paused := traps.saw(url, simhash, kept=True):
        print(paused)       # paused /calendar/{n}/{n}: 400 URLs, 97 % near-duplicates

It knows only what it is told, so a trap is paused by what came of it and not by how it looks: a
manual of a thousand pages is none, be they numbered or not.
"""

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from byway.crawl.shape import Kind, Pattern, crookedness, number_of, patterns_of, template_of
from byway.errors import UsageError
from byway.model import Url
from byway.url import host_of

__all__ = ["Paused", "Row", "Thresholds", "Traps", "template_of"]

NEAR = 3
"""Bits of 64 in which the simhashes of pages that say the same may differ."""
REMEMBERED = 64
"""Contents of a pattern that a page is compared with: a year of months, two of weekdays."""
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
    """Choices of parameters for one path, likewise; a village shop has 60 for a shelf."""
    folder: int = 400
    host: int = 1000
    pages: int = 50
    """Pages in a row with ever higher numbers that said nothing new: a list without an end."""
    segments: int = 20
    parameters: int = 8
    repeats: int = 2
    """How often the same segments, or the same parameter, may follow one another."""
    patterns: int = 50_000
    """Patterns counted at once; the one seen longest ago is forgotten first."""

    def before(self, kind: Kind) -> int:
        """URLs that are tried before a pattern of this kind is judged."""
        return {
            Kind.TEMPLATE: self.template,
            Kind.CHOICES: self.choices,
            Kind.FOLDER: self.folder,
            Kind.HOST: self.host,
        }[kind]


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
    standing: str
    urls: int
    share: float
    reason: str
    counts: tuple[int, ...]
    contents: bytes


@dataclass(slots=True)
class _Tally:
    """What came of the URLs of one pattern. All but `urls` and `highest` fade with time."""

    urls: int = 0
    tried: int = 0
    near: int = 0
    """Said what another had said."""
    lost: int = 0
    """Of those, how many said what the host says when there is no such page."""
    empty: int = 0
    """Had no text, or were no page."""
    highest: int = -1
    in_a_row: int = 0
    """How many in a row had a higher number than any before, and nothing new."""
    contents: array[int] = field(default_factory=lambda: array("Q"))

    @property
    def share(self) -> float:
        return (self.near + self.empty) / max(self.tried, 1)

    def count(self, simhash: int, kept: bool, lost: bool, number: int) -> None:
        self.urls += 1
        self.tried += 1
        new = False
        if not kept or not simhash:
            self.empty += 1
        elif lost or any((simhash ^ other).bit_count() <= NEAR for other in self.contents):
            self.near += 1
            self.lost += lost
        else:
            new = True
            del self.contents[: len(self.contents) - REMEMBERED + 1]
            self.contents.append(simhash)
        if kept and number > self.highest:  # a 404 is the end that a list should have
            self.highest = number
            self.in_a_row = 0 if new else self.in_a_row + 1

    def fade(self) -> None:
        """What is past counts half, so that a trap is seen even behind thousands of pages."""
        self.tried //= 2
        self.near //= 2
        self.lost //= 2
        self.empty //= 2

    def without(self, other: "_Tally") -> None:
        """Forget what was counted here and in `other`."""
        self.tried = max(self.tried - other.tried, 0)
        self.near = max(self.near - other.near, 0)
        self.lost = max(self.lost - other.lost, 0)
        self.empty = max(self.empty - other.empty, 0)


class Traps:
    """Counts what comes of the URLs of each pattern, and pauses those that bring nothing new."""

    def __init__(self, thresholds: Thresholds | None = None, rows: Iterable[Row] = ()) -> None:
        self._thresholds = thresholds or Thresholds()
        self._tallies: OrderedDict[tuple[str, str], _Tally] = OrderedDict()
        self._verdicts: dict[str, dict[str, tuple[Standing, Paused]]] = {}
        self._missing: OrderedDict[str, int] = OrderedDict()
        for row in rows:
            self._restore(row)

    def refusal(self, url: Url) -> str:
        """Why this URL is never visited: its very shape, or that its pattern was dropped."""
        limits = self._thresholds
        crooked = crookedness(url, limits.segments, limits.parameters, limits.repeats)
        dropped = self._verdict(url, "dropped")
        return crooked or (f"dropped as a trap: {dropped.pattern}" if dropped else "")

    def is_paused(self, url: Url) -> bool:
        """Is it part of a pattern that is paused?"""
        return self._verdict(url, "paused") is not None

    def saw(self, url: Url, simhash: int | None, kept: bool) -> Paused | None:
        """Take note of what came of a URL; the pattern that is paused because of it, if any is.

        To be told once for each URL: a page that is visited again is its own duplicate. The
        simhash is best made without numbers, in which the months of a calendar differ. None
        or 0 says that there was no text; not `kept`, that there was no page.
        """
        host, number = host_of(url), number_of(url)
        content = (simhash or 0) & MASK
        missing = self._missing.get(host)
        lost = missing is not None and (content ^ missing).bit_count() <= NEAR
        patterns = patterns_of(url)
        tallies = [self._tally(host, pattern.text) for pattern in patterns]
        for tally in tallies:
            tally.count(content, kept, lost, number)
        for at, pattern in enumerate(patterns):
            if paused := self._judged(host, pattern, tallies[at]):
                for wider in tallies[at + 1 :]:
                    wider.without(tallies[at])
                self._verdicts.setdefault(host, {})[pattern.text] = ("paused", paused)
                del self._tallies[host, pattern.text]
                return paused
        return None

    def missing(self, host: str, simhash: int) -> None:
        """This is what the host says, with status 200, for a page that cannot exist."""
        self._missing[host] = simhash & MASK
        while len(self._missing) > self._thresholds.patterns:
            self._missing.popitem(last=False)

    def paused(self) -> list[Paused]:
        """Every pattern that is paused now."""
        return [
            paused
            for verdicts in self._verdicts.values()
            for standing, paused in verdicts.values()
            if standing == "paused"
        ]

    def resume(self, host: str, pattern: str) -> None:
        """Visit it after all, and never pause it again: somebody has looked at it."""
        self._decide(host, pattern, "resumed")

    def drop(self, host: str, pattern: str) -> None:
        """It is a trap indeed: its URLs are refused from now on."""
        self._decide(host, pattern, "dropped")

    def rows(self) -> Iterator[Row]:
        """All that must be kept for `Traps(thresholds, rows)` to go on from here."""
        for (host, pattern), tally in self._tallies.items():
            counts = (tally.urls, tally.tried, tally.near, tally.lost, tally.empty)
            counts += (tally.highest, tally.in_a_row)
            contents = tally.contents.tobytes()
            yield Row(host, pattern, "counted", tally.urls, tally.share, "", counts, contents)
        for host, verdicts in self._verdicts.items():
            for pattern, (standing, paused) in verdicts.items():
                urls, share, reason = paused.urls, paused.share, paused.reason
                yield Row(host, pattern, standing, urls, share, reason, (), b"")

    def _restore(self, row: Row) -> None:
        if row.standing == "counted":
            self._tallies[row.host, row.pattern] = _Tally(*row.counts, array("Q", row.contents))
            return
        paused = Paused(row.host, row.pattern, row.urls, row.share, row.reason)
        standing: Standing = row.standing  # type: ignore[assignment]  # as `rows` wrote it
        self._verdicts.setdefault(row.host, {})[row.pattern] = (standing, paused)

    def _tally(self, host: str, pattern: str) -> _Tally:
        tally = self._tallies.setdefault((host, pattern), _Tally())
        self._tallies.move_to_end((host, pattern))
        while len(self._tallies) > self._thresholds.patterns:
            self._tallies.popitem(last=False)
        return tally

    def _judged(self, host: str, pattern: Pattern, tally: _Tally) -> Paused | None:
        if pattern.text in self._verdicts.get(host, ()):
            return None
        paused = Paused(host, pattern.text, tally.urls, tally.share, _reason(pattern, tally))
        if pattern.kind is Kind.TEMPLATE and tally.in_a_row >= self._thresholds.pages:
            reason = f"nothing new, page after page up to {tally.highest}"
            return replace(paused, urls=tally.in_a_row, share=1.0, reason=reason)
        enough = self._thresholds.before(pattern.kind)
        if tally.tried < enough:
            return None
        # A host with thousands of broken links is no trap: only what it says counts.
        said = tally.near / tally.tried if pattern.kind is Kind.HOST else tally.share
        if said >= self._thresholds.share:
            return replace(paused, share=said)
        if tally.tried >= 2 * enough:
            tally.fade()
        return None

    def _verdict(self, url: Url, standing: Standing) -> Paused | None:
        verdicts = self._verdicts.get(host_of(url))
        if not verdicts:
            return None
        found = (verdicts.get(pattern.text) for pattern in patterns_of(url))
        return next((one[1] for one in found if one and one[0] == standing), None)

    def _decide(self, host: str, pattern: str, standing: Standing) -> None:
        known = self._verdicts.get(host, {}).get(pattern)
        if known is None:
            raise UsageError(f"nothing is paused as {pattern} on {host}; `paused` lists what is")
        self._verdicts[host][pattern] = (standing, known[1])


def _reason(pattern: Pattern, tally: _Tally) -> str:
    """What is wrong with most of these pages."""
    if tally.empty > tally.near:
        return "empty or missing"
    if 2 * tally.lost > tally.near:
        return "soft 404s"
    if pattern.kind is Kind.CHOICES:
        return "near-duplicates, whatever the parameters"
    return "near-duplicates"
