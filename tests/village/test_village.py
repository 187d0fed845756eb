"""The village server: one host per site, conditional requests, traps, and the log."""

import socket
import subprocess
import sys
import time
from email.utils import formatdate
from gzip import decompress
from urllib.parse import urlsplit

import pytest
from village.walker import fetch, parse_page

from byway.core.errors import BywayError
from byway.village import Village
from byway.village.server import _sockets


def test_every_site_has_a_loopback_host_of_its_own_and_all_share_a_port(village: Village) -> None:
    hosts = [urlsplit(seed) for seed in village.seeds]
    assert len({host.hostname for host in hosts}) == len(village.site_names) == 7
    assert {host.port for host in hosts} == {village.port}
    assert village.url("news") == f"http://127.0.0.5:{village.port}/"


def test_a_wanted_port_is_taken_when_it_is_free() -> None:
    with Village() as first:
        free = first.port
    with Village(free) as second:
        assert second.port == free


def test_a_port_in_use_on_one_host_is_skipped() -> None:
    with socket.create_server(("127.0.0.4", 0)) as taken:
        port = taken.getsockname()[1]
        with Village(port) as village:
            assert village.port != port
            assert fetch(village.url("trap")).status == 200


def test_a_missing_loopback_address_is_a_one_line_error() -> None:
    with pytest.raises(BywayError) as caught:
        _sockets(["192.0.2.7", "192.0.2.8"], 0)
    assert caught.value.code == "village.no_addresses"
    assert "\n" not in str(caught.value)


def test_the_log_has_the_time_path_and_user_agent_of_requests(village: Village) -> None:
    before = time.monotonic()
    fetch(village.url("news", "/weather.html?x=1"), User_Agent="someone/1.0")
    entry = village.log[-1]
    assert (entry.site, entry.authority) == ("news", village.authority("news"))
    assert (entry.path, entry.user_agent, entry.status) == ("/weather.html?x=1", "someone/1.0", 200)
    assert before <= entry.started_at <= entry.ended_at - 0.3 <= time.monotonic()
    assert abs(entry.received_at - time.time()) < 5


def test_site_names_in_braces_become_addresses(village: Village) -> None:
    page = fetch(village.url("news"))
    assert village.authority("encyclopaedia") in page.text
    assert "{encyclopaedia}" not in page.text
    assert fetch(village.url("news", "/encyclopaedia")).location == village.url(
        "encyclopaedia", "/wiki/Main_Page"
    )


def test_an_unchanged_page_is_answered_with_304_by_tag_and_by_date(village: Village) -> None:
    url = village.url("manual", "/faq.html")
    page = fetch(url)
    again = fetch(url, If_None_Match=f'"other", {page.headers["ETag"]}')
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", page.headers["ETag"])
    assert fetch(url, If_Modified_Since=str(page.headers["Last-Modified"])).status == 304
    assert fetch(url, If_Modified_Since=formatdate(0, usegmt=True)).status == 200


def test_a_tag_that_differs_outweighs_a_date_that_agrees(village: Village) -> None:
    now = formatdate(usegmt=True)
    page = fetch(village.url("manual", "/faq.html"), If_None_Match='"x"', If_Modified_Since=now)
    assert page.status == 200


def test_dynamic_pages_and_errors_have_no_etag(village: Village) -> None:
    for name, path in (("trap", "/calendar/2025/01"), ("shop", "/en/boots/"), ("news", "/none")):
        assert fetch(village.url(name, path)).headers["ETag"] is None


def test_the_encyclopaedia_compresses_for_clients_that_accept_it(village: Village) -> None:
    url = village.url("encyclopaedia", "/wiki/PageRank")
    plain, packed = fetch(url), fetch(url, Accept_Encoding="gzip, br")
    assert plain.headers["Content-Encoding"] is None
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert decompress(packed.body) == plain.body


def test_pages_are_served_in_the_encodings_they_declare(village: Village) -> None:
    by_meta = fetch(village.url("library", "/ru/biblioteka.html"))
    assert by_meta.headers["Content-Type"] == "text/html"
    assert "Деревенская библиотека" in by_meta.body.decode("windows-1251")
    assert village.authority("shop").encode() in by_meta.body
    by_header = fetch(village.url("library", "/ru/pogoda.html"))
    assert by_header.headers.get_content_charset() == "koi8-r"
    assert b"charset" not in by_header.body
    assert "Ласточки летают низко" in by_header.text


def test_busy_pages_send_retry_after(village: Village) -> None:
    assert fetch(village.url("news", "/busy")).headers["Retry-After"] == "2"


def test_files_outside_a_site_are_not_served(village: Village) -> None:
    for path in ("/site.toml", "/../news/site.toml", "/%2e%2e/news/index.html", "//etc/passwd"):
        assert fetch(f"http://{village.authority('trap')}{path}").status == 404


def test_files_of_rules_are_not_served_as_pages(village: Village) -> None:
    assert fetch(village.url("trap", "/_calendar.html")).status == 404


def test_the_calendar_never_ends_in_either_direction(village: Village) -> None:
    page = parse_page(fetch(village.url("trap", "/calendar/2025/12")))
    targets = [link.url for link in page.links]
    assert village.url("trap", "/calendar/2025/11") in targets
    assert village.url("trap", "/calendar/2026/01") in targets
    far = parse_page(fetch(village.url("trap", "/calendar/123456/12")))
    assert village.url("trap", "/calendar/123457/01") in [link.url for link in far.links]


def test_the_stairs_get_deeper_with_every_link(village: Village) -> None:
    url = village.url("trap", "/stairs/")
    for _ in range(12):
        page = fetch(url)
        assert page.status == 200
        url = next(link.url for link in parse_page(page).links if link.text == "Further down")
    assert url.endswith("/down/" * 1) and url.count("/down") == 12


def test_filters_of_a_product_list_filter_and_combine(village: Village) -> None:
    every = fetch(village.url("shop", "/ru/tufli/")).text
    black = fetch(village.url("shop", "/ru/tufli/?colour=чёрный")).text
    assert "Липа" in every and "Арбат" in every
    assert "Арбат" in black and "Липа" not in black
    links = {
        link.url for link in parse_page(fetch(village.url("shop", "/en/shoes/?brand=Verst"))).links
    }
    assert village.url("shop", "/en/shoes/?colour=red&brand=Verst") in links
    assert village.url("shop", "/en/shoes/?brand=Verst&sort=price") in links


def test_query_values_are_escaped(village: Village) -> None:
    page = fetch(village.url("shop", "/en/boots/?colour=%22%3E%3Cscript%3E"))
    assert "<script>" not in page.text


def test_the_module_serves_until_interrupted() -> None:
    command = [sys.executable, "-m", "byway.village", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        addresses = dict(process.stdout.readline().split() for _ in range(6))
        assert fetch(addresses["news"]).status == 200
        process.send_signal(2)
        assert process.wait(5) == 0
