"""Is this part of a site a trap? Endless pages that all say the same are paused, and say so.

    traps = Traps()
    if not traps.refusal(url) and not traps.is_paused(url): ...
    if paused := traps.record_page(url, simhash, kept=True):
        print(text(paused.message))  # paused /calendar/{n}/{n}: 400 URLs, 97 % near-duplicates

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
from byway.core.model.message import NO_REASON, Reason
from byway.core.url import host_of
from byway.crawl.traps.pattern_stats import MAX_DUPLICATE_BITS, PatternStats
from byway.crawl.traps.url_pattern import (
    UrlPattern,
    UrlPatternKind,
    last_number,
    patterns_of,
    template_of,
    url_defect,
)

__all__ = ["PatternBudget", "PatternRow", "PausedPattern", "TrapThresholds", "template_of"]

SIMHASH_MASK = (1 << 64) - 1

PatternState = Literal["counted", "paused", "resumed", "dropped"]


@dataclass(frozen=True, slots=True)
class TrapThresholds:
    """When enough is enough."""

    redundant_share: float = 0.9
    """The share of pages that say nothing new at which a pattern is paused."""
    template_urls: int = 200
    """URLs of one template that are tried before it is judged."""
    parameter_urls: int = 100
    """Choices of parameters for one path, likewise."""
    folder_urls: int = 400
    host_urls: int = 1000
    max_redundant_run: int = 50
    """Pages in a row with ever higher numbers that said nothing new: a list without an end."""
    max_segments: int = 20
    max_parameters: int = 8
    suspect_duplicates: int = 10
    """Pages that say what another said, before a host is asked for a page that cannot exist."""
    max_repeats: int = 2
    """How often the same segments, or the same parameter, may follow one another."""
    max_patterns: int = 50_000
    """Patterns counted at once, of 1 KB at most; the one seen longest ago is forgotten first."""

    def min_urls(self, kind: UrlPatternKind) -> int:
        """URLs that are tried before a pattern of this kind is judged."""
        match kind:
            case UrlPatternKind.TEMPLATE:
                return self.template_urls
            case UrlPatternKind.PARAMETERS:
                return self.parameter_urls
            case UrlPatternKind.FOLDER:
                return self.folder_urls
        return self.host_urls


@dataclass(frozen=True, slots=True)
class PausedPattern:
    """Part of a host that is not visited for now, and why."""

    host: str
    pattern: str
    urls: int
    """How many of its URLs were visited."""
    redundant_share: float
    """How many of the last of them said nothing new."""
    reason: Reason

    @property
    def message(self) -> Reason:
        """All of it, for people."""
        return Reason(
            "trap.paused",
            pattern=self.pattern,
            count=self.urls,
            share=self.redundant_share,
            cause=self.reason,
        )


class PatternRow(NamedTuple):
    """What is known of one pattern, for a store to keep."""

    host: str
    pattern: str
    state: PatternState
    urls: int = 0
    redundant_share: float = 0.0
    reason: str = ""
    """The code of the reason."""
    reason_params: str = ""
    """Its parameters, as JSON."""
    recent_urls: int = 0
    duplicates: int = 0
    soft_404s: int = 0
    empty_pages: int = 0
    highest_number: int = -1
    redundant_run: int = 0
    simhashes: bytes = b""


class PatternBudget:
    """Counts what comes of the URLs of each pattern, and pauses those that bring nothing new."""

    def __init__(
        self, thresholds: TrapThresholds | None = None, rows: Iterable[PatternRow] = ()
    ) -> None:
        self._thresholds = thresholds or TrapThresholds()
        self._tallies: OrderedDict[tuple[str, str], PatternStats] = OrderedDict()
        self._verdicts: dict[str, dict[str, tuple[PatternState, PausedPattern]]] = {}
        self._missing: OrderedDict[str, int] = OrderedDict()
        for row in rows:
            self._restore(row)

    def refusal(self, url: Url) -> Reason:
        """Why this URL is never visited: its very shape, or that its pattern was dropped."""
        limits = self._thresholds
        defect = url_defect(url, limits.max_segments, limits.max_parameters, limits.max_repeats)
        state, verdict = self._verdict(url)
        if defect or state != "dropped":
            return defect
        return Reason("pattern_dropped", pattern=verdict.pattern)

    def is_paused(self, url: Url) -> bool:
        """Is it part of a pattern that is paused?"""
        return self._verdict(url)[0] == "paused"

    def record_page(self, url: Url, simhash: int | None, kept: bool) -> PausedPattern | None:
        """Take note of what came of a URL; the pattern that is paused because of it, if any is.

        To be told once for each URL: a page that is visited again is its own duplicate. The
        simhash is best made without numbers, in which the months of a calendar differ. None
        or 0 says that there was no text; not `kept`, that there was no page.
        """
        if self._verdict(url)[0] != "counted":
            return None
        host, number = host_of(url), last_number(url)
        content = (simhash or 0) & SIMHASH_MASK
        lost = self._is_missing(host, content)
        # What parameters do is not held against a folder: filters would close a whole shop.
        patterns = [one for one in patterns_of(url) if "?" in one.text or "?" not in url]
        tallies = [self._tally(host, pattern.text) for pattern in patterns]
        for tally in tallies:
            tally.record(content, kept, lost, number)
        for at, pattern in enumerate(patterns):
            if paused := self._judged(host, pattern, tallies[at]):
                for wider in tallies[at + 1 :]:
                    wider.subtract(tallies[at])
                self._verdicts.setdefault(host, {})[pattern.text] = ("paused", paused)
                self._tallies.pop((host, pattern.text), None)
                return paused
        return None

    def pause_host(
        self, host: str, urls: int, share: float, reason: Reason
    ) -> PausedPattern | None:
        """Pause a whole host, unless somebody has decided on it; None if nothing changes."""
        whole = "/*"
        if whole in self._verdicts.get(host, {}):
            return None
        paused = PausedPattern(host, whole, urls, share, reason)
        self._verdicts.setdefault(host, {})[whole] = ("paused", paused)
        self._tallies.pop((host, whole), None)
        return paused

    def is_suspect(self, host: str) -> bool:
        """Do many of its pages say the same, so that we should know what its 404s look like?"""
        tally = self._tallies.get((host, "/*"))
        return tally is not None and tally.duplicates >= self._thresholds.suspect_duplicates

    def record_soft_404(self, host: str, simhash: int) -> None:
        """This is what the host says, with status 200, for a page that cannot exist."""
        self._missing[host] = simhash & SIMHASH_MASK
        while len(self._missing) > self._thresholds.max_patterns:
            self._missing.popitem(last=False)

    def _is_missing(self, host: str, simhash: int) -> bool:
        """Does a page say what the host says for pages that do not exist?"""
        known = self._missing.get(host)
        return (
            known is not None
            and ((simhash & SIMHASH_MASK) ^ known).bit_count() <= MAX_DUPLICATE_BITS
        )

    def paused_patterns(self) -> list[PausedPattern]:
        """Every pattern that is paused now."""
        every = [one for verdicts in self._verdicts.values() for one in verdicts.values()]
        return [paused for standing, paused in every if standing == "paused"]

    def resume(self, host: str, pattern: str) -> None:
        """Visit it after all, and never pause it again: somebody has looked at it."""
        self._decide(host, pattern, "resumed")

    def drop(self, host: str, pattern: str) -> None:
        """It is a trap indeed: its URLs are refused from now on."""
        self._decide(host, pattern, "dropped")

    def rows(self) -> Iterator[PatternRow]:
        """All that must be kept for `PatternBudget(thresholds, rows)` to go on from here."""
        for (host, pattern), tally in self._tallies.items():
            yield PatternRow(
                host,
                pattern,
                "counted",
                tally.urls,
                recent_urls=tally.recent_urls,
                duplicates=tally.duplicates,
                soft_404s=tally.soft_404s,
                empty_pages=tally.empty_pages,
                highest_number=tally.highest_number,
                redundant_run=tally.redundant_run,
                simhashes=tally.simhashes.tobytes(),
            )
        for host, verdicts in self._verdicts.items():
            for pattern, (standing, paused) in verdicts.items():
                yield PatternRow(
                    host,
                    pattern,
                    standing,
                    paused.urls,
                    paused.redundant_share,
                    paused.reason.code,
                    paused.reason.dump_params(),
                )

    def _restore(self, row: PatternRow) -> None:
        if row.state != "counted":
            reason = Reason.load(row.reason, row.reason_params)
            paused = PausedPattern(row.host, row.pattern, row.urls, row.redundant_share, reason)
            self._verdicts.setdefault(row.host, {})[row.pattern] = (row.state, paused)
            return
        self._tallies[row.host, row.pattern] = PatternStats(
            row.urls,
            row.recent_urls,
            row.duplicates,
            row.soft_404s,
            row.empty_pages,
            row.highest_number,
            row.redundant_run,
            array("Q", row.simhashes),
        )

    def _tally(self, host: str, pattern: str) -> PatternStats:
        tally = self._tallies.setdefault((host, pattern), PatternStats())
        self._tallies.move_to_end((host, pattern))
        while len(self._tallies) > self._thresholds.max_patterns:
            self._tallies.popitem(last=False)
        return tally

    def _judged(self, host: str, pattern: UrlPattern, tally: PatternStats) -> PausedPattern | None:
        if (
            pattern.kind is UrlPatternKind.TEMPLATE
            and tally.redundant_run >= self._thresholds.max_redundant_run
        ):
            mostly_soft_404s = 2 * tally.soft_404s > tally.redundant_run
            code = "trap.soft_404_run" if mostly_soft_404s else "trap.redundant_run"
            reason = Reason(code, last=tally.highest_number)
            return PausedPattern(host, pattern.text, tally.redundant_run, 1.0, reason)
        enough = self._thresholds.min_urls(pattern.kind)
        if tally.recent_urls < enough:
            return None
        # A host with thousands of broken links is no trap: there, only what it says counts.
        share = (
            tally.duplicates / tally.recent_urls
            if pattern.kind is UrlPatternKind.HOST
            else tally.redundant_share
        )
        if share >= self._thresholds.redundant_share:
            return PausedPattern(host, pattern.text, tally.urls, share, _reason(pattern, tally))
        if tally.recent_urls >= 2 * enough:
            tally.decay()
        return None

    def _verdict(self, url: Url) -> tuple[PatternState, PausedPattern]:
        """What was decided on the narrowest pattern of a URL on which something was decided."""
        verdicts = self._verdicts.get(host_of(url))
        if verdicts:
            for pattern in patterns_of(url):
                if pattern.text in verdicts:
                    return verdicts[pattern.text]
        return UNDECIDED_VERDICT

    def _decide(self, host: str, pattern: str, standing: PatternState) -> None:
        known = self._verdicts.get(host, {}).get(pattern)
        if known is None:
            raise UsageError("crawl.pattern_not_paused", pattern=pattern, host=host)
        self._verdicts[host][pattern] = (standing, known[1])


UNDECIDED_VERDICT: tuple[PatternState, PausedPattern] = (
    "counted",
    PausedPattern("", "", 0, 0.0, NO_REASON),
)


def pattern_budget_from_rows(
    rows: Iterable[tuple[object, ...]], thresholds: TrapThresholds | None = None
) -> PatternBudget:
    """The traps that a store has kept."""
    return PatternBudget(thresholds, [PatternRow(*row) for row in rows])  # type: ignore[arg-type]


def _reason(pattern: UrlPattern, tally: PatternStats) -> Reason:
    """What is wrong with most of these pages."""
    if tally.empty_pages > tally.duplicates:
        return Reason("trap.empty")
    if 2 * tally.soft_404s > tally.duplicates:
        return Reason("trap.soft_404s")
    if pattern.kind is UrlPatternKind.PARAMETERS:
        return Reason("trap.duplicates_by_parameters")
    return Reason("trap.duplicates")
