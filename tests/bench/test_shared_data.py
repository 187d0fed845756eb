"""The shared test data has one setting, and its absence is one clear line."""

from pathlib import Path

import pytest

from bench import test_data


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(test_data.ENV_NAME, str(tmp_path))
    (tmp_path / "robots").mkdir()
    assert test_data.find_folder() == test_data.folder() == tmp_path
    assert test_data.require_data("robots") == tmp_path / "robots"


def test_without_the_folder_a_line_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(test_data.ENV_NAME, str(tmp_path / "none"))
    assert test_data.find_folder() is None
    with pytest.raises(SystemExit, match=r"BYWAY_TEST_DATA names .*none, which is not a folder"):
        test_data.folder()


def test_a_missing_item_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(test_data.ENV_NAME, str(tmp_path))
    with pytest.raises(SystemExit, match=r"no robots in .*; set BYWAY_TEST_DATA"):
        test_data.require_data("robots")
