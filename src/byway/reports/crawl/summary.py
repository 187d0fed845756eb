"""From what the store tells to the figures of a report.

What was read may be a sample. How many URLs are in each state is known exactly, so each URL that
was read stands for as many as its state has more of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from byway.core.model import State
from byway.reports.crawl.reason_groups import fold, shown
from byway.reports.crawl.report import (
    Count,
    HostFigure,
    ReasonFigure,
    Report,
    Sampled,
    StateFigure,
)
from byway.reports.crawl.timeline import MOST_BARS, timeline

MOST_HOSTS = 50
MOST_REASONS = 30
MOST_TYPES = 12
LONGEST_URL = 300

MEANINGS = {
    State.KEPT: "came and was written down",
    State.QUEUED: "waits for its visit",
    State.WALKED: "only its links were wanted",
    State.REDIRECTED: "led to another URL",
    State.OUT_OF_SCOPE: "not part of this crawl",
    State.FORBIDDEN: "robots.txt keeps us out",
    State.BLOCKED: "its address is private",
    State.UNREACHABLE: "no answer, or not in time",
    State.MISSING: "the site has no such page",
    State.UNWANTED: "not of a kind we keep",
    State.PAUSED: "part of what seems to have no end",
    State.EXTRACT_FAILED: "came, but could not be read",
    State.REMOVED: "taken out by hand",
}
COLUMNS = {
    State.KEPT: "kept",
    State.QUEUED: "queued",
    State.FORBIDDEN: "forbidden",
    State.UNREACHABLE: "failed",
    State.MISSING: "failed",
    State.EXTRACT_FAILED: "failed",
}
"""In which column of the hosts a state is counted; all others are `other`."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the store tells. Counts are exact; `fates`, `arrivals` and `content_types` may be
    samples, and are read once."""

    made_at: float
    crawling: bool = False
    seeds: Sequence[str] = ()
    states: Mapping[State, int] = field(default_factory=dict)
    hosts: int = 0
    pages: int = 0
    bytes: int = 0
    to_try_again: int = 0
    fates: Iterable[tuple[str, State, str, str]] = ()
    """Host, state, reason and URL."""
    arrivals: Iterable[tuple[str, float, int]] = ()
    """Host, time and bytes of a page."""
    largest: Sequence[tuple[str, int]] = ()
    content_types: Iterable[str] = ()


def gather(told: Told, most_bars: int = MOST_BARS) -> Report:
    """The report of a crawl, with pages over time in at most `most_bars` bars."""
    urls = sum(told.states.values())
    read = _read_fates(told.fates)
    came = _read_arrivals(told.arrivals)
    weights = {state: told.states.get(state, 0) / n for state, n in read.states.items()}
    reasons = _reasons(read, weights)
    hosts = _hosts(read, weights, came, told.pages)
    types = Counter(shown(kind, 60) or "not said, or not readable" for kind in told.content_types)
    return Report(
        made_at=told.made_at,
        crawling=told.crawling,
        seeds=tuple(shown(seed, LONGEST_URL) for seed in told.seeds),
        urls=urls,
        pages=told.states.get(State.KEPT, 0),
        versions=told.pages,
        queued=told.states.get(State.QUEUED, 0),
        to_try_again=told.to_try_again,
        bytes=told.bytes,
        states=_states(told.states),
        timeline=timeline(came.times, told.pages, most_bars),
        reasons=tuple(reasons[:MOST_REASONS]),
        more_reasons=len(reasons[MOST_REASONS:]),
        more_reasons_urls=sum(reason.urls for reason in reasons[MOST_REASONS:]),
        hosts=tuple(hosts[:MOST_HOSTS]),
        host_count=told.hosts,
        more_hosts=_sum(hosts[MOST_HOSTS:], told.hosts - len(hosts[:MOST_HOSTS])),
        largest=tuple(Count(shown(url, LONGEST_URL), size) for url, size in told.largest),
        content_types=tuple(Count(*item) for item in types.most_common(MOST_TYPES)),
        url_sample=Sampled(read.states.total(), urls),
        page_sample=Sampled(len(came.times), told.pages),
        type_sample=Sampled(types.total(), told.pages),
    )


@dataclass(slots=True)
class _Fates:
    """What was read of URLs, counted."""

    states: Counter[State] = field(default_factory=Counter)
    hosts: Counter[tuple[str, State]] = field(default_factory=Counter)
    reasons: Counter[tuple[State, str]] = field(default_factory=Counter)
    examples: dict[tuple[State, str], tuple[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class _Arrivals:
    """What was read of pages."""

    times: list[float] = field(default_factory=list)
    bytes: Counter[str] = field(default_factory=Counter)


def _read_fates(rows: Iterable[tuple[str, State, str, str]]) -> _Fates:
    read = _Fates()
    for host, state, reason, url in rows:
        read.states[state] += 1
        read.hosts[host, state] += 1
        if reason:
            key = state, fold(reason)
            read.reasons[key] += 1
            read.examples.setdefault(key, (url, reason))
    return read


def _read_arrivals(rows: Iterable[tuple[str, float, int]]) -> _Arrivals:
    came = _Arrivals()
    for host, at, size in rows:
        came.times.append(at)
        came.bytes[host] += size
    return came


def _states(counts: Mapping[State, int]) -> tuple[StateFigure, ...]:
    """Those that occur, in the order in which `State` names them."""
    return tuple(
        StateFigure(state, counts[state], MEANINGS[state]) for state in State if counts.get(state)
    )


def _reasons(read: _Fates, weights: Mapping[State, float]) -> list[ReasonFigure]:
    """The reasons, most frequent first."""
    figures = [
        ReasonFigure(
            state,
            shown(reason),
            round(count * weights[state]),
            *(shown(text, LONGEST_URL) for text in read.examples[state, reason]),
        )
        for (state, reason), count in read.reasons.items()
    ]
    return sorted(figures, key=lambda figure: (-figure.urls, figure.state, figure.reason))


def _hosts(
    read: _Fates, weights: Mapping[State, float], came: _Arrivals, pages: int
) -> list[HostFigure]:
    """The hosts, those with the most pages first."""
    columns: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (host, state), count in read.hosts.items():
        columns[host][COLUMNS.get(state, "other")] += count * weights[state]
    for host, size in came.bytes.items():
        columns[host]["bytes"] += size * pages / len(came.times)
    figures = [
        HostFigure(shown(host, 100), **{name: round(number) for name, number in row.items()})
        for host, row in columns.items()
    ]
    return sorted(figures, key=lambda figure: (-figure.kept, -figure.urls, figure.host))


def _sum(hosts: Sequence[HostFigure], count: int) -> HostFigure | None:
    if count <= 0:
        return None
    total = HostFigure(f"and {count:,} more")
    names = [one.name for one in fields(HostFigure) if one.name != "host"]
    return replace(total, **{name: sum(getattr(host, name) for host in hosts) for name in names})
