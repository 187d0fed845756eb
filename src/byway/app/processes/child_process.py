"""Child side of a supervised process: reads arguments, sends messages, ends with its parent.

if __name__ == "__main__":
    run_child(main)  # main(arguments, send) returns the result
"""

import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from byway.app.processes.unexpected_error import to_byway_error
from byway.core.errors import error_to_plain
from byway.core.messages import LANGUAGE, language_of

log = logging.getLogger(__name__)

Send = Callable[[Mapping[str, Any]], None]
"""Sends a message to the process that started this one."""


def run_child(work: Callable[[Mapping[str, Any], Send], object]) -> None:
    """Run `work(arguments, send)`, and report its result or its error.

    SIGTERM ends the process, which also receives one when its parent is gone.
    """
    # SIGUSR1 stays pending until a crawl handles it, and ends nothing else.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    LANGUAGE.set(language_of(os.environ))
    start, send = _read_start(), _open_channel()
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s")
    logging.getLogger("byway").setLevel(logging.DEBUG if start["is_verbose"] else logging.WARNING)
    if not start["is_detached"]:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        send({"result": work(start["arguments"], send)})
    except Exception as exception:
        log.debug("failed", exc_info=True)
        error = to_byway_error(exception, start["arguments"].get("path"))
        send({"error": error_to_plain(error)})
        sys.exit(error.exit_code)


def _read_start() -> Mapping[str, Any]:
    line = b""
    while not line.endswith(b"\n"):
        # Not through `sys.stdin`: `_end_with_parent` would still hold its lock at exit.
        chunk = os.read(0, 1 << 16)
        if not chunk:
            sys.exit(0)  # the parent is gone
        line += chunk
    start: Mapping[str, Any] = json.loads(line)
    return start


def _open_channel() -> Send:
    """The channel to the parent: a copy of stdout, which is then redirected to stderr."""
    channel = os.dup(1)
    os.dup2(2, 1)

    def send(message: Mapping[str, Any]) -> None:
        line = json.dumps(message).encode() + b"\n"
        with suppress(BrokenPipeError):  # nobody listens any more
            while line:
                line = line[os.write(channel, line) :]

    return send


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
