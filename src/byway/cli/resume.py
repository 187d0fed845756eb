"""Resume: let a paused crawl go on."""

from byway.cli.jobs import known_job
from byway.cli.support.options import HERE, Data, JobName, Verbose
from byway.cli.support.output import say

ORDER = 27


def command(data: Data = HERE, job: JobName = "", verbose: Verbose = False) -> None:
    """Let a paused crawl go on, exactly where it was."""
    folder = known_job(data, job)
    what = f"the job {job}" if job else "the crawl"
    if not folder.is_paused(job):
        say(f"{what} was not paused")
        return
    folder.pause(False, job)
    running = folder.crawler() is not None
    say(f"{what} goes on" if running else "no crawl is running; `byway crawl` goes on")
