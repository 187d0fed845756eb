"""The first page, from an empty folder to a full one."""

from web.answers import HttpBrowser, served_fake_site

from byway.core.model import Status


def test_the_first_page_has_a_box_and_says_how_much_there_is(browser: HttpBrowser) -> None:
    page = browser.get("/").text
    assert '<form class="box" action="/search" method="get">' in page
    assert '<label class="visually-hidden" for="q">' in page
    assert "12 pages can be searched" in page
    assert "crawling" not in page
    assert "refresh" not in page


def test_an_empty_folder_is_met_with_the_command_that_fills_it() -> None:
    with served_fake_site(Status(0, 0, 0, False, ())) as browser:
        page = browser.get("/").text
    assert "byway up https://example.org" in page
    assert "refresh" not in page


def test_the_first_pages_can_be_seen_to_arrive() -> None:
    with served_fake_site(Status(1, 1234, 0, True, ("https://example.org/",))) as browser:
        page = browser.get("/").text
    assert "crawling: 1 page so far, 1,234 waiting" in page
    assert '<meta http-equiv="refresh" content="3">' in page


def test_a_page_with_something_to_search_never_reloads_under_the_reader() -> None:
    with served_fake_site(Status(1, 1234, 1, True, ())) as browser:
        page = browser.get("/").text
    assert "1 page can be searched" in page
    assert "crawling: 1 page so far" in page
    assert "refresh" not in page


def test_pages_that_are_kept_but_not_searchable_are_named() -> None:
    with served_fake_site(Status(5, 0, 0, False, ())) as browser:
        assert "5 pages are kept" in browser.get("/").text


def test_the_site_has_the_name_it_was_given_and_it_is_only_text() -> None:
    with served_fake_site(title="<b>Our & search") as browser:
        page = browser.get("/").text
    assert "<title>&lt;b&gt;Our &amp; search</title>" in page
    assert "<b>" not in page


def test_a_paused_crawl_is_not_said_to_go_on() -> None:
    with served_fake_site(Status(5, 9, 5, True, paused=True)) as browser:
        assert "the crawl is paused: 5 pages so far, 9 waiting" in browser.get("/").text
