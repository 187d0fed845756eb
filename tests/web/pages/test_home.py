"""The first page, from an empty folder to a full one."""

from web.fake_site import HttpBrowser, served_fake_site

from byway.core.model import Status


def test_the_home_page_has_a_search_box_and_the_index_size(browser: HttpBrowser) -> None:
    page = browser.get("/").text
    assert '<form class="box" action="/search" method="get">' in page
    assert '<label class="visually-hidden" for="q">' in page
    assert "Search 12 pages" in page
    assert "crawling" not in page
    assert "refresh" not in page


def test_an_empty_folder_shows_the_command_to_fill_it() -> None:
    with served_fake_site(Status(0, 0, 0, False, ())) as browser:
        page = browser.get("/").text
    assert "byway up https://example.org" in page
    assert "refresh" not in page


def test_the_home_page_reloads_during_the_first_crawl() -> None:
    with served_fake_site(Status(1, 1234, 0, True, ("https://example.org/",))) as browser:
        page = browser.get("/").text
    assert "crawling: 1 page so far, 1,234 waiting" in page
    assert '<meta http-equiv="refresh" content="3">' in page


def test_a_home_page_with_an_index_does_not_reload() -> None:
    with served_fake_site(Status(1, 1234, 1, True, ())) as browser:
        page = browser.get("/").text
    assert "Search 1 page" in page
    assert "crawling: 1 page so far" in page
    assert "refresh" not in page


def test_pages_that_are_not_indexed_yet_are_counted() -> None:
    with served_fake_site(Status(5, 0, 0, False, ())) as browser:
        assert "5 pages are stored" in browser.get("/").text


def test_the_title_of_the_site_is_escaped() -> None:
    with served_fake_site(title="<b>Our & search") as browser:
        page = browser.get("/").text
    assert "<title>&lt;b&gt;Our &amp; search</title>" in page
    assert "<b>" not in page


def test_a_paused_crawl_is_shown_as_paused() -> None:
    with served_fake_site(Status(5, 9, 5, True, paused=True)) as browser:
        assert "the crawl is paused: 5 pages so far, 9 waiting" in browser.get("/").text
