"""Crawler traps of a data folder: list the paused URL patterns, or decide on one."""

from pathlib import Path

from byway.app.storage import open_storage
from byway.core.model.paused_pattern import PausedPattern
from byway.core.settings.schema import Settings
from byway.crawl.traps.pattern_budget import pattern_budget_from_rows


def list_traps(path: Path, settings: Settings) -> list[PausedPattern]:
    """Paused URL patterns: suspected crawler traps."""
    folder = open_storage(path, settings)
    folder.require_data()
    with folder.reader() as reader:
        return pattern_budget_from_rows(reader.catalog.traps()).paused_patterns()


def decide_trap(path: Path, settings: Settings, host: str, pattern: str, resume: bool) -> int:
    """Resume or drop a paused URL pattern; return the number of requeued URLs."""
    folder = open_storage(path, settings)
    folder.require_data()
    with folder.write_lock("crawl"), folder.frontier() as frontier:
        budget = pattern_budget_from_rows(frontier.traps())
        (budget.resume if resume else budget.drop)(host, pattern)
        frontier.save_traps(budget.rows())
        return frontier.requeue_paused(host)
