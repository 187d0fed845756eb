"""Pause: have a crawl hold still."""

from byway.cli.jobs import require_job
from byway.cli.support.options import DEFAULT_DATA_DIR, DataOption, JobOption, VerboseOption
from byway.cli.support.output import print_notice

ORDER = 26


def command(
    data: DataOption = DEFAULT_DATA_DIR, job: JobOption = "", verbose: VerboseOption = False
) -> None:
    """Have the crawl in this folder hold still; nothing is lost, `byway resume` lets it go on."""
    folder = require_job(data, job)
    folder.set_paused(True, job)
    what = f"the job {job}" if job else "the crawl"
    running = folder.crawler_pid() is not None
    print_notice(
        f"{what} holds still" if running else "no crawl is running; the next one will hold still"
    )
