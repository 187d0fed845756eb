"""Settings come from a file, the environment and options; errors name the setting and the cure."""

from pathlib import Path

import pytest

from byway.core.errors import SettingsError
from byway.core.messages import Message, languages, speaking
from byway.core.settings.load import load_settings
from byway.core.settings.schema import CrawlSettings, Settings


def write_toml(folder: Path, toml: str | bytes) -> Path:
    path = folder / "byway.toml"
    path.write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    return path


def load_error(path: Path | None, environ: dict[str, str], *options: str) -> SettingsError:
    """The error of loading these settings, which has a text in every language."""
    with pytest.raises(SettingsError) as caught:
        load_settings(path, environ, options)
    for language in languages():
        with speaking(language):
            text = str(caught.value).replace(str(path), "")
        assert text != caught.value.code and "\n" not in text and len(text) < 220
    return caught.value


def source_error(error: SettingsError) -> tuple[object, Message]:
    """The source that an error names, and the error of that source."""
    assert error.code == "core.bad_source"
    cause = error.params["error"]
    assert isinstance(cause, Message)
    return error.params["source"], cause


def test_options_override_the_environment_which_overrides_the_file(tmp_path: Path) -> None:
    path = write_toml(tmp_path, "[crawl]\ndelay = 1.5\nmax_retries = 5\nmax_depth = 5")
    environ = {"BYWAY_CRAWL__MAX_RETRIES": "6", "BYWAY_CRAWL__MAX_DEPTH": "6", "PATH": "/bin"}
    crawl = load_settings(path, environ, ["crawl.max_depth=7"]).crawl
    assert (crawl.delay, crawl.max_retries, crawl.max_depth) == (1.5, 6, 7)
    assert crawl.concurrency == CrawlSettings().concurrency


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml", {}) == load_settings(None, {}) == Settings()


def test_the_path_of_the_data_folder_is_no_setting() -> None:
    assert load_settings(None, {"BYWAY_DATA": "/somewhere"}) == Settings()


def test_text_is_converted_to_the_type_of_the_setting() -> None:
    options = [
        "crawl.delay= 2",
        "crawl.concurrency=8",
        "crawl.sitemaps=False",
        "crawl.favicons=1",
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
        favicons=True,
        scope="site",
        user_agent="me = you",
        allow_private=("127.0.0.0/8", "10.0.0.0/8"),
    )
    assert settings.search.weights == {"title_coverage": 0.5, "bm25": 2.0}


def test_a_table_can_be_given_as_json() -> None:
    settings = load_settings(None, {"BYWAY_SEARCH__WEIGHTS": '{"title_coverage": 3}'})
    assert settings.search.weights == {"title_coverage": 3.0}
    _, error = source_error(load_error(None, {"BYWAY_SEARCH__WEIGHTS": "title=3"}))
    assert error.code == "error.core.bad_type"


@pytest.mark.parametrize(
    ("toml", "suggestion"),
    [
        ("[krawl]", "crawl"),
        ("[crawl]\ndealy = 1", "crawl.delay"),
        ("delay = 1", "crawl.delay"),
        ("[crawl]\nworkers = 1", "serve.workers"),
        ("[extract]\nmemory = 1", "extract.worker_memory_mb"),
        ("[crawl]\nagain_most = 1", ""),
        ("zzz = 1", ""),
    ],
)
def test_an_unknown_setting_is_named_with_the_closest_one(
    toml: str, suggestion: str, tmp_path: Path
) -> None:
    path = write_toml(tmp_path, toml)
    source, error = source_error(load_error(path, {}))
    assert source == str(path)
    if suggestion:
        assert error.code == "error.core.setting_typo"
        assert error.params["suggestion"] == suggestion
    else:
        assert error.code == "error.core.unknown_setting"


@pytest.mark.parametrize("toml", ["crawl = 5", "[[crawl]]\ndelay = 1"])
def test_a_section_is_not_a_value(toml: str, tmp_path: Path) -> None:
    _, error = source_error(load_error(write_toml(tmp_path, toml), {}))
    assert error == Message("error.core.not_a_section", setting="crawl", example="crawl.user_agent")


