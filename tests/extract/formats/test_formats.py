"""Document formats are found by folder: a new one is one new file."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from extract.page_factory import MAX_BYTES, document, page

import byway.extract.formats
from byway.app.preview.page_preview import page_from_file
from byway.core import media_types
from byway.core.media_types import document_formats, document_type_of, media_type_of_extension
from byway.core.model import Url
from byway.core.settings.schema import CrawlSettings
from byway.extract.dispatch import detect_format
from byway.extract.formats import reader_of

RECIPE_FORMAT = """
from byway.core.media_types import DocumentFormat
from byway.core.model import Document, ExtractionResult

FORMAT = DocumentFormat(
    media_types=("application/x-recipe",), extensions={".recipe": "application/x-recipe"}
)

def read(page, body, context):
    title, _, text = body.decode().partition(":")
    document = Document(url=page.url, title=title, text=text, content_type="application/x-recipe")
    return ExtractionResult(document=document)
"""


def clear_caches() -> None:
    media_types.document_formats.cache_clear()
    media_types._document_types.cache_clear()


@pytest.fixture
def recipe_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A format of its own, added as one file."""
    (tmp_path / "recipe.py").write_text(RECIPE_FORMAT)
    package = byway.extract.formats
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    clear_caches()
    yield
    clear_caches()
    sys.modules.pop("byway.extract.formats.recipe", None)


@pytest.mark.usefixtures("recipe_format")
def test_a_format_is_added_as_one_file(tmp_path: Path) -> None:
    found = document("Borscht:Beets and cabbage.", content_type="application/x-recipe")
    assert (found.title, found.text) == ("Borscht", "Beets and cabbage.")
    assert found.document_type == document_type_of(".recipe") == "recipe"
    assert "application/x-recipe" in CrawlSettings().media_types
    (tmp_path / "borscht.recipe").write_text("Borscht:Beets")
    from_file = page_from_file(tmp_path / "borscht.recipe", Url("http://a.example/"), MAX_BYTES)
    assert detect_format(from_file, from_file.body) == "recipe"


def test_every_format_declares_its_media_types_and_has_a_reader() -> None:
    assert set(document_formats()) >= {"html", "markdown", "pdf", "text"}
    for name, format in document_formats().items():
        assert callable(reader_of(name))
        for extension, media_type in format.extensions.items():
            assert format.declares(media_type)
            assert media_type_of_extension(extension.upper()) == media_type
            assert document_type_of(media_type) == document_type_of(extension) == name


def test_no_media_type_or_extension_belongs_to_two_formats() -> None:
    formats = document_formats().values()
    for names in (
        [(*each.media_types, *each.aliases) for each in formats],
        [tuple(each.extensions) for each in formats],
    ):
        flat = [name for group in names for name in group]
        assert len(flat) == len(set(flat))


def test_markdown_is_known_by_its_type_or_its_extension() -> None:
    url = "https://a.example/notes.md?raw=1"
    assert detect_format(page("", "text/plain", url), b"# Notes") == "markdown"
    assert detect_format(page("", "", url), b"# Notes") == "markdown"
    assert detect_format(page("", "text/x-markdown"), b"# Notes") == "markdown"
    assert detect_format(page("", "text/html", url), b"<h1>Notes</h1>") == "html"


def test_text_of_another_type_is_plain_text() -> None:
    assert detect_format(page("", "text/csv"), b"a,b") == "text"
    assert detect_format(page("", "text/xml"), b"<feed>") == ""
    assert detect_format(page("", "application/json"), b"{}") == ""
