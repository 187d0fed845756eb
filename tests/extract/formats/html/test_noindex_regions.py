"""Regions that are excluded from indexing."""

from dataclasses import replace

import pytest
from extract.page_factory import MAX_BYTES, SETTINGS, extract_page, page

from byway.extract.dispatch import extract

REGIONS = (
    "<noindex>{}</noindex>",
    "<!--noindex-->{}<!--/noindex-->",
    "<!-- NoIndex-->{}<!-- /noindex -->",
    "<!-- noindex -->{}<!-- /noindex -->",
    f"<script>{'!' * 3000}</script><!--noindex-->{{}}<!--/noindex-->",
    "<!--googleoff: index-->{}<!--googleon: index-->",
)
INSIDE = "<p>a phone number <a href=/inside>and a link</a></p><img src=/i.png alt=seal>"


def body(region: str) -> str:
    return f"<p>before</p>{region.format(INSIDE)}<p>after</p>"


@pytest.mark.parametrize("region", REGIONS)
def test_noindex_regions_are_removed_from_the_text(region: str) -> None:
    found = extract_page(body(region)).document
    assert found is not None
    assert found.text == "before\nafter"
    assert not found.images


@pytest.mark.parametrize("region", REGIONS)
def test_links_in_noindex_regions_are_followed(region: str) -> None:
    assert [link.target for link in extract_page(body(region)).links] == [
        "https://example.org/inside"
    ]


@pytest.mark.parametrize("region", REGIONS)
def test_regions_stay_if_the_setting_is_off(region: str) -> None:
    settings = replace(SETTINGS, skip_noindex_regions=False)
    found = extract(page(body(region)), settings, MAX_BYTES).document
    assert found is not None
    assert "a phone number" in found.text


def test_a_region_may_begin_and_end_at_different_depths() -> None:
    found = extract_page("<div>a <!--noindex-->b</div><div>c<!--/noindex--> d</div>").document
    assert found is not None
    assert found.text == "a\nd"


def test_a_region_without_an_end_is_ignored() -> None:
    for start in ("<!--noindex-->", "<!--noindex--><!--googleon: index-->"):
        found = extract_page(f"<p>a</p>{start}<p>b</p>").document
        assert found is not None
        assert found.text == "a\nb"
