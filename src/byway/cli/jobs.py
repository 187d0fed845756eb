"""`byway jobs`: the crawl jobs of a data folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
    storage_from_options,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.core.errors import UsageError
from byway.core.messages import grouped, t
from byway.core.model import Job

if TYPE_CHECKING:  # ports import numpy
    from byway.core.ports import Storage

PANEL = "Crawl"
ORDER = 9
MAX_NAME_CHARS = 60


def command(
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List the crawl jobs in this data folder.

    `byway crawl --job NAME URL` creates one.
    """
    folder = storage_from_options(data)
    paused, all_paused = folder.paused_jobs(), folder.is_paused()
    with open_search_session(data, set) as session:
        jobs = session.catalog.jobs()
    if json:
        print_json([_as_json(job, all_paused or job.name in paused) for job in jobs])
        return
    if all_paused:
        out.print(t("cli.jobs.all_paused", data=data), markup=False)
    table = Table(box=None, pad_edge=False)
    for column in ("job", "kept", "queued", "seeds", "settings"):
        is_number = column in ("kept", "queued")
        table.add_column(t(f"cli.jobs.head_{column}"), justify="right" if is_number else "left")
    for job in jobs:
        name = job.name or t("cli.jobs.main")
        settings = ", ".join(f"{key}={value}" for key, value in job.overrides.items())
        table.add_row(
            sanitize(t("cli.jobs.paused", name=name) if job.name in paused else name),
            grouped(job.kept_pages),
            grouped(job.queued_urls),
            sanitize(", ".join(job.seeds) or t("cli.none")),
            sanitize(settings),
        )
    out.print(table, markup=False)


def require_job(data: Path, name: str) -> "Storage":
    """The data folder, if it has a job of that name; the empty name is the main crawl."""
    folder = storage_from_options(data)
    folder.require_data()
    with open_search_session(data, None) as session:
        names = [job.name for job in session.catalog.jobs() if job.name]
    if name and name not in names:
        code = "cli.unknown_job" if names else "cli.no_jobs"
        raise UsageError(code, name=name[:MAX_NAME_CHARS], data=data, jobs=names)
    return folder


def _as_json(job: Job, paused: bool) -> dict[str, object]:
    return {
        "name": job.name,
        "paused": paused,
        "kept": job.kept_pages,
        "queued": job.queued_urls,
        "seeds": job.seeds,
        "settings": job.overrides,
    }
