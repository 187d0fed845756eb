"""Paused URL patterns: suspected crawler traps."""

from dataclasses import dataclass

from byway.core.model.message import Reason


@dataclass(frozen=True, slots=True)
class PausedPattern:
    """A URL pattern of a host that is paused, and why."""

    host: str
    pattern: str
    urls: int
    """URLs visited."""
    redundant_share: float
    """Share of redundant pages among the recent ones."""
    reason: Reason

    @property
    def message(self) -> Reason:
        """The message for users."""
        return Reason(
            "trap.paused",
            pattern=self.pattern,
            count=self.urls,
            share=self.redundant_share,
            cause=self.reason,
        )
