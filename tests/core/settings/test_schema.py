"""The settings schema: descriptions, defaults and the settings file."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.core.settings.load import describe_settings, load_settings, to_toml
from byway.core.settings.schema import (
    CrawlSettings,
    IndexSettings,
    RankSettings,
    SearchSettings,
    ServeSettings,
    Settings,
)


def test_every_setting_has_a_description() -> None:
    for section, description, settings in describe_settings():
        assert description.endswith("."), section
        for setting in settings:
            assert setting.help.endswith(".") or setting.help.endswith('".'), setting.name
            assert setting.help[0].isupper() and len(setting.help) > 15, setting.name
            assert setting.default_toml, setting.name


def test_every_setting_is_in_the_file_and_at_its_default_commented_out() -> None:
    toml = to_toml(Settings())
    for _, _, settings in describe_settings():
        for setting in settings:
            assert f"# {setting.name.partition('.')[2]} = {setting.default_toml}\n" in toml


def changed_settings() -> st.SearchStrategy[Settings]:
    """Settings with values other than the defaults."""
    text = st.text(st.characters(codec="utf-8"), max_size=20)
    line = text.filter(lambda value: bool(value.strip()) and value.isprintable())
    number = st.floats(0, 1e9, allow_nan=False)
    networks = st.lists(st.sampled_from(["10.0.0.0/8", "::1/128", "127.0.0.0/8"]), max_size=3)
    crawl = st.builds(
        CrawlSettings,
        user_agent=line,
        delay=number,
        sitemaps=st.booleans(),
        scope=st.sampled_from(["host", "site", "any"]),
        allow_private=networks.map(tuple),
    )
    weights = st.dictionaries(text, number, max_size=3)
    return st.builds(
        Settings,
        crawl=crawl,
        index=st.builds(IndexSettings, writer_memory_mb=st.integers(15, 10**9)),
        rank=st.builds(RankSettings, tolerance=st.floats(0, 1)),
        search=st.builds(SearchSettings, weights=weights),
        serve=st.builds(ServeSettings, title=text),
    )


@given(changed_settings())
def test_a_written_settings_file_loads_as_the_same_settings(settings: Settings) -> None:
    assert reloaded(settings) == settings


def test_a_settings_file_of_defaults_changes_nothing() -> None:
    assert reloaded(Settings()) == Settings()


def reloaded(settings: Settings) -> Settings:
    """These settings, written to a file and loaded again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "byway.toml")
        path.write_text(to_toml(settings), encoding="utf-8")
        return load_settings(path, {})


def test_settings_are_immutable() -> None:
    settings = Settings()
    with pytest.raises(AttributeError):
        settings.crawl.delay = 0  # type: ignore[misc]
    assert replace(settings.crawl, delay=0).delay == 0
