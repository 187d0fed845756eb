"""`byway pause`: pause the crawl of a data folder."""

from byway.app.crawl_control import set_paused
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JobOption,
    VerboseOption,
    settings_from_options,
)
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
    if set_paused(data, settings_from_options(data), True, job).is_running:
        print_notice(t("cli.pause.job_paused" if job else "cli.pause.paused", job=job))
    else:
        print_notice(t("cli.pause.not_running"))
