"""Selectors and white space of the HTML tree."""

from byway.core.text import single_line
from byway.extract.formats.html.dom import (
    TEXT_SEPARATOR,
    combine_selectors,
    parse_html,
    single_lines,
)

PAGE = b"""<b rel="author x">a</b><b class="Top-Crumb">b</b><b class=author>c</b><b id=crumbs>d</b>
<noindex>e</noindex><b class=other rel=next id=x>f</b>"""


def test_combined_selectors_find_what_each_finds() -> None:
    selectors = ("[rel~=author],[class*=crumb i]", ".author", "[id*=crumb i],noindex")
    tree = parse_html(PAGE, "text/html")
    found = tree.select(combine_selectors(*selectors))
    assert found == tree.select(",".join(selectors))
    assert [each.text for each in found] == ["a", "b", "c", "d", "e"]


def test_texts_are_collapsed_together_as_one_by_one() -> None:
    for texts in (
        [],
        [""],
        ["  a\n b ", "", "Ä\t"],
        ["a", f"b{TEXT_SEPARATOR}c", "d"],
        ["word " * 100],
    ):
        assert single_lines(texts, 20) == [single_line(text, 20) for text in texts]
