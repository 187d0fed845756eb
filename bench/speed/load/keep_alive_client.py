"""Closed-loop load: clients that keep their connection and send a request after each answer.

One thread waits on all sockets and reads only the status and the length of an answer: about 30
microseconds a request, so that the client hardly takes CPU time from the server.
"""

import selectors
import socket
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

RECEIVE_BYTES = 1 << 17
LENGTH_HEADER = b"content-length: "


@dataclass(slots=True)
class ClosedLoopResult:
    """The outcomes of all requests."""

    seconds: float = 0.0
    client_cpu_seconds: float = 0.0
    server_cpu_seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    """Latencies of the answers with status 200."""
    other_outcomes: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "ClosedLoopResult") -> "ClosedLoopResult":
        return ClosedLoopResult(
            self.seconds + other.seconds,
            self.client_cpu_seconds + other.client_cpu_seconds,
            self.server_cpu_seconds + other.server_cpu_seconds,
            self.latencies + other.latencies,
            self.other_outcomes + other.other_outcomes,
        )

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """The latency that this share of the answers does not exceed."""
        return sorted(self.latencies)[int(share * (len(self.latencies) - 1))]


class _Client:
    """One connection, and the answer that arrives on it."""

    def __init__(self, address: tuple[str | None, int | None]) -> None:
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, request: bytes) -> None:
        self.received, self.length, self.sent_at = b"", 0, time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read what has arrived; returns whether the answer is complete."""
        received = self.socket.recv(RECEIVE_BYTES)
        if not received:
            raise ConnectionResetError
        self.received += received
        if not self.length:
            head_end = self.received.find(b"\r\n\r\n")
            start = self.received.find(LENGTH_HEADER, 0, head_end) + len(LENGTH_HEADER)
            if head_end < 0:
                return False
            body = int(self.received[start : self.received.index(b"\r", start)])
            self.length = head_end + 4 + body
        return len(self.received) >= self.length


def closed_loop_load(
    url: str, targets: Sequence[str], clients: int, seconds: float
) -> ClosedLoopResult:
    """Let this many clients request the targets in turn, each after its last answer."""
    parts = urlsplit(url)
    head = f"HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
    requests = [f"GET {target} {head}".encode() for target in targets]
    result, sent = ClosedLoopResult(seconds), 0
    selector = selectors.DefaultSelector()
    cpu_before, end = time.process_time(), time.perf_counter() + seconds
    opened = [_Client((parts.hostname, parts.port)) for _ in range(clients)]
    for client in opened:
        selector.register(client.socket, selectors.EVENT_READ, client)
        client.send(requests[sent % len(requests)])
        sent += 1
    while (now := time.perf_counter()) < end:
        for key, _ in selector.select(end - now):
            client = key.data
            if not client.receive():
                continue
            status = client.received[9:12].decode()
            if status == "200":
                result.latencies.append(time.perf_counter() - client.sent_at)
            else:
                result.other_outcomes[status] += 1
            client.send(requests[sent % len(requests)])
            sent += 1
    result.client_cpu_seconds = time.process_time() - cpu_before
    for client in opened:
        client.socket.close()
    selector.close()
    return result
