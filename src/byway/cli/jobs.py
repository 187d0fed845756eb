"""Jobs: which crawls share this folder?"""

from pathlib import Path

from rich.table import Table

from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
)
from byway.cli.support.output import out, print_json, sanitize
from byway.core.errors import UsageError
from byway.core.model import Job
from byway.storage.data_folder import DataFolder

ORDER = 29


def command(
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List the crawls that share this folder: `byway crawl --job NAME URL` makes one."""
    folder = DataFolder(data)
    paused, all_paused = folder.paused_jobs(), folder.is_paused()
    with open_search_session(data, set) as reading:
        jobs = reading.jobs()
    if json:
        print_json([_as_json(job, all_paused or job.name in paused) for job in jobs])
        return
    if all_paused:
        out.print(f"all are paused; `byway resume --data {data}` lets them go on", markup=False)
    table = Table(box=None, pad_edge=False)
    for column in ("job", "kept", "queued", "seeds", "its own settings"):
        table.add_column(column, justify="right" if column in ("kept", "queued") else "left")
    for job in jobs:
        name = (job.name or "(main)") + (", paused" if job.name in paused else "")
        own = ", ".join(f"{key}={value}" for key, value in job.overrides.items())
        counts = f"{job.kept_pages:,}", f"{job.queued_urls:,}"
        table.add_row(
            sanitize(name), *counts, sanitize(", ".join(job.seeds) or "none"), sanitize(own)
        )
    out.print(table, markup=False)


def require_job(data: Path, name: str) -> DataFolder:
    """The data folder, if it has a job of that name; the main one has none."""
    folder = DataFolder(data)
    folder.require_data()
    with open_search_session(data, None) as reading:
        names = [job.name for job in reading.jobs() if job.name]
    if name and name not in names:
        there = f"there are {', '.join(names)}" if names else "`byway crawl --job NAME` makes one"
        raise UsageError(f"no job {name!r:.60} in {data}; {there}")
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
