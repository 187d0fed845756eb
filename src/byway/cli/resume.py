"""Resume: let a paused crawl go on."""

from byway.cli.jobs import require_job
from byway.cli.support.options import DEFAULT_DATA_DIR, DataOption, JobOption, VerboseOption
from byway.cli.support.output import print_notice

ORDER = 27


def command(
    data: DataOption = DEFAULT_DATA_DIR, job: JobOption = "", verbose: VerboseOption = False
) -> None:
    """Let a paused crawl go on, exactly where it was."""
    folder = require_job(data, job)
    what = f"the job {job}" if job else "the crawl"
    if not folder.is_paused(job):
        print_notice(f"{what} was not paused")
        return
    folder.set_paused(False, job)
    running = folder.crawler_pid() is not None
    print_notice(f"{what} goes on" if running else "no crawl is running; `byway crawl` goes on")
