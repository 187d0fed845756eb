"""Pause: have a crawl hold still."""

from byway.cli.jobs import known_job
from byway.cli.support.options import HERE, Data, JobName, Verbose
from byway.cli.support.output import say

ORDER = 26


def command(data: Data = HERE, job: JobName = "", verbose: Verbose = False) -> None:
    """Have the crawl in this folder hold still; nothing is lost, `byway resume` lets it go on."""
    folder = known_job(data, job)
    folder.pause(True, job)
    what = f"the job {job}" if job else "the crawl"
    running = folder.crawler() is not None
    say(f"{what} holds still" if running else "no crawl is running; the next one will hold still")
