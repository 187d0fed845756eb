"""`byway pause`: pause the crawl of a data folder."""

from byway.cli.jobs import require_job
from byway.cli.support.options import DEFAULT_DATA_DIR, DataOption, JobOption, VerboseOption
from byway.cli.support.output import print_notice
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 5


def command(
    data: DataOption = DEFAULT_DATA_DIR, job: JobOption = "", verbose: VerboseOption = False
) -> None:
    """Pause the crawl.

    Nothing is lost; `byway resume` continues it.
    """
    folder = require_job(data, job)
    folder.set_paused(True, job)
    if folder.crawler_pid() is None:
        print_notice(t("cli.pause.not_running"))
    else:
        print_notice(t("cli.pause.job_paused" if job else "cli.pause.paused", job=job))
