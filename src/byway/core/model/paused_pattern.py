"""Paused URL patterns: suspected crawler traps."""

from dataclasses import dataclass

from byway.core.model.message import Reason


@dataclass(frozen=True, slots=True)
class PausedPattern:
    """A paused URL pattern of a host, and why it is paused."""

    host: str
    pattern: str
    urls: int
    """Number of URLs visited."""
    redundant_share: float
    """Share of redundant pages among recent ones."""
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
