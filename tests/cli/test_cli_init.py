"""`byway init`: the commented settings file."""

from pathlib import Path

from cli.runner import byway, error_line

from byway.core.messages import t
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings


def test_the_file_loads_and_changes_nothing(tmp_path: Path) -> None:
    ran = byway("init", "--data", tmp_path / "data")
    assert (ran.exit_code, ran.stdout) == (0, "")
    path = tmp_path / "data" / "byway.toml"
    assert f"Wrote {path}" in ran.stderr
    assert load_settings(path, {}) == Settings()


def test_what_was_set_is_in_the_file(tmp_path: Path) -> None:
    byway("init", "--data", tmp_path, "--set", "crawl.delay=2.5", BYWAY_SERVE__PORT="8700")
    settings = load_settings(tmp_path / "byway.toml", {})
    assert (settings.crawl.delay, settings.serve.port) == (2.5, 8700)


def test_the_folder_can_be_named_by_the_environment(tmp_path: Path) -> None:
    assert byway("init", BYWAY_DATA=str(tmp_path / "elsewhere")).exit_code == 0
    assert (tmp_path / "elsewhere" / "byway.toml").exists()


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "byway.toml"
    path.write_text("[crawl]\ndelay = 3\n")
    says = error_line("init", "--data", tmp_path, exit_code=1)
    assert says == t("error.cli.settings_file_exists", path=path)
    assert path.read_text() == "[crawl]\ndelay = 3\n"


def test_the_next_command_can_use_the_folder(tmp_path: Path) -> None:
    byway("init", "--data", tmp_path)
    ran = byway("status", "--data", tmp_path)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert "0 kept, 0 searchable" in ran.stdout
