"""Page budgets per URL pattern: patterns whose pages contain nothing new are paused.

    traps = PatternBudget()
    if not traps.refusal(url) and not traps.is_paused(url): ...
    if paused := traps.record_page(url, simhash, kept=True):
        print(text(paused.message))  # paused /calendar/{n}/{n}: 400 URLs, 97% near-duplicates

Traps are detected by content, not by URL: a manual of a thousand numbered pages is not a trap.
"""

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

from byway.core.errors import UsageError
from byway.core.messages import NO_REASON, Reason
from byway.core.model import Url
from byway.core.model.url_state import PausedPattern
from byway.core.url import host_of
from byway.crawl.traps.url_pattern import (
    UrlPattern,
    UrlPatternKind,
    last_number,
    patterns_of,
    url_defect,
)

MAX_TRAP_DUPLICATE_BITS = 3
"""Maximum Hamming distance between the 64-bit prefix SimHashes of a trap's near-duplicates.

`MAX_DUPLICATE_DISTANCE_BITS` in `core/text/simhash.py` is the limit for search results, which
use a different hash; importing it would load numpy into the crawl process.
"""
MAX_REMEMBERED_SIMHASHES = 64
"""SimHashes to compare a page with: enough for the months and weekdays of a calendar."""
SIMHASH_MASK = (1 << 64) - 1
PatternState = Literal["counted", "paused", "resumed", "dropped"]
PatternRow = tuple[Any, ...]
"""Stored state of a pattern: the columns of the table `url_pattern`."""
GET_COUNTERS = attrgetter(
    "recent_urls", "duplicates", "soft_404s", "empty_pages", "highest_number", "redundant_run"
)
NO_STATS = (0, 0, 0, 0, -1, 0, b"")
"""Counters and SimHashes of a pattern that is no longer counted."""


@dataclass(slots=True)
class PatternStats:
    """Counters for one URL pattern. All but `urls` and `highest_number` decay."""

    urls: int = 0
    recent_urls: int = 0
    duplicates: int = 0
    """Near-duplicates of another page, soft 404s included."""
    soft_404s: int = 0
    """Duplicates that are similar to the host's soft 404."""
    empty_pages: int = 0
    """URLs without text or without a page."""
    highest_number: int = -1
    redundant_run: int = 0
    """Consecutive redundant pages, each with a higher number than any before."""
    simhashes: "array[int]" = field(default_factory=lambda: array("Q"))
    """Distinct SimHashes, oldest first, as unsigned 64-bit integers."""

    @property
    def redundant_share(self) -> float:
        """Share of pages that are duplicates or empty."""
        return (self.duplicates + self.empty_pages) / max(self.recent_urls, 1)

    def record(self, simhash: int, kept: bool, is_soft_404: bool, number: int) -> None:
        """Count a URL; `simhash=0` means no text, `kept=False` no page."""
        self.urls += 1
        self.recent_urls += 1
        is_new = False
        if not kept or not simhash:
            self.empty_pages += 1
        elif is_soft_404 or any(
            (simhash ^ other).bit_count() <= MAX_TRAP_DUPLICATE_BITS for other in self.simhashes
        ):
            self.duplicates += 1
            self.soft_404s += is_soft_404
        else:
            is_new = True
            self.simhashes.append(simhash)
            del self.simhashes[:-MAX_REMEMBERED_SIMHASHES]
        if kept and number > self.highest_number:  # a 404 is the proper end of a list
            self.highest_number = number
            self.redundant_run = 0 if is_new else self.redundant_run + 1

    def decay(self) -> None:
        """Halve the counters, so that a trap is found even after thousands of good pages."""
        self.recent_urls //= 2
        self.duplicates //= 2
        self.soft_404s //= 2
        self.empty_pages //= 2

    def subtract(self, other: "PatternStats") -> None:
        """Subtract the counters of a narrower pattern."""
        self.recent_urls = max(self.recent_urls - other.recent_urls, 0)
        self.duplicates = max(self.duplicates - other.duplicates, 0)
        self.soft_404s = max(self.soft_404s - other.soft_404s, 0)
        self.empty_pages = max(self.empty_pages - other.empty_pages, 0)


