"""`byway stop`: stop the running crawl."""

from byway.app.crawl_control import stop_crawl
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import print_notice, progress
from byway.core.messages import t

PANEL = "Crawl"
ORDER = 7

STOP_TIMEOUT_SECONDS = 30.0
"""Maximum wait for a crawl to record its visits in progress."""


def command(
    data: options.DataOption = options.DEFAULT_DATA_DIR, verbose: options.VerboseOption = False
) -> None:
    """Stop the running crawl.

    Pages in progress are finished and recorded first. `byway up` keeps serving.
    """
    with progress(t("cli.stop.stopping")):
        stop = stop_crawl(data, settings_from_options(data), STOP_TIMEOUT_SECONDS)
    if not stop.was_running:
        print_notice(t("cli.stop.not_running", data=data))
        return
    print_notice(t("cli.stop.stopped"))
    if stop.is_indexing:
        print_notice(t("cli.stop.indexer_running"))
