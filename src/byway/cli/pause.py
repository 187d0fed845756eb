"""`byway pause`: pause the crawl of a data folder."""

from byway.app.crawl_control import set_paused
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import print_notice
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 5


def command(
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    job: options.JobOption = "",
    verbose: options.VerboseOption = False,
) -> None:
    """Pause the crawl.

    No data is lost. `byway resume` continues the crawl.
    """
    if set_paused(data, settings_from_options(data), True, job).is_running:
        print_notice(t("cli.pause.job_paused" if job else "cli.pause.paused", job=job))
    else:
        print_notice(t("cli.pause.not_running"))
