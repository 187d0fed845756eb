"""`byway serve`: serve the search page and the API."""

from byway.app.processes.listener import listen, listener_url
from byway.app.processes.local_runner import supervise
from byway.app.processes.task_call import wait_for_message
from byway.app.processes.tasks import web_processes
from byway.app.storage import open_storage
from byway.cli.support import options
from byway.cli.support.account_setup import has_admin, open_accounts_or_warn, print_search_url
from byway.cli.support.options import settings_from_options
from byway.cli.support.stop_signals import receive_signals, wait_for_stop

PANEL = "Search"
ORDER = 2


def command(
    port: options.PortOption = None,
    workers: options.WorkersOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    verbose: options.VerboseOption = False,
) -> None:
    """Serve the search page and the API.

    Ctrl-C stops the server. Other machines can connect only if there is an admin account.
    """
    settings = settings_from_options(data, set, {"serve.port": port, "serve.workers": workers})
    storage = open_storage(data, settings)
    storage.require_data()
    with (
        open_accounts_or_warn(data, settings) as accounts,
        listen(settings.serve.host, settings.serve.port, has_admin(accounts)) as listener,
        web_processes(data, settings, listener) as (first, *others),
        supervise(storage) as runner,
    ):
        wait_for_message(runner, first, "ready")  # or an error, which ends the command
        for other in others:
            runner.start(other)
        print_search_url(accounts, listener_url(listener))
        wait_for_stop(receive_signals())
