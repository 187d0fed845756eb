"""Everything a user may change, and what is said about what they may not."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.core.errors import SettingsError
from byway.core.settings.load import describe_settings, load_settings, to_toml
from byway.core.settings.schema import (
    CrawlSettings,
    IndexSettings,
    RankSettings,
    SearchSettings,
    ServeSettings,
    Settings,
)


def written(folder: Path, toml: str | bytes) -> Path:
    path = folder / "byway.toml"
    path.write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    return path


def refusal(toml: str = "", *, folder: Path, **environ: str) -> str:
    """The line that a user reads."""
    with pytest.raises(SettingsError) as refused:
        load_settings(written(folder, toml), environ)
    message = str(refused.value)
    assert "\n" not in message and len(message.replace(str(folder), "")) < 220
    return message


def test_the_last_word_is_the_option_then_the_environment_then_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "[crawl]\ndelay = 1.5\nmax_retries = 5\nmax_depth = 5")
    environ = {"BYWAY_CRAWL__MAX_RETRIES": "6", "BYWAY_CRAWL__MAX_DEPTH": "6", "PATH": "/bin"}
    crawl = load_settings(path, environ, ["crawl.max_depth=7"]).crawl
    assert (crawl.delay, crawl.max_retries, crawl.max_depth) == (1.5, 6, 7)
    assert crawl.concurrency == CrawlSettings().concurrency


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml", {}) == load_settings(None, {}) == Settings()


def test_where_the_data_is_kept_is_no_setting() -> None:
    assert load_settings(None, {"BYWAY_DATA": "/somewhere"}) == Settings()


def test_text_is_read_as_the_kind_that_is_wanted() -> None:
    options = [
        "crawl.delay=2",
        "crawl.concurrency=8",
        "crawl.sitemaps=False",
        "crawl.scope=site",
        "crawl.user_agent=me = you",
        "crawl.allow_private=127.0.0.0/8, 10.0.0.0/8,",
        "search.weights.title_coverage=0.5",
    ]
    settings = load_settings(None, {"BYWAY_SEARCH__WEIGHTS__BM25": "2"}, options)
    assert settings.crawl == CrawlSettings(
        delay=2.0,
        concurrency=8,
        sitemaps=False,
        scope="site",
        user_agent="me = you",
        allow_private=("127.0.0.0/8", "10.0.0.0/8"),
    )
    assert settings.search.weights == {"title_coverage": 0.5, "bm25": 2.0}


def test_a_table_can_be_one_text() -> None:
    settings = load_settings(None, {"BYWAY_SEARCH__WEIGHTS": '{"title_coverage": 3}'})
    assert settings.search.weights == {"title_coverage": 3.0}
    with pytest.raises(SettingsError, match="'title=3' is not a table of numbers"):
        load_settings(None, {"BYWAY_SEARCH__WEIGHTS": "title=3"})


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[krawl]", "unknown setting krawl; did you mean crawl?"),
        ("[crawl]\ndealy = 1", "unknown setting crawl.dealy; did you mean crawl.delay?"),
        ("delay = 1", "unknown setting delay; did you mean crawl.delay?"),
        ("[crawl]\nworkers = 1", "unknown setting crawl.workers; did you mean extract.workers?"),
        ("zzz = 1", "unknown setting zzz; `byway init` writes a file with all of them"),
        ("crawl = 5", "crawl is a section; set what is in it, as crawl.user_agent"),
        ("[[crawl]]\ndelay = 1", "crawl is a section; set what is in it, as crawl.user_agent"),
        ("[crawl]\ndelay = 'fast'", "crawl.delay = 'fast' is not a number"),
        ("[crawl]\ndelay = true", "crawl.delay = True is not a number"),
        ("[crawl]\ndelay = nan", "crawl.delay = nan is not a number"),
        ("[crawl]\ndelay = inf", "crawl.delay = inf is not a number"),
        ("[crawl.delay]\nx = 1", "crawl.delay = {'x': 1} is not a number"),
        ("[crawl]\nmax_retries = 2.5", "crawl.max_retries = 2.5 is not a whole number"),
        ("[crawl]\nmax_retries = '2.5'", "crawl.max_retries = '2.5' is not a whole number"),
        ("[crawl]\nmax_retries = true", "crawl.max_retries = True is not a whole number"),
        ("[crawl]\nsitemaps = 1", "crawl.sitemaps = 1 is not true or false"),
        ("[crawl]\nsitemaps = 'yes'", "crawl.sitemaps = 'yes' is not true or false"),
        ("[crawl]\nscope = 'all'", "crawl.scope = 'all' is not one of host, site, any"),
        ("[crawl]\nscope = []", "crawl.scope = [] is not one of host, site, any"),
        ("[crawl]\nuser_agent = 5", "crawl.user_agent = 5 is not a text"),
        ("[crawl]\nmedia_types = 5", "crawl.media_types = 5 is not a list of texts"),
        ("[crawl]\nmedia_types = ['a', 5]", "crawl.media_types = ['a', 5] is not a list of texts"),
        ("[search]\nweights = 5", "search.weights = 5 is not a table of numbers"),
        ("[search]\nweights = []", "search.weights = [] is not a table of numbers"),
        ("[search.weights]\nx = 'y'", "search.weights = {'x': 'y'} is not a table of numbers"),
        ("[search.weights]\nx = nan", "search.weights = {'x': nan} is not a table of numbers"),
    ],
)
def test_a_wrong_setting_is_named_with_its_cure(toml: str, says: str, tmp_path: Path) -> None:
    assert refusal(toml, folder=tmp_path) == f"{tmp_path / 'byway.toml'}: {says}"


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[crawl", "Expected ']'"),
        ("[crawl]\ndelay = 1\ndelay = 2\n[index]\n", "line 3"),
        ("[crawl]\nmax_retries = " + "9" * 5000, "digits"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(toml: str | bytes, says: str, tmp_path: Path) -> None:
    path = written(tmp_path, toml)
    with pytest.raises(SettingsError) as refused:
        load_settings(path, {})
    assert str(refused.value).startswith(f"{path}: ")
    assert says in str(refused.value)


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, b"[crawl]\nuser_agent = '\xff'")
    with pytest.raises(SettingsError) as refused:
        load_settings(path, {})
    assert str(refused.value) == f"{path}, line 2: not UTF-8; save the file as UTF-8"


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "byway.toml").mkdir()
    with pytest.raises(SettingsError, match=r"byway\.toml: Is a directory"):
        load_settings(tmp_path / "byway.toml", {})


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("crawl.delay", "--set crawl.delay: write it as --set crawl.delay=2"),
        ("crawl=5", "crawl is a section; set what is in it, as crawl.user_agent"),
        ("crawl.dealy=5", "unknown setting crawl.dealy; did you mean crawl.delay?"),
        ("=5", "--set =5: write it as --set crawl.delay=2"),
    ],
)
def test_a_wrong_option_is_named_with_its_cure(option: str, says: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(None, {}, [option])
    assert str(refused.value) == says


def test_a_wrong_variable_is_named_with_its_cure(tmp_path: Path) -> None:
    assert refusal(folder=tmp_path, BYWAY_CRAWL_DELAY="2") == (
        "BYWAY_CRAWL_DELAY in the environment: "
        "unknown setting crawl_delay; did you mean crawl.delay?"
    )


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("crawl.delay=-1", "the least is 0"),
        ("crawl.timeout=0", "the least is 0.1"),
        ("crawl.concurrency=0", "the least is 1"),
        ("crawl.max_pages=-1", "the least is 0"),
        ("extract.worker_memory_mb=16", "the least is 64"),
        ("extract.timeout=0", "the least is 0.1"),
        ("index.writer_memory_mb=14", "the least is 15"),
        ("rank.max_iterations=0", "the least is 1"),
        ("search.max_candidates=9", "the least is 10"),
        ("search.snippet_chars=5", "the least is 20"),
        ("serve.port=-1", "the least is 0"),
        ("serve.port=65536", "the most is 65535"),
        ("rank.damping=1", "must be at least 0 and below 1"),
        ("rank.damping=-0.1", "must be at least 0 and below 1"),
        ("crawl.allow_private=10.0.0.1/8", 'has host bits set; write networks, as "10.0.0.0/8"'),
        ("crawl.allow_private=intranet", 'write networks, as "10.0.0.0/8"'),
        ("crawl.user_agent=a\r\nCookie: b", "must be one line of text"),
        ("crawl.user_agent= ", "must be one line of text"),
        ("serve.cors_origins=https://example.org/", "without a path or a slash at the end"),
        ("serve.cors_origins=example.org", "'example.org' is no web site as browsers name it"),
        ("serve.cors_origins=https://*.example.org", "write the scheme and "),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(option: str, says: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(None, {}, [option])
    assert str(refused.value).startswith(option.partition("=")[0])
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("toml", "variable", "value", "says"),
    [
        ("[crawl]\ndelay = -1", "CRAWL__DELAY", "-1", "crawl.delay = -1.0 is too small"),
        ("[rank]\ndamping = 5", "RANK__DAMPING", "5", "rank.damping = 5.0 must be"),
        ("[serve]\nport = 99999", "SERVE__PORT", "99999", "serve.port = 99999 is too large"),
        ("[crawl]\nhost_pattern = '('", "CRAWL__HOST_PATTERN", "(", "crawl.host_pattern = '('"),
        ("[crawl]\nuser_agent = ''", "CRAWL__USER_AGENT", "", "crawl.user_agent = ''"),
        ("[crawl]\nallow_private = ['x']", "CRAWL__ALLOW_PRIVATE", "x", "crawl.allow_private: "),
    ],
)
def test_a_value_that_makes_no_sense_is_named_with_its_source(
    toml: str, variable: str, value: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "byway.toml"
    assert refusal(toml, folder=tmp_path).startswith(f"{path}: {says}")
    variable = f"BYWAY_{variable}"
    told = refusal(folder=tmp_path, **{variable: value})
    assert told.startswith(f"{variable} in the environment: {says}")


def test_two_settings_that_depend_on_each_other_may_stand_in_two_places(tmp_path: Path) -> None:
    path = written(tmp_path, "[crawl]\nmax_revisit_days = 0.01")
    with pytest.raises(SettingsError, match="again_most"):
        load_settings(path, {})
    assert (
        load_settings(path, {"BYWAY_CRAWL__MIN_REVISIT_DAYS": "0.005"}).crawl.max_revisit_days
        == 0.01
    )


def test_every_setting_says_in_a_sentence_what_it_does() -> None:
    for section, sentence, settings in describe_settings():
        assert sentence.endswith("."), section
        for setting in settings:
            assert setting.help.endswith(".") or setting.help.endswith('".'), setting.name
            assert setting.help[0].isupper() and len(setting.help) > 15, setting.name
            assert setting.default_toml, setting.name


def test_every_setting_is_in_the_file_and_at_its_default_commented_out() -> None:
    toml = to_toml(Settings())
    for _, _, settings in describe_settings():
        for setting in settings:
            assert f"# {setting.name.partition('.')[2]} = {setting.default_toml}\n" in toml


def changed() -> st.SearchStrategy[Settings]:
    """Settings that somebody has changed."""
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
        index=st.builds(IndexSettings, memory=st.integers(15, 10**9)),
        rank=st.builds(RankSettings, tolerance=st.floats(0, 1)),
        search=st.builds(SearchSettings, weights=weights),
        serve=st.builds(ServeSettings, title=text),
    )


@given(changed())
def test_the_file_that_is_written_says_what_was_meant(settings: Settings) -> None:
    assert reloaded(settings) == settings


def test_the_file_of_the_defaults_changes_nothing() -> None:
    assert reloaded(Settings()) == Settings()


def reloaded(settings: Settings) -> Settings:
    """What is read from the file that is written for these settings."""
    with tempfile.TemporaryDirectory() as folder:
        return load_settings(written(Path(folder), to_toml(settings)), {})


def test_settings_cannot_be_changed_under_the_hands_of_those_who_have_them() -> None:
    settings = Settings()
    with pytest.raises(AttributeError):
        settings.crawl.delay = 0  # type: ignore[misc]
    assert replace(settings.crawl, delay=0).delay == 0
