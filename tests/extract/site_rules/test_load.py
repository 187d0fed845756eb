"""Site rules of the user's folder, of installed packages and of byway itself."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from extract.page_factory import MAX_BYTES, SETTINGS, page

from byway.core.errors import SettingsError
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import (
    ENTRY_POINT_GROUP,
    find_rule,
    load_rules,
    load_rules_with_errors,
)

RULE = '[match]\nhost = "boots.example"\n[fields.shop]\nconst = "{}"\n'


@pytest.fixture(autouse=True)
def fresh_rule_cache() -> Iterator[None]:
    load_rules.cache_clear()
    yield
    load_rules.cache_clear()
    sys.modules.pop("boot_rules", None)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with a rule."""
    installed = tmp_path / "installed"
    module = installed / "boot_rules"
    metadata = installed / "boot_rules-1.0.dist-info"
    for folder in (module, metadata):
        folder.mkdir(parents=True)
    (module / "__init__.py").write_text("")
    (module / "boots.toml").write_text(RULE.format("theirs"))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: boot-rules\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nboots = boot_rules\n")
    monkeypatch.syspath_prepend(str(installed))
    return module


def shop_of(folder: Path | None) -> object:
    boots = page("<p>x", url="https://boots.example/1")
    found = extract(boots, SETTINGS, MAX_BYTES, load_rules(folder)).document
    assert found is not None
    return found.attributes.get("shop")


def test_an_installed_package_provides_rules(package: Path) -> None:
    assert shop_of(None) == "theirs"
    (rule,) = [each for each in load_rules() if each.name == "boots"]
    assert rule.source == "package boot-rules"


def test_user_rules_come_first_then_package_rules_then_built_in_ones(
    package: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sites"
    folder.mkdir()
    (folder / "mine.toml").write_text(RULE.format("mine"))
    assert shop_of(folder) == "mine"
    assert [rule.name for rule in load_rules(folder)][:2] == ["mine", "boots"]
    assert {rule.source for rule in load_rules(folder)[2:]} == {"byway"}


def test_an_error_in_a_package_rule_names_the_package(package: Path) -> None:
    (package / "boots.toml").write_text("titel = 1")
    with pytest.raises(SettingsError, match=r"boot-rules: boots\.toml, line 1: unknown key titel"):
        load_rules()


def test_a_missing_package_is_named(package: Path) -> None:
    metadata = package.parent / "boot_rules-1.0.dist-info"
    (metadata / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nboots = not_installed\n")
    with pytest.raises(SettingsError, match="boot-rules") as caught:
        load_rules()
    assert caught.value.code == "extract.package_rules_unreadable"


def test_a_rule_is_found_by_name_or_by_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(RULE.format("mine"))
    assert find_rule(str(path)).hosts == ("boots.example",)
    assert find_rule("mediawiki").source == "byway"
    cure = r"no site rule named 'mine'\. .*one of these rules: .*wiki"
    with pytest.raises(SettingsError, match=cure) as caught:
        find_rule("mine")
    assert caught.value.code == "extract.rule_not_found"


def test_a_rule_with_an_error_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(RULE.format("mine"))
    (tmp_path / "wrong.toml").write_text("titel = 1")
    found = load_rules_with_errors(tmp_path)
    assert [error.code for error in found.errors] == ["extract.rule_misspelled_key"]
    assert {"mine", "mediawiki"} <= {rule.name for rule in found.rules}
