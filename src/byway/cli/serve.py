"""Serve: the search page."""

from byway.backends.embedded.folder import Folder
from byway.cli.options import HERE, Data, Port, Set, Verbose, settings_of
from byway.cli.output import say
from byway.reading import reading
from byway.web.app import make_app
from byway.web.serve import run

ORDER = 11


def command(
    port: Port = None, data: Data = HERE, set: Set = None, verbose: Verbose = False
) -> None:
    """Serve the search page on this machine until Ctrl-C."""
    settings = settings_of(data, set, {"serve.port": port})
    with reading(Folder(data), settings) as opened:
        app = make_app(opened.search, opened.status, settings.serve)
        run(
            app,
            settings.serve.host,
            settings.serve.port,
            lambda url: say(f"search at {url} (Ctrl-C stops)"),
        )
