"""The byway of one checkout, called with the flags and settings that it knows."""

import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from bench.comparison import repeated_calls
from bench.comparison.aliases import Aliases, first_known
from bench.comparison.commits import Checkout
from bench.comparison.errors import ComparisonError

START_TIMEOUT = 120.0
"""How long a server may take to answer for the first time."""
STOP_TIMEOUT = 20.0

FLAG_PATTERN = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SECTION_PATTERN = re.compile(r"\[(\w+)\]")
SETTING_PATTERN = re.compile(r"(?:# ?)?(\w+) = ")
"""A setting in byway.toml, commented out or not."""


class Program:
    """byway on one data folder. Flags are given by their old names."""

    def __init__(self, checkout: Checkout, aliases: Aliases, data: Path) -> None:
        self.checkout = checkout
        self.aliases = aliases
        self.data = data
        self._flags = cache(self._listed_flags)

    def run(self, command: str, *arguments: str) -> str:
        """Run a command; return what it prints."""
        done = self._python("-m", "byway", *self.arguments(command, *arguments))
        if done.returncode:
            raise ComparisonError(_failure(self.checkout, command, done.returncode, done.stderr))
        return done.stdout

    def run_each(self, calls: Sequence[Sequence[str]]) -> list[str]:
        """Run many short commands in one process; return what each prints, "" if it fails."""
        if not calls:
            return []
        lines = [json.dumps(self.arguments(*call)) for call in calls]
        done = self._python("-P", repeated_calls.__file__, input="\n".join(lines))
        printed = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode or len(printed) != len(calls):
            raise ComparisonError(
                _failure(self.checkout, calls[0][0], done.returncode, done.stderr)
            )
        return printed

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve the search page in the block; the value is its URL."""
        port = _free_port()
        typed = self.arguments("serve", "--port", str(port))
        process = subprocess.Popen(
            [self.checkout.python, "-m", "byway", *typed],
            cwd=self.checkout.tree,
            env=self.checkout.variables(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process, self.checkout)
            yield url
        finally:
            _stop(process)

    def arguments(self, command: str, *arguments: str) -> list[str]:
        """A command line with the flags as this checkout spells them."""
        typed = [command, *arguments, "--data", str(self.data)]
        return [self._spelled(command, one) if one.startswith("--") else one for one in typed]

    def crawl_settings(self) -> list[str]:
        """The settings of the alias table, as this checkout spells them."""
        known = setting_names((self.data / "byway.toml").read_text("utf-8"))
        options = []
        for setting in self.aliases.later["settings"]:
            found = first_known(self.aliases.spellings("settings", setting), known)
            if found is None:
                raise self._unknown(f"setting {setting}")
            options += ["--set", found]
        return options

    def _spelled(self, command: str, flag: str) -> str:
        found = first_known(self.aliases.spellings("flags", flag), self._flags(command))
        if found is None:
            raise self._unknown(f"`byway {command} {flag}`")
        return found

    def _unknown(self, thing: str) -> ComparisonError:
        name = self.checkout.name
        return ComparisonError(f"{name} has no {thing}; add its new name to aliases.toml")

    def _listed_flags(self, command: str) -> frozenset[str]:
        return frozenset(flag_names(self._python("-m", "byway", command, "--help").stdout))

    def _python(
        self, *arguments: str, input: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.checkout.python, *arguments],
            cwd=self.checkout.tree,
            env=self.checkout.variables(),
            input=input,
            capture_output=True,
            text=True,
        )


def flag_names(text: str) -> list[str]:
    """The flags that a help text names."""
    return FLAG_PATTERN.findall(text)


def setting_names(text: str) -> set[str]:
    """The settings that a byway.toml names, commented out or not."""
    names, section = set(), ""
    for line in text.splitlines():
        if found := SECTION_PATTERN.match(line):
            section = found[1]
        elif found := SETTING_PATTERN.match(line):
            names.add(f"{section}.{found[1]}")
    return names


def _failure(checkout: Checkout, command: str, code: int, stderr: str) -> str:
    last = (stderr.strip().splitlines() or ["no message"])[-1]
    return f"{checkout.name}: `byway {command}` ended with {code}: {last}"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _wait_for(url: str, process: subprocess.Popen[bytes], checkout: Checkout) -> None:
    end = time.monotonic() + START_TIMEOUT
    while time.monotonic() < end and process.poll() is None:
        with suppress(URLError, ConnectionError), urlopen(f"{url}/healthz", timeout=5):
            return
        time.sleep(0.1)
    raise ComparisonError(f"{checkout.name}: `byway serve` does not answer")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
