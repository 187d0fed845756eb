"""Verticals of the user's folder and of installed packages, and their errors."""

import logging
import sys
from pathlib import Path

import pytest
from extract.page_factory import MAX_BYTES, SETTINGS, page

from byway.app.verticals.vertical_folders import ENTRY_POINT_GROUP, load_verticals
from byway.core.errors import SettingsError
from byway.core.messages import speaking, t
from byway.core.verticals import ParsedPage, Record, Vertical
from byway.extract.dispatch import extract

JOBS = """from byway.core.verticals import Vertical
class Jobs(Vertical):
    name, noun = "jobs", "job"
"""


def write_vertical(data: Path, code: str) -> Path:
    folder = data / "verticals" / "jobs"
    folder.mkdir(parents=True)
    (folder / "vertical.py").write_text(code)
    return folder


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module", "no_such_module"),
        ("x = 1", "exactly one subclass"),
        (JOBS.replace('"jobs"', '"my jobs"'), "exactly one subclass"),
        (JOBS.replace('"jobs"', '"products"'), "a vertical named products already exists"),
    ],
)
def test_a_broken_vertical_is_reported(tmp_path: Path, code: str, reason: str) -> None:
    folder = write_vertical(tmp_path, code)
    with pytest.raises(SettingsError, match=reason) as raised:
        load_verticals(str(tmp_path))
    assert str(folder) in str(raised.value)


def test_a_vertical_may_import_modules_beside_it(tmp_path: Path) -> None:
    code = JOBS.replace('"jobs"', "NAME")
    folder = write_vertical(tmp_path, f"from .names import NAME\n{code}")
    (folder / "names.py").write_text('NAME = "work"\n')
    assert [vertical.name for vertical in load_verticals(str(tmp_path))] == ["products", "work"]


def test_a_language_without_texts_has_the_english_ones(tmp_path: Path) -> None:
    folder = write_vertical(tmp_path, JOBS)
    (folder / "messages").mkdir()
    (folder / "messages" / "en.toml").write_text(
        '[jobs]\ntab = "Jobs"\n[web.search]\ntab_pages = "Mine"'
    )
    load_verticals(str(tmp_path))
    with speaking("ru"):
        assert t("jobs.tab") == "Jobs"
        assert t("web.search.tab_pages") == "Страницы", "texts of byway itself stay"


def test_an_installed_package_provides_a_vertical(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, metadata = tmp_path / "job_search", tmp_path / "job_search-1.0.dist-info"
    package.mkdir()
    metadata.mkdir()
    (package / "vertical.py").write_text(JOBS)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: job-search\nVersion: 1.0\n")
    points = f"[{ENTRY_POINT_GROUP}]\njobs = job_search.vertical\n"
    (metadata / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    products, jobs = load_verticals()
    assert (products.name, jobs.name, jobs.folder) == ("products", "jobs", str(package))
    for name in ("job_search", "job_search.vertical"):
        sys.modules.pop(name, None)


class Broken(Vertical):
    """A vertical that fails on every page."""

    name = "broken"
    noun = "ruin"

    def extract(self, page: ParsedPage) -> Record | None:
        raise ValueError(page.title)


def test_a_page_outlives_a_vertical_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        extracted = extract(
            page("<title>Soup</title><p>Water and salt"), SETTINGS, MAX_BYTES, (), [Broken()]
        )
    assert extracted.document is not None
    assert extracted.document.text == "Water and salt"
    assert not extracted.document.records
    assert "vertical failed name=broken" in caplog.text