@dataclass(frozen=True, slots=True)
class TrapThresholds:
    """Limits at which a pattern is paused or a URL is refused."""

    redundant_share: float = 0.9
    """Share of redundant pages at which a pattern is paused."""
    template_urls: int = 200
    """URLs of one template to visit before it is judged."""
    parameter_urls: int = 100
    """URLs of one path with different parameters to visit before they are judged."""
    folder_urls: int = 400
    host_urls: int = 1000
    max_redundant_run: int = 50
    """Consecutive redundant pages with ever higher numbers that make an endless list."""
    max_segments: int = 20
    max_parameters: int = 8
    suspect_duplicates: int = 10
    """Duplicates on a host before it is probed for soft 404s."""
    max_repeats: int = 2
    """Maximum consecutive repeats of the same segments or parameter."""
    max_patterns: int = 50_000
    """Maximum patterns counted, at most 1 KB each; the least recently used is dropped first."""

    def min_urls(self, kind: UrlPatternKind) -> int:
        """The number of URLs to visit before a pattern of this kind is judged."""
        kinds = UrlPatternKind
        return {
            kinds.TEMPLATE: self.template_urls,
            kinds.PARAMETERS: self.parameter_urls,
            kinds.FOLDER: self.folder_urls,
            kinds.HOST: self.host_urls,
        }[kind]


