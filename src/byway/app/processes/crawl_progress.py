"""Snapshots of a running crawl, serializable as JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from byway.core.messages import Reason, group_reasons
from byway.core.model.crawl_progress import CrawlProgress


@dataclass(frozen=True, slots=True)
class CrawlSnapshot:
    """The progress of a crawl at one point in time."""

    progress: CrawlProgress
    rate: float
    """Pages stored per second since the start."""
    queues: Sequence[tuple[str, int]]
    """The longest queues: hosts and their URL counts, longest first."""
    page_budget: int | None
    """Pages that may still be kept; None if there is no limit."""
    notes: Sequence[Reason] = ()
    """Notes that are new since the last snapshot."""
    other_hosts: int = 0
    """Hosts with shorter queues."""
    other_urls: int = 0
    """URLs in the queues of these hosts."""

    def to_plain(self) -> dict[str, Any]:
        """The snapshot as plain values, for JSON."""
        return {
            "progress": progress_to_plain(self.progress),
            "rate": self.rate,
            "queues": list(self.queues),
            "page_budget": self.page_budget,
            "notes": [note.to_plain() for note in self.notes],
            "other_hosts": self.other_hosts,
            "other_urls": self.other_urls,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Rebuild the snapshot from plain values."""
        return cls(
            progress_from_plain(plain["progress"]),
            plain["rate"],
            [(host, count) for host, count in plain["queues"]],
            plain["page_budget"],
            [Reason.from_plain(**note) for note in plain["notes"]],
            plain["other_hosts"],
            plain["other_urls"],
        )


def progress_to_plain(progress: CrawlProgress) -> dict[str, Any]:
    """The progress as plain values, without its notes; failures are counted by kind."""
    plain: dict[str, Any] = {}
    for item in fields(progress):
        value = getattr(progress, item.name)
        plain[item.name] = value.to_plain() if isinstance(value, Reason) else value
    failures = group_reasons(progress.failure_reasons)
    plain["failure_reasons"] = [[reason.to_plain(), count] for reason, count in failures]
    del plain["notes"]
    return plain


def progress_from_plain(plain: Mapping[str, Any]) -> CrawlProgress:
    """Rebuild the progress from plain values."""
    values: dict[str, Any] = {
        name: Reason.from_plain(**value) if isinstance(value, Mapping) else value
        for name, value in plain.items()
    }
    failures = {Reason.from_plain(**one): count for one, count in plain["failure_reasons"]}
    return CrawlProgress(**values | {"failure_reasons": Counter(failures)})
