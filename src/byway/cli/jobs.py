"""`byway jobs`: the crawl jobs of a data folder."""

from rich.table import Table

from byway.app.crawl_control import list_jobs
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import out, print_json, sanitize
from byway.core.messages import grouped, t
from byway.core.model import Job

PANEL = "Crawl"
ORDER = 9


def command(
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """List the crawl jobs in this data folder.

    `byway crawl --job NAME URL` creates a job.
    """
    jobs, paused, all_paused = list_jobs(data, settings_from_options(data, set))
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


def _as_json(job: Job, paused: bool) -> dict[str, object]:
    return {
        "name": job.name,
        "paused": paused,
        "kept": job.kept_pages,
        "queued": job.queued_urls,
        "seeds": job.seeds,
        "settings": job.overrides,
    }