class PatternBudget:
    """Counts redundant pages per URL pattern and pauses patterns that exceed the limits."""

    def __init__(
        self, thresholds: TrapThresholds | None = None, rows: Iterable[PatternRow] = ()
    ) -> None:
        self._thresholds = thresholds or TrapThresholds()
        self._stats: OrderedDict[tuple[str, str], PatternStats] = OrderedDict()
        self._verdicts: dict[str, dict[str, tuple[PatternState, PausedPattern]]] = {}
        self._soft_404s: OrderedDict[str, int] = OrderedDict()
        for row in rows:
            self._restore(row)

    def refusal(self, url: Url) -> Reason:
        """The reason to refuse this URL (its shape or a dropped pattern); empty if accepted."""
        limits = self._thresholds
        defect = url_defect(url, limits.max_segments, limits.max_parameters, limits.max_repeats)
        state, verdict = self._verdict(url)
        if defect or state != "dropped":
            return defect
        return Reason("pattern_dropped", pattern=verdict.pattern)

    def is_paused(self, url: Url) -> bool:
        """Whether the URL belongs to a paused pattern."""
        return self._verdict(url)[0] == "paused"

    def record_page(self, url: Url, simhash: int | None, kept: bool) -> PausedPattern | None:
        """Count a visited URL; return the pattern it causes to be paused, if any.

        Call it once per URL: a revisited page would be its own duplicate. The SimHash should ignore
        numbers, since calendar months differ only in those. None or 0 means no text; `kept=False`
        means no page.
        """
        if self._verdict(url)[0] != "counted":
            return None
        host, number = host_of(url), last_number(url)
        content = (simhash or 0) & SIMHASH_MASK
        is_soft_404 = self._is_soft_404(host, content)
        # URLs with parameters do not count for their folder: filters would pause a whole shop.
        patterns = [one for one in patterns_of(url) if "?" in one.text or "?" not in url]
        all_stats = [self._stats_of(host, pattern.text) for pattern in patterns]
        for stats in all_stats:
            stats.record(content, kept, is_soft_404, number)
        for at, pattern in enumerate(patterns):
            if paused := self._judge(host, pattern, all_stats[at]):
                for wider in all_stats[at + 1 :]:
                    wider.subtract(all_stats[at])
                self._verdicts.setdefault(host, {})[pattern.text] = ("paused", paused)
                self._stats.pop((host, pattern.text), None)
                return paused
        return None

    def pause_host(
        self, host: str, urls: int, share: float, reason: Reason
    ) -> PausedPattern | None:
        """Pause a whole host unless a verdict on it exists; return None if nothing changes."""
        whole = "/*"
        if whole in self._verdicts.get(host, {}):
            return None
        paused = PausedPattern(host, whole, urls, share, reason)
        self._verdicts.setdefault(host, {})[whole] = ("paused", paused)
        self._stats.pop((host, whole), None)
        return paused

    def is_suspect(self, host: str) -> bool:
        """Whether the host has so many duplicates that it should be probed for soft 404s."""
        stats = self._stats.get((host, "/*"))
        return stats is not None and stats.duplicates >= self._thresholds.suspect_duplicates

    def record_soft_404(self, host: str, simhash: int) -> None:
        """Record the SimHash of the host's soft 404: status 200 for a page that cannot exist."""
        self._soft_404s[host] = simhash & SIMHASH_MASK
        while len(self._soft_404s) > self._thresholds.max_patterns:
            self._soft_404s.popitem(last=False)

    def _is_soft_404(self, host: str, simhash: int) -> bool:
        """Whether a page is similar to the host's soft 404."""
        known = self._soft_404s.get(host)
        return (
            known is not None
            and ((simhash & SIMHASH_MASK) ^ known).bit_count() <= MAX_TRAP_DUPLICATE_BITS
        )

    def paused_patterns(self) -> list[PausedPattern]:
        """All paused patterns."""
        every = [one for verdicts in self._verdicts.values() for one in verdicts.values()]
        return [paused for state, paused in every if state == "paused"]

    def resume(self, host: str, pattern: str) -> None:
        """Resume the pattern at the user's request and never pause it again."""
        self._set_verdict(host, pattern, "resumed")

    def drop(self, host: str, pattern: str) -> None:
        """Refuse the URLs of this pattern from now on."""
        self._set_verdict(host, pattern, "dropped")

    def rows(self) -> Iterator[PatternRow]:
        """The state to store; `PatternBudget(thresholds, rows)` restores it."""
        for (host, pattern), stats in self._stats.items():
            counters, simhashes = GET_COUNTERS(stats), stats.simhashes.tobytes()
            yield host, pattern, "counted", stats.urls, 0.0, "", "", *counters, simhashes
        for host, verdicts in self._verdicts.items():
            for pattern, (state, paused) in verdicts.items():
                reason = paused.reason.code, paused.reason.dump_params()
                yield host, pattern, state, paused.urls, paused.redundant_share, *reason, *NO_STATS

    def _restore(self, row: PatternRow) -> None:
        host, pattern, state, urls, share, code, params, *counters, simhashes = row
        if state == "counted":
            self._stats[host, pattern] = PatternStats(*[urls, *counters, array("Q", simhashes)])
            return
        paused = PausedPattern(host, pattern, urls, share, Reason.load(code, params))
        self._verdicts.setdefault(host, {})[pattern] = (state, paused)

    def _stats_of(self, host: str, pattern: str) -> PatternStats:
        stats = self._stats.setdefault((host, pattern), PatternStats())
        self._stats.move_to_end((host, pattern))
        while len(self._stats) > self._thresholds.max_patterns:
            self._stats.popitem(last=False)
        return stats

    def _judge(self, host: str, pattern: UrlPattern, stats: PatternStats) -> PausedPattern | None:
        if (
            pattern.kind is UrlPatternKind.TEMPLATE
            and stats.redundant_run >= self._thresholds.max_redundant_run
        ):
            mostly_soft_404s = 2 * stats.soft_404s > stats.redundant_run
            code = "trap.soft_404_run" if mostly_soft_404s else "trap.redundant_run"
            reason = Reason(code, last=stats.highest_number)
            return PausedPattern(host, pattern.text, stats.redundant_run, 1.0, reason)
        min_urls = self._thresholds.min_urls(pattern.kind)
        if stats.recent_urls < min_urls:
            return None
        share = _judged_share(pattern, stats)
        if share >= self._thresholds.redundant_share:
            return PausedPattern(
                host, pattern.text, stats.urls, share, _pause_reason(pattern, stats)
            )
        if stats.recent_urls >= 2 * min_urls:
            stats.decay()
        return None

    def _verdict(self, url: Url) -> tuple[PatternState, PausedPattern]:
        """The verdict on the narrowest judged pattern of a URL."""
        verdicts = self._verdicts.get(host_of(url))
        if verdicts:
            for pattern in patterns_of(url):
                if pattern.text in verdicts:
                    return verdicts[pattern.text]
        return UNDECIDED_VERDICT

    def _set_verdict(self, host: str, pattern: str, state: PatternState) -> None:
        known = self._verdicts.get(host, {}).get(pattern)
        if known is None:
            raise UsageError("crawl.pattern_not_paused", pattern=pattern, host=host)
        self._verdicts[host][pattern] = (state, known[1])


UNDECIDED_VERDICT: tuple[PatternState, PausedPattern] = (
    "counted",
    PausedPattern("", "", 0, 0.0, NO_REASON),
)


def _judged_share(pattern: UrlPattern, stats: PatternStats) -> float:
    """The share of recent URLs that count against this pattern."""
    # A host with thousands of broken links is not a trap: only its duplicates count.
    if pattern.kind is UrlPatternKind.HOST:
        return stats.duplicates / stats.recent_urls
    return stats.redundant_share


def _pause_reason(pattern: UrlPattern, stats: PatternStats) -> Reason:
    """The pause reason for the most common defect of these pages."""
    if stats.empty_pages > stats.duplicates:
        return Reason("trap.empty")
    if 2 * stats.soft_404s > stats.duplicates:
        return Reason("trap.soft_404s")
    if pattern.kind is UrlPatternKind.PARAMETERS:
        return Reason("trap.duplicates_by_parameters")
    return Reason("trap.duplicates")
