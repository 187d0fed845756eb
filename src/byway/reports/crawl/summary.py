"""Computes the figures of a crawl report from rows of the store.

The rows may be a sample. The number of URLs in each state is known exactly, so each sampled URL is
weighted by the ratio of its state's total to its state's sample.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from byway.core.messages import Message, Reason, t
from byway.core.model import UrlState
from byway.core.model.crawl_report import (
    HostFigure,
    NamedCount,
    ReasonFigure,
    Report,
    SampleSize,
    StateFigure,
    Timeline,
)

MAX_HOSTS = 50
MAX_REASONS = 30
MAX_CONTENT_TYPES = 12
MAX_URL_CHARS = 300

HOST_COLUMN_BY_STATE = {
    UrlState.KEPT: "kept",
    UrlState.QUEUED: "queued",
    UrlState.FORBIDDEN: "forbidden",
    UrlState.UNREACHABLE: "failed",
    UrlState.MISSING: "failed",
    UrlState.EXTRACT_FAILED: "failed",
}
"""Column of the host table in which a state is counted; all others count as `other`."""
MAX_BARS = 60

SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS = 1000, 60_000, 3_600_000, 86_400_000
BAR_WIDTHS_MS = (
    *(100, 200, 500),
    *(SECOND_MS * n for n in (1, 2, 5, 10, 15, 30)),
    *(MINUTE_MS * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR_MS * n for n in (1, 2, 3, 6, 12)),
    *(DAY_MS * n for n in (1, 2, 7, 14, 30, 90, 365)),
)
"""Round bucket widths, in milliseconds: tenths of a second are not exact as floats."""


@dataclass(frozen=True, slots=True)
class CrawlReportData:
    """Input of the report. Counts are exact; `url_outcomes`, `page_fetches` and `content_types`
    may be samples, and are read once."""

    created_at: float
    crawling: bool = False
    seeds: Sequence[str] = ()
    states: Mapping[UrlState, int] = field(default_factory=dict)
    hosts: int = 0
    pages: int = 0
    bytes: int = 0
    retry_count: int = 0
    url_outcomes: Iterable[tuple[str, UrlState, Reason, str]] = ()
    """Host, state, reason and URL."""
    page_fetches: Iterable[tuple[str, float, int]] = ()
    """Host, time and bytes of a page."""
    largest: Sequence[tuple[str, int]] = ()
    content_types: Iterable[str] = ()


def summarize_crawl(data: CrawlReportData, max_bars: int = MAX_BARS) -> Report:
    """The report on a crawl, with a timeline of at most `max_bars` bars."""
    urls = sum(data.states.values())
    outcomes = _count_outcomes(data.url_outcomes)
    fetches = _total_fetches(data.page_fetches)
    weights = {state: data.states.get(state, 0) / n for state, n in outcomes.states.items()}
    reasons = _reasons(outcomes, weights)
    hosts = _hosts(outcomes, weights, fetches, data.pages)
    types = Counter(
        printable_text(kind, 60) or "not said, or not readable" for kind in data.content_types
    )
    return Report(
        created_at=data.created_at,
        crawling=data.crawling,
        seeds=tuple(printable_text(seed, MAX_URL_CHARS) for seed in data.seeds),
        urls=urls,
        pages=data.states.get(UrlState.KEPT, 0),
        versions=data.pages,
        queued=data.states.get(UrlState.QUEUED, 0),
        retry_count=data.retry_count,
        bytes=data.bytes,
        states=_states(data.states),
        timeline=timeline(fetches.times, data.pages, max_bars),
        reasons=tuple(reasons[:MAX_REASONS]),
        other_reason_count=len(reasons[MAX_REASONS:]),
        other_reason_urls=sum(reason.urls for reason in reasons[MAX_REASONS:]),
        hosts=tuple(hosts[:MAX_HOSTS]),
        host_count=data.hosts,
        other_hosts=_sum_hosts(hosts[MAX_HOSTS:], data.hosts - len(hosts[:MAX_HOSTS])),
        largest=tuple(
            NamedCount(printable_text(url, MAX_URL_CHARS), size) for url, size in data.largest
        ),
        content_types=tuple(NamedCount(*item) for item in types.most_common(MAX_CONTENT_TYPES)),
        url_sample=SampleSize(outcomes.states.total(), urls),
        page_sample=SampleSize(len(fetches.times), data.pages),
        type_sample=SampleSize(types.total(), data.pages),
    )


@dataclass(slots=True)
class _UrlOutcomeCounts:
    """Outcome counts of the URLs that were read."""

    states: Counter[UrlState] = field(default_factory=Counter)
    hosts: Counter[tuple[str, UrlState]] = field(default_factory=Counter)
    reasons: Counter[tuple[UrlState, Reason]] = field(default_factory=Counter)
    examples: dict[tuple[UrlState, Reason], tuple[str, Reason]] = field(default_factory=dict)


@dataclass(slots=True)
class _PageFetchTotals:
    """Fetch times and bytes of the pages that were read."""

    times: list[float] = field(default_factory=list)
    bytes: Counter[str] = field(default_factory=Counter)


def _count_outcomes(rows: Iterable[tuple[str, UrlState, Reason, str]]) -> _UrlOutcomeCounts:
    outcomes = _UrlOutcomeCounts()
    for host, state, reason, url in rows:
        outcomes.states[state] += 1
        outcomes.hosts[host, state] += 1
        if reason:
            key = state, reason.generalize()
            outcomes.reasons[key] += 1
            outcomes.examples.setdefault(key, (url, reason))
    return outcomes


def _total_fetches(rows: Iterable[tuple[str, float, int]]) -> _PageFetchTotals:
    fetches = _PageFetchTotals()
    for host, at, size in rows:
        fetches.times.append(at)
        fetches.bytes[host] += size
    return fetches


def _states(counts: Mapping[UrlState, int]) -> tuple[StateFigure, ...]:
    """The states that occur, in the order of `UrlState`."""
    return tuple(
        StateFigure(state, counts[state], Message(f"state.{state}"))
        for state in UrlState
        if counts.get(state)
    )


def _reasons(outcomes: _UrlOutcomeCounts, weights: Mapping[UrlState, float]) -> list[ReasonFigure]:
    """The reasons, most frequent first."""
    figures = []
    for (state, reason), count in outcomes.reasons.items():
        url, example_reason = outcomes.examples[state, reason]
        figures.append(
            ReasonFigure(
                state=state,
                reason=reason,
                urls=round(count * weights[state]),
                example=printable_text(url, MAX_URL_CHARS),
                example_reason=example_reason,
            )
        )
    return sorted(figures, key=lambda figure: (-figure.urls, figure.state, str(figure.reason)))


def _hosts(
    outcomes: _UrlOutcomeCounts,
    weights: Mapping[UrlState, float],
    fetches: _PageFetchTotals,
    pages: int,
) -> list[HostFigure]:
    """The hosts, most pages first."""
    columns: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (host, state), count in outcomes.hosts.items():
        columns[host][HOST_COLUMN_BY_STATE.get(state, "other")] += count * weights[state]
    for host, size in fetches.bytes.items():
        columns[host]["bytes"] += size * pages / len(fetches.times)
    figures = [
        HostFigure(
            printable_text(host, 100), **{name: round(number) for name, number in row.items()}
        )
        for host, row in columns.items()
    ]
    return sorted(figures, key=lambda figure: (-figure.kept, -figure.urls, figure.host))


def _sum_hosts(hosts: Sequence[HostFigure], count: int) -> HostFigure | None:
    if count <= 0:
        return None
    total = HostFigure(t("reports.crawl.other_hosts", count=count))
    names = [one.name for one in fields(HostFigure) if one.name != "host"]
    return replace(total, **{name: sum(getattr(host, name) for host in hosts) for name in names})


def timeline(times: Sequence[float], total: int, max_bars: int = MAX_BARS) -> Timeline:
    """A timeline of at most `max_bars` bars; the times are a sample of `total` pages."""
    if not times:
        return Timeline()
    first, last = int(min(times) * SECOND_MS), int(max(times) * SECOND_MS)
    width = _bar_width(first, last, max_bars)
    first_bucket = first // width
    counts = Counter(int(time * SECOND_MS) // width - first_bucket for time in times)
    weight = total / len(times)
    pages = tuple(round(counts[n] * weight) for n in range(last // width - first_bucket + 1))
    # A crawl that began late in its first bar was not slow there.
    busy = min(len(counts) * width, max(last - first, BAR_WIDTHS_MS[0]))
    return Timeline(
        first_bucket * width / SECOND_MS, width / SECOND_MS, pages, total * SECOND_MS / busy
    )


def _bar_width(first: int, last: int, most: int) -> int:
    for width in BAR_WIDTHS_MS:
        if last // width - first // width < most:
            return width
    # Multiples of a year: a clock was wrong.
    return BAR_WIDTHS_MS[-1] * ((last - first) // (BAR_WIDTHS_MS[-1] * (most - 1)) + 1)


def printable_text(text: str, max_chars: int) -> str:
    """Untrusted text without control characters (bidi, terminal colors), cut to `max_chars`."""
    text = "".join(char if char.isprintable() else " " for char in text[: max_chars + 1])
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
