"""Weights are written into byway.toml, and nothing else in it changes."""

from pathlib import Path

import pytest

from byway.app.weight_lab import replace_weights, write_weights
from byway.core.errors import SettingsError
from byway.core.settings.load import load_settings

MINE = """\
# My settings.
[crawl]
delay = 2.0  # be kind

[serve]
title = "Найти"
"""


@pytest.mark.parametrize(
    "text",
    [
        "",
        MINE,
        MINE + "\n[search]\nsnippet_chars = 100\n",
        MINE + "\n[search]\nweights = { title_coverage = 0.5 }\nsnippet_chars = 100  # short\n",
        MINE + "\n[search.weights]\ntitle_coverage = 0.5\nurl_coverage = 3\n",
        "[search.weights]\ntitle_coverage = 0.5\n\n" + MINE,
        "search.weights.title_coverage = 0.5\n" + MINE,
        "[search]\nweights.title_coverage = 0.5\n\n" + MINE,
    ],
)
def test_weights_take_the_place_of_those_there_and_all_else_stays(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "byway.toml"
    path.write_text(text, encoding="utf-8")
    before = load_settings(path, {})
    write_weights(path, {"bm25": 1.5, "anchor_text": 0.0})
    after = load_settings(path, {})
    assert after.search.weights == {"bm25": 1.5, "anchor_text": 0.0}
    assert (after.crawl, after.serve) == (before.crawl, before.serve)
    assert after.search.snippet_chars == before.search.snippet_chars
    for comment in ("# My settings.", "# be kind", "# short"):
        assert (comment in path.read_text(encoding="utf-8")) == (comment in text)
    write_weights(path, {})
    assert load_settings(path, {}).search.weights == {}
    assert load_settings(path, {}).crawl == before.crawl
    assert [each.name for each in tmp_path.iterdir()] == ["byway.toml"]


def test_no_file_becomes_one(tmp_path: Path) -> None:
    write_weights(tmp_path / "byway.toml", {"title_coverage": 0.25})
    assert (tmp_path / "byway.toml").read_text() == "[search.weights]\ntitle_coverage = 0.25\n"


def test_a_link_stays_a_link_and_the_file_as_private_as_it_was(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real, named = elsewhere / "mine.toml", tmp_path / "byway.toml"
    real.write_text(MINE)
    real.chmod(0o640)
    named.symlink_to(real)
    write_weights(named, {"title_coverage": 0.25})
    assert named.is_symlink()
    assert load_settings(real, {}).search.weights == {"title_coverage": 0.25}
    assert real.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in elsewhere.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize("text", ["[crawl\n", "[search]\nno_such = 1\n", "search = 3\n"])
def test_a_file_that_is_wrong_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "byway.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match="was not changed"):
        write_weights(path, {"title_coverage": 0.25})
    assert path.read_text() == text


def test_weights_written_twice_are_there_once() -> None:
    once = replace_weights(MINE, {"title_coverage": 0.5})
    assert replace_weights(once, {"title_coverage": 0.5}) == once
