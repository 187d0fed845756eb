"""`byway resume`: resume a paused crawl."""

from byway.app.crawl_control import set_paused
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import print_notice
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 6


def command(
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    job: options.JobOption = "",
    verbose: options.VerboseOption = False,
) -> None:
    """Resume a paused crawl."""
    change = set_paused(data, settings_from_options(data), False, job)
    if not change.was_paused:
        print_notice(t("cli.resume.job_not_paused" if job else "cli.resume.not_paused", job=job))
    elif change.is_running:
        print_notice(t("cli.resume.job_resumed" if job else "cli.resume.resumed", job=job))
    else:
        print_notice(t("cli.resume.not_running"))
