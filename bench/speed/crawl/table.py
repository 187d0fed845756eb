"""Results of the crawlers as a table and as JSON."""

from collections.abc import Mapping, Sequence

from bench.speed.crawl.contestants import CrawlerResult

HEADINGS = (
    "",
    "pages",
    "requests",
    "seconds",
    "pages/s",
    "CPU-s/1k",
    "MB",
    "nginx CPU-s/1k",
    "others",
)

MAX_OTHER_LOAD_SHARE = 0.1
"""Above this share of other load the table has a warning; measuring itself takes .02."""


def format_table(results: Sequence[CrawlerResult]) -> str:
    """The table, and the ratios of byway to each other crawler."""
    rows = [HEADINGS, *(_row(result) for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join(
        [*lines, *_warnings(results), "", *_ratios(results), "", *_differences(results)]
    )


def summary_line(result: CrawlerResult) -> str:
    """The result of one crawler in a line."""
    return (
        f"{result.name}: {result.pages_per_second:.1f} pages/s, "
        f"{result.cpu_seconds_per_1000_pages:.2f} CPU-s for 1,000 pages"
    )


def as_json(results: Sequence[CrawlerResult], about: Mapping[str, object]) -> dict[str, object]:
    """The results as JSON values."""
    return {
        **about,
        "crawlers": [
            {
                "name": result.name,
                "pages": len(result.pages),
                "requests": result.access_log.requests,
                "statuses": dict(result.access_log.statuses),
                "seconds": round(result.seconds, 3),
                "seconds_with_start": round(result.cost.ended_at - result.cost.started_at, 3),
                "pages_per_second": round(result.pages_per_second, 1),
                "cpu_seconds_per_1000_pages": round(result.cpu_seconds_per_1000_pages, 3),
                "peak_megabytes": round(result.cost.peak_megabytes, 1),
                "nginx_cpu_seconds_per_1000_pages": round(
                    result.server_cpu_seconds_per_1000_pages, 3
                ),
                "share_of_machine_others_had": round(result.other_load_share, 3),
            }
            for result in results
        ],
    }


def _row(result: CrawlerResult) -> tuple[str, ...]:
    return (
        result.name,
        f"{len(result.pages):,}",
        f"{result.access_log.requests:,}",
        f"{result.seconds:.1f}",
        f"{result.pages_per_second:.1f}",
        f"{result.cpu_seconds_per_1000_pages:.2f}",
        f"{result.cost.peak_megabytes:.0f}",
        f"{result.server_cpu_seconds_per_1000_pages:.2f}",
        f"{result.other_load_share:.0%}",
    )


def _warnings(results: Sequence[CrawlerResult]) -> list[str]:
    lines = []
    busy = max(result.other_load_share for result in results)
    if busy > MAX_OTHER_LOAD_SHARE:
        lines.append(
            f"other processes used up to {busy:.0%} of this machine: compare CPU-s, not pages/s, "
            "or run it again on a quiet machine"
        )
    errors = {
        result.name: count
        for result in results
        for status, count in result.access_log.statuses.items()
        if status.startswith("5")
    }
    if errors:
        lines.append(f"the server returned errors, so these figures are invalid: {errors}")
    return lines


def _ratios(results: Sequence[CrawlerResult]) -> list[str]:
    ours = [result for result in results if result.name.startswith("byway")]
    return [
        f"{one.name} / {peer.name}: "
        f"{one.pages_per_second / peer.pages_per_second:.2f} x the pages/s, "
        f"{one.cpu_seconds_per_1000_pages / peer.cpu_seconds_per_1000_pages:.2f} x the CPU a page, "
        f"{one.cost.peak_megabytes / peer.cost.peak_megabytes:.2f} x the memory"
        for one in ours
        for peer in results
        if peer not in ours
    ]


def _differences(results: Sequence[CrawlerResult]) -> list[str]:
    """The differences between the pages of the first crawler and of each other."""
    first, *others = results
    lines = []
    for other in others:
        missing, more = first.pages - other.pages, other.pages - first.pages
        if missing or more:
            lines.append(
                f"{other.name}: {len(missing)} pages fewer and {len(more)} more than {first.name}"
                f" ({_examples(missing | more)})"
            )
    return lines or ["all crawlers stored the same pages"]


def _examples(urls: frozenset[str]) -> str:
    return ", ".join(sorted(urls)[:3]) + (" ..." if len(urls) > 3 else "")
