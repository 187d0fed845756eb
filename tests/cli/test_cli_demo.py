"""`byway demo` ends with a command that can be copied."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from byway.cli.demo import invocation_name


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A byway that is in no folder of the PATH."""
    monkeypatch.setenv("PATH", os.defpath)
    path = tmp_path / "my bin" / "byway"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\necho called\n")
    path.chmod(0o755)
    return path


def test_a_program_that_a_shell_does_not_find_is_called_by_its_path(program: Path) -> None:
    typed = invocation_name(str(program))
    ran = subprocess.run(typed, shell=True, capture_output=True, text=True, check=True)
    assert ran.stdout == "called\n"


def test_a_program_that_a_shell_finds_is_called_by_its_name(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert invocation_name(str(program)) == invocation_name("byway") == "byway"


def test_a_module_is_called_as_one() -> None:
    typed = invocation_name("/somewhere/byway/__main__.py")
    ran = subprocess.run(
        f"{typed} --version", shell=True, capture_output=True, text=True, check=True
    )
    assert typed.startswith(sys.executable) and ran.stdout.startswith("byway ")
