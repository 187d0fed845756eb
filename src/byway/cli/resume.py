"""`byway resume`: resume a paused crawl."""

from byway.cli.jobs import require_job
from byway.cli.support.options import DEFAULT_DATA_DIR, DataOption, JobOption, VerboseOption
from byway.cli.support.output import print_notice
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 6


def command(
    data: DataOption = DEFAULT_DATA_DIR, job: JobOption = "", verbose: VerboseOption = False
) -> None:
    """Resume a paused crawl."""
    folder = require_job(data, job)
    if not folder.is_paused(job):
        print_notice(t("cli.resume.job_not_paused" if job else "cli.resume.not_paused", job=job))
        return
    folder.set_paused(False, job)
    if folder.crawler_pid() is None:
        print_notice(t("cli.resume.not_running"))
    else:
        print_notice(t("cli.resume.job_resumed" if job else "cli.resume.resumed", job=job))
