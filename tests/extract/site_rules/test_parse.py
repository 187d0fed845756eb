"""Site rule files: errors name the file, the line and the cure."""

from pathlib import Path

import pytest

from byway.core.errors import SettingsError
from byway.extract.site_rules.parse import read_rule


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("colour = 1", 1, "rule_unknown_key"),
        ("[match", 1, "rule_not_toml"),
        ('title = "h1', 1, "rule_not_toml"),
        ('title = "h1"', 1, "rule_without_match"),
        ('titel = "h1"\n[match]\ncss = "p"', 1, "rule_misspelled_key"),
        ('[match]\n\ncss = "a["', 3, "rule_bad_selector"),
        ("[match]\nurl = '('", 2, "rule_bad_pattern"),
        ('drop = 3\n[match]\ncss = "p"', 1, "rule_not_a_text"),
        ('drop = [\n  ".a",\n  ">",\n]\n[match]\ncss = "p"', 3, "rule_bad_selector"),
        ('[match]\ncss = "p"\n[fields.a]\ntype = "text"', 3, "rule_css_or_const"),
        ('[match]\ncss = "p"\n[fields.a]\ncss = "p"\ntype = "day"', 5, "rule_bad_type"),
        ('[match]\ncss = "p"\n[fields]\na = 3', 4, "rule_not_a_table"),
        ('[match]\ncss = "p"\n[fields."a b"]\ncss = "p"\nlist = "yes"', 5, "rule_list_not_bool"),
        ('[match]\ncss = "p"\n[fields.published]\ncss = "p"\ntype = "text"', 5, "rule_date_type"),
        ("[match]\nhost = []", 2, "rule_empty_condition"),
        ("[match]\ncss = 'p'\nurl = ''", 3, "rule_empty_condition"),
        ("[match]\nhost = 'a.org'\ncss = ['']", 3, "rule_empty_condition"),
        ("[match]\nhost = 'https://shop.example/'", 2, "rule_not_a_host"),
        ("[match]\nhost = ['a.org',\n '*.shop.example']", 3, "rule_not_a_host"),
        ("[match]\nhost = 'a shop'", 2, "rule_not_a_host"),
        ("[match]\ncss = 'p'\n[fields.a]\ncss = 'p'\nsplit = ','", 5, "rule_split_without_list"),
        ("main = 3\n[match]\ncss = 'p'", 1, "rule_not_a_text"),
        ("[match]\ncss = 'p'\n[links]\nskip = ['a', '[']", 4, "rule_bad_pattern"),
    ],
)
def test_an_error_has_a_code_a_file_and_a_line(
    tmp_path: Path, text: str, line: int, code: str
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_rule(path)
    error = caught.value
    assert (error.code, error.params["file"]) == (f"extract.{code}", str(path))
    assert error.params["line"] == line
    assert str(error).startswith(f"{path}, line {line}: ")


def test_hosts_are_normalized(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(
        "title = 'h2'\n[match]\nhost = ['Bücher.Example', 'a.org:1']"
    )
    assert read_rule(tmp_path / "shop.toml").hosts == ("xn--bcher-kva.example", "a.org:1")


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b"[match]\nurl = 'caf\xe9'\n")
    with pytest.raises(SettingsError) as caught:
        read_rule(path)
    assert caught.value.code == "extract.rule_not_utf8"
    assert str(caught.value) == f"{path}, line 2: not UTF-8; save the file as UTF-8"
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(SettingsError) as caught:
        read_rule(tmp_path / "folder.toml")
    assert caught.value.code == "extract.rule_is_folder"


def test_an_error_names_the_key_and_the_cure(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('titel = "h1"')
    with pytest.raises(SettingsError) as caught:
        read_rule(path)
    assert str(caught.value).endswith("unknown key titel; did you mean title?")
    path.write_text("[match]\nurl = '('")
    with pytest.raises(
        SettingsError, match=r"match\.url = '\(' is not a valid regular expression: "
    ):
        read_rule(path)
