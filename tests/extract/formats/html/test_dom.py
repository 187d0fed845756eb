from byway.extract.formats.html.dom import APART, any_of, line, lines, parsed

PAGE = b"""<b rel="author x">a</b><b class="Top-Crumb">b</b><b class=author>c</b><b id=crumbs>d</b>
<noindex>e</noindex><b class=other rel=next id=x>f</b>"""


def test_one_look_finds_what_each_selector_finds() -> None:
    selectors = ("[rel~=author],[class*=crumb i]", ".author", "[id*=crumb i],noindex")
    tree = parsed(PAGE, "text/html")
    found = tree.select(any_of(*selectors))
    assert found == tree.select(",".join(selectors))
    assert [each.text for each in found] == ["a", "b", "c", "d", "e"]


def test_texts_are_tidied_up_together_as_each_by_itself() -> None:
    for texts in ([], [""], ["  a\n b ", "", "Ä\t"], ["a", f"b{APART}c", "d"], ["word " * 100]):
        assert lines(texts, 20) == [line(text, 20) for text in texts]
