"""Web process: the search page, the admin pages and the API on an inherited socket."""

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from byway.app.accounts import open_accounts_if_readable
from byway.app.admin import AdminService
from byway.app.engine import Engine
from byway.app.pages import PageArchive
from byway.app.processes.child_process import Send, run_child
from byway.app.processes.tasks import WebTask, read_task
from byway.app.processes.worker_memory import WorkerMemory
from byway.web.app import make_app
from byway.web.server import run_on_socket


def main(arguments: Mapping[str, Any], send: Send) -> None:
    """Serve until SIGTERM."""
    task = read_task(arguments, WebTask)
    engine = Engine(Path(task.path), task.settings)
    storage, settings = engine.storage, engine.settings
    workers = WorkerMemory(task.worker, task.workers, task.memory)
    with (
        engine.search_session(workers) as session,
        open_accounts_if_readable(storage.path, settings, workers=task.workers) as accounts,
        socket.socket(fileno=task.listener) as listener,
    ):
        app = make_app(
            session.search,
            session.status,
            settings.serve,
            accounts,
            AdminService(storage, settings, session, workers),
            session.suggest,
            PageArchive(storage, settings, session),
            index_status=session.index_status,
            workers=workers,
        )
        send({"ready": True})
        run_on_socket(app, listener)


if __name__ == "__main__":
    run_child(main)
