"""Documents as Markdown: headings in their places, and nothing that becomes markup by itself."""

import pytest
from markdown_it import MarkdownIt

from byway.core.markdown import as_markdown
from byway.core.model import Document, Heading, Url

URL = Url("https://example.org/")


def test_titles_and_headings_become_markdown_headings() -> None:
    text = "Boots\nOn feet.\nCare\nWith care.\nNotes\nCare\nAgain."
    headings = (Heading(1, "Boots"), Heading(2, "Care"), Heading(4, "Gone"), Heading(3, "Care"))
    assert as_markdown(Document(URL, title="Boots", text=text, headings=headings)) == (
        "# Boots\n\nOn feet.\n\n## Care\n\nWith care.\n\nNotes\n\n### Care\n\nAgain.\n"
    )


def test_a_document_without_a_title_is_headed_by_its_url() -> None:
    assert as_markdown(Document(URL, text="Words")) == "# https://example.org/\n\nWords\n"
    assert as_markdown(Document(URL)) == "# https://example.org/\n"


@pytest.mark.parametrize(
    "text",
    ["# no heading", "- no item", "+ no item", "* no item", "1. no item", "2) no item",
     "> no quote", "---", "===", "~~~ no fence", "```", "*no* __emphasis__ _none_",
     "[no](link) ![no](image)",
     "<b>no</b> <script>tag</script>", "`no` code", r"a \ b", "snake_case and 2 * 3",
     "<https://a.org>", "#", "1.", "a\\"],
)  # fmt: skip
def test_markup_in_the_text_is_escaped(text: str) -> None:
    source = as_markdown(Document(URL, title="T", text=text))
    tokens = MarkdownIt("commonmark").parse(source)
    assert [token.type for token in tokens[3:]] == ["paragraph_open", "inline", "paragraph_close"]
    inner = tokens[4].children or []
    assert {token.type for token in inner} <= {"text", "text_special"}
    assert "".join(token.content for token in inner) == text


def test_underscores_inside_names_are_not_escaped() -> None:
    assert "snake_case" in as_markdown(Document(URL, text="snake_case"))