@pytest.mark.parametrize(
    ("toml", "setting", "expected"),
    [
        ("[crawl]\ndelay = 'fast'", "crawl.delay", "number"),
        ("[crawl]\ndelay = true", "crawl.delay", "number"),
        ("[crawl]\ndelay = nan", "crawl.delay", "number"),
        ("[crawl]\ndelay = inf", "crawl.delay", "number"),
        ("[crawl.delay]\nx = 1", "crawl.delay", "number"),
        ("[crawl]\nmax_retries = 2.5", "crawl.max_retries", "integer"),
        ("[crawl]\nmax_retries = '2.5'", "crawl.max_retries", "integer"),
        ("[crawl]\nmax_retries = true", "crawl.max_retries", "integer"),
        ("[crawl]\nsitemaps = 1", "crawl.sitemaps", "boolean"),
        ("[crawl]\nsitemaps = 'yes'", "crawl.sitemaps", "boolean"),
        ("[crawl]\nscope = 'all'", "crawl.scope", "choice"),
        ("[crawl]\nscope = []", "crawl.scope", "choice"),
        ("[crawl]\nuser_agent = 5", "crawl.user_agent", "text"),
        ("[crawl]\nmedia_types = 5", "crawl.media_types", "list"),
        ("[crawl]\nmedia_types = ['a', 5]", "crawl.media_types", "list"),
        ("[search]\nweights = 5", "search.weights", "table"),
        ("[search]\nweights = []", "search.weights", "table"),
        ("[search.weights]\nx = 'y'", "search.weights", "table"),
        ("[search.weights]\nx = nan", "search.weights", "table"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error(
    toml: str, setting: str, expected: str, tmp_path: Path
) -> None:
    path = write_toml(tmp_path, toml)
    source, error = source_error(load_error(path, {}))
    assert source == str(path)
    assert error.code == "error.core.bad_type"
    assert error.params["setting"] == setting
    type_message = error.params["expected"]
    assert isinstance(type_message, Message)
    assert type_message.code == f"error.core.type.{expected}"


def test_an_error_reads_well(tmp_path: Path) -> None:
    path = write_toml(tmp_path, "[crawl]\nscope = 'all'")
    assert str(load_error(path, {})) == (
        f"{path}: crawl.scope = 'all' is not one of host, site, any."
    )
    assert str(load_error(None, {"BYWAY_CRAWL_DELAY": "2"})) == (
        "environment variable BYWAY_CRAWL_DELAY: "
        "Unknown setting crawl_delay. Did you mean crawl.delay?"
    )


@pytest.mark.parametrize(
    ("toml", "detail"),
    [
        ("[crawl", "Expected ']'"),
        ("[crawl]\ndelay = 1\ndelay = 2\n[index]\n", "line 3"),
        ("[crawl]\nmax_retries = " + "9" * 5000, "digits"),
    ],
)
def test_a_file_that_is_not_toml_is_named(toml: str, detail: str, tmp_path: Path) -> None:
    path = write_toml(tmp_path, toml)
    error = load_error(path, {})
    assert (error.code, error.params["path"]) == ("core.not_toml", path)
    assert detail in str(error.params["detail"])


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    path = write_toml(tmp_path, b"[crawl]\nuser_agent = '\xff'")
    error = load_error(path, {})
    assert (error.code, error.params) == ("core.not_utf8", {"path": path, "line": 2})


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "byway.toml").mkdir()
    error = load_error(tmp_path / "byway.toml", {})
    assert (error.code, error.params["detail"]) == ("core.unreadable", "Is a directory")


@pytest.mark.parametrize(
    ("option", "code"),
    [
        ("crawl.delay", "core.option_syntax"),
        ("=5", "core.option_syntax"),
        ("crawl=5", "core.not_a_section"),
        ("crawl.dealy=5", "core.setting_typo"),
    ],
)
def test_a_wrong_option_is_an_error(option: str, code: str) -> None:
    assert load_error(None, {}, option).code == code


def test_two_values_for_one_setting_are_an_error() -> None:
    options = ["search.weights=1", "search.weights.title_coverage=2"]
    assert load_error(None, {}, *options).code == "core.value_conflict"


@pytest.mark.parametrize(
    ("option", "code", "params"),
    [
        ("crawl.delay=-1", "too_small", {"minimum": 0}),
        ("crawl.timeout=0", "too_small", {"minimum": 0.1}),
        ("crawl.concurrency=0", "too_small", {"minimum": 1}),
        ("crawl.max_pages=-1", "too_small", {"minimum": 0}),
        ("extract.worker_memory_mb=16", "too_small", {"minimum": 64}),
        ("extract.timeout=0", "too_small", {"minimum": 0.1}),
        ("index.writer_memory_mb=14", "too_small", {"minimum": 15}),
        ("rank.max_iterations=0", "too_small", {"minimum": 1}),
        ("search.max_candidates=9", "too_small", {"minimum": 10}),
        ("search.snippet_chars=5", "too_small", {"minimum": 20}),
        ("serve.port=-1", "too_small", {"minimum": 0}),
        ("serve.port=65536", "too_large", {"maximum": 65535}),
        ("rank.damping=1", "not_below", {"maximum": 1}),
        ("rank.damping=-0.1", "too_small", {"minimum": 0}),
        ("crawl.trap_threshold=1.1", "too_large", {"maximum": 1}),
        ("crawl.allow_private=10.0.0.1/8", "host_bits_set", {"correct": "10.0.0.0/8"}),
        ("crawl.allow_private=intranet", "not_a_network", {"network": "intranet"}),
        ("crawl.host_pattern=(", "not_a_pattern", {"value": "("}),
        ("crawl.user_agent=a\r\nCookie: b", "not_one_line", {}),
        ("crawl.user_agent= ", "not_one_line", {}),
        ("serve.cors_origins=https://example.org/", "not_an_origin", {}),
        ("serve.cors_origins=example.org", "not_an_origin", {"origin": "example.org"}),
        ("serve.cors_origins=https://*.example.org", "not_an_origin", {}),
    ],
)
def test_a_value_outside_its_limits_is_an_error(
    option: str, code: str, params: dict[str, object]
) -> None:
    error = load_error(None, {}, option)
    assert error.code == f"core.{code}"
    assert error.params["setting"] == option.partition("=")[0]
    assert params.items() <= error.params.items()


@pytest.mark.parametrize(
    ("toml", "variable", "value", "code"),
    [
        ("[crawl]\ndelay = -1", "CRAWL__DELAY", "-1", "too_small"),
        ("[rank]\ndamping = 5", "RANK__DAMPING", "5", "not_below"),
        ("[serve]\nport = 99999", "SERVE__PORT", "99999", "too_large"),
        ("[crawl]\nhost_pattern = '('", "CRAWL__HOST_PATTERN", "(", "not_a_pattern"),
        ("[crawl]\nuser_agent = ''", "CRAWL__USER_AGENT", "", "not_one_line"),
        ("[crawl]\nallow_private = ['x']", "CRAWL__ALLOW_PRIVATE", "x", "not_a_network"),
    ],
)
def test_an_error_names_the_source_of_the_value(
    toml: str, variable: str, value: str, code: str, tmp_path: Path
) -> None:
    path = write_toml(tmp_path, toml)
    source, error = source_error(load_error(path, {}))
    assert (source, error.code) == (str(path), f"error.core.{code}")
    name = f"BYWAY_{variable}"
    source, error = source_error(load_error(None, {name: value}))
    assert source == Message("error.core.environment_variable", name=name)
    assert error.code == f"error.core.{code}"


def test_two_settings_that_depend_on_each_other_may_have_two_sources(tmp_path: Path) -> None:
    path = write_toml(tmp_path, "[crawl]\nmax_revisit_days = 0.01")
    error = load_error(path, {})
    assert error.code == "core.too_small"
    assert error.params["setting"] == "crawl.max_revisit_days"
    settings = load_settings(path, {"BYWAY_CRAWL__MIN_REVISIT_DAYS": "0.005"})
    assert settings.crawl.max_revisit_days == 0.01


def test_data_folder_variables_are_not_settings() -> None:
    environment = {"BYWAY_DATA": "/a", "BYWAY_TEST_DATA": "/b"}
    assert load_settings(None, environment) == Settings()
