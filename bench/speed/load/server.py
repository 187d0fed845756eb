"""A search page with slow searches: python -m bench.speed.load.server MILLISECONDS

Each search takes that much CPU time, half of it in C without the GIL, as a real search does.
"""

import hashlib
import sys
import time

from byway.app.processes.listener import listen, listener_url
from byway.core.model import Query, Results, Status
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.server import run_on_socket

HASH_ROUNDS = 200


class SlowSearcher:
    """Uses CPU time and finds nothing."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __call__(self, query: Query) -> Results:
        start = time.thread_time()
        while time.thread_time() - start < self._seconds / 2:
            hashlib.pbkdf2_hmac("sha256", b"words", b"index", HASH_ROUNDS)
        while time.thread_time() - start < self._seconds:
            sum(range(HASH_ROUNDS))
        return Results(query, (), 0, self._seconds)


def main() -> None:
    """Serve until stopped."""
    status = Status(pages=1, indexed=1)
    app = make_app(SlowSearcher(float(sys.argv[1]) / 1000), lambda: status, ServeSettings())
    with listen("127.0.0.1", 0) as listener:
        print(listener_url(listener), flush=True)
        run_on_socket(app, listener)


if __name__ == "__main__":
    main()
