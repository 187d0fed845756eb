"""Rules are found in the user's folder, in installed packages and in byway itself."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from extract.page_factory import MAX_BYTES, SETTINGS, page

from byway.core.errors import SettingsError
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import ENTRY_POINT_GROUP, find_rule, load_rules

RULE = '[match]\nhost = "boots.example"\n[fields.shop]\nconst = "{}"\n'


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    load_rules.cache_clear()
    yield
    load_rules.cache_clear()
    sys.modules.pop("boot_rules", None)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a rule, installed as any other."""
    installed = tmp_path / "installed"
    module = installed / "boot_rules"
    about = installed / "boot_rules-1.0.dist-info"
    for folder in (module, about):
        folder.mkdir(parents=True)
    (module / "__init__.py").write_text("")
    (module / "boots.toml").write_text(RULE.format("theirs"))
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: boot-rules\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nboots = boot_rules\n")
    monkeypatch.syspath_prepend(str(installed))
    return module


def shop_of(folder: Path | None) -> object:
    one = page("<p>x", url="https://boots.example/1")
    found = extract(one, SETTINGS, MAX_BYTES, load_rules(folder)).document
    assert found is not None
    return found.attributes.get("shop")


def test_an_installed_package_brings_rules(package: Path) -> None:
    assert shop_of(None) == "theirs"
    (rule,) = [each for each in load_rules() if each.name == "boots"]
    assert rule.source == "package boot-rules"


def test_the_rules_of_the_user_come_before_those_of_packages_and_these_before_ours(
    package: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "sites"
    mine.mkdir()
    (mine / "mine.toml").write_text(RULE.format("mine"))
    assert shop_of(mine) == "mine"
    assert [rule.name for rule in load_rules(mine)][:2] == ["mine", "boots"]
    assert {rule.source for rule in load_rules(mine)[2:]} == {"byway"}


def test_a_package_with_a_wrong_rule_is_named(package: Path) -> None:
    (package / "boots.toml").write_text("titel = 1")
    with pytest.raises(SettingsError, match=r"boot-rules: boots\.toml, line 1: titel is not a key"):
        load_rules()


def test_a_package_that_is_not_there_is_named(package: Path) -> None:
    about = package.parent / "boot_rules-1.0.dist-info"
    (about / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nboots = nowhere_to_be_found\n")
    with pytest.raises(SettingsError, match="rules of the package boot-rules cannot be read"):
        load_rules()


def test_a_rule_is_found_by_its_name_or_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(RULE.format("mine"))
    assert find_rule(str(path)).hosts == ("boots.example",)
    assert find_rule("mediawiki").source == "byway"
    with pytest.raises(SettingsError, match=r"no rule 'mine'; there are .*mediawiki"):
        find_rule("mine")
