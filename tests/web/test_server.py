"""Listening, and stopping when told to."""

import signal
import socket
import subprocess
import sys
import time
from urllib.request import urlopen

import pytest
from pace import WAIT_TIMEOUT_SECONDS, slowness
from web.fake_site import HttpBrowser, served_fake_site

from byway.app.processes.listener import listen, listener_url
from byway.core.errors import UsageError
from byway.core.messages import t

PROGRAM = """
from byway.core.model import Status
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.app.processes.listener import listen, listener_url
from byway.web.server import run_on_socket

app = make_app(print, lambda: Status(0, 0, 0, False, ()), ServeSettings())
with listen("localhost", 0) as listener:
    print(listener_url(listener), flush=True)
    run_on_socket(app, listener)
print("stopped")
"""


def test_any_free_port_is_known_before_the_first_request() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert port
        assert listener_url(listener) == f"http://127.0.0.1:{port}/"


def test_a_port_in_use_is_an_error_with_a_cure() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(UsageError) as refused:
            listen("127.0.0.1", port)
    assert refused.value.code == "web.port_in_use"
    assert str(refused.value) == t("error.web.port_in_use", port=port, host="127.0.0.1")


def test_a_port_can_be_reused_at_once() -> None:
    with served_fake_site() as browser:
        port = int(browser.url.rstrip("/").rpartition(":")[2])
        browser.get("/")
    listen("127.0.0.1", port).close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3"])
def test_without_an_admin_only_loopback_is_allowed(host: str) -> None:
    with pytest.raises(UsageError, match=r"no admin account yet. Create one with `byway user add"):
        listen(host, 0)


def test_with_an_admin_any_address_is_allowed() -> None:
    with listen("0.0.0.0", 0, allow_remote=True) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"


@pytest.mark.parametrize("host", ["example.org", "", "127.0.0.1.evil"])
def test_an_invalid_address_is_an_error_with_a_cure(host: str) -> None:
    with pytest.raises(UsageError, match=r"is not an IP address"):
        listen(host, 0, allow_remote=True)


def test_an_invalid_port_is_rejected() -> None:
    with pytest.raises(UsageError, match="70000 is not a valid port"):
        listen("127.0.0.1", 70_000)


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_ipv6_loopback_works() -> None:
    try:
        listener = listen("::1", 0)
    except UsageError as refused:
        assert "Try 127.0.0.1" in str(refused)
        return
    with listener:
        assert listener_url(listener).startswith("http://[::1]:")


@pytest.mark.alone
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_signal_ends_the_server_quietly(stop: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout and server.stderr
        url = server.stdout.readline().strip()
        with urlopen(url, timeout=WAIT_TIMEOUT_SECONDS) as reply:
            assert reply.status == 200
        started = time.monotonic()
        server.send_signal(stop)
        assert server.wait(WAIT_TIMEOUT_SECONDS) == 0
        took = time.monotonic() - started
        assert took < 3 * slowness(time.perf_counter)
        assert server.stdout.read() == "stopped\n"
        assert server.stderr.read() == ""


def test_malformed_requests_reveal_nothing_about_the_server() -> None:
    with served_fake_site() as browser:
        host, port = browser.url.removeprefix("http://").rstrip("/").split(":")
        for nonsense in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            with socket.create_connection((host, int(port)), timeout=5) as raw:
                raw.sendall(nonsense)
                raw.shutdown(socket.SHUT_WR)
                answer = raw.recv(4096).lower()
            assert b"uvicorn" not in answer
        assert HttpBrowser(browser.url).get("/healthz").status == 200
