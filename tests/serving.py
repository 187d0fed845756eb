"""An HTTP server for tests that leaves as soon as it is told; the library's takes half a second."""

import http.server


class QuickShutdownServer(http.server.ThreadingHTTPServer):
    """Looks a hundred times a second whether it should go."""

    def serve_forever(self, poll_interval: float = 0.01) -> None:
        super().serve_forever(poll_interval)
