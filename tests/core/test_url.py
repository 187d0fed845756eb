"""One spelling for one page; its host, its site, its part."""

import re
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from strategies import hrefs
from vectors import json_vectors, vector_path

from byway.core.errors import UrlError
from byway.core.url import (
    MAX_URL_CHARS,
    host_of,
    normalize,
    parse_typed_url,
    path_of,
    resolve,
    site_of,
    url_hash,
)

BASE = normalize("https://example.org/dir/page?q=1")


def spelt(raw: str, base: str = "") -> str | None:
    """The spelling of a URL; None for what is no page."""
    try:
        return normalize(raw, base)
    except UrlError:
        return None


@given(hrefs())
@example("http://./")
@example("http://1.2.3.4.5../")
def test_normalization_is_idempotent(href: str) -> None:
    url = spelt(href, BASE)
    assume(url)
    assert url == spelt(str(url))


@given(st.lists(hrefs(), max_size=5))
def test_links_resolve_the_same_one_by_one_and_together(written: list[str]) -> None:
    alone = {href: spelt(href, BASE) for href in written}
    assert resolve(BASE, written) == {href: url for href, url in alone.items() if url}


@given(hrefs())
def test_a_url_is_its_host_and_its_path(href: str) -> None:
    url = spelt(href, BASE)
    assume(url)
    kept = normalize(str(url))
    assert kept.partition("://")[2] == host_of(kept) + path_of(kept)
    assert "#" not in kept and "@" not in host_of(kept)


# The vectors of the standard.

WHATWG = (
    "urls/whatwg_urltestdata.json",
    "urls/ada_wpt/urltestdata.json",
    "urls/ada_wpt/ada_extra_urltestdata.json",
    "urls/ada_wpt/ada_long_urltestdata.json",
)
REFUSED = re.compile(r"(a\.b\.c|10\.0\.0)\.xn--pokxncvks|xn--|\.+|foo\.09\.\.")
"""Names that the standard lets through, and no DNS: since 2024 those that decode to nothing, and
always those that would be no name without the dots at their end."""


def as_we_keep_it(href: str) -> str | None:
    """The standard's spelling, less what never reaches a server, with %xx in capitals."""
    if not href.startswith(("http://", "https://")):
        return None
    url = re.sub(r"^(https?://)[^/]*@", r"\1", href.partition("#")[0]).removesuffix("?")
    url = re.sub("%[0-9a-f]{2}", lambda found: found.group().upper(), url, flags=re.I)
    host = url.split("/", 3)[2]
    return None if REFUSED.fullmatch(host) or len(url) > MAX_URL_CHARS else url


@pytest.mark.parametrize("file", WHATWG)
def test_urls_are_parsed_as_browsers_parse_them(file: str) -> None:
    def wrong(vector: dict[str, Any]) -> bool:
        wanted = None if vector.get("failure") else as_we_keep_it(vector["href"])
        return spelt(vector["input"], vector.get("base") or "") != wanted

    assert [vector for vector in json_vectors(file) if wrong(vector)] == []


@pytest.mark.parametrize("file", ["urls/ada_wpt/toascii.json", "urls/ada_wpt/IdnaTestV2.json"])
def test_accepted_host_names_are_normalized_as_the_standard_says(file: str) -> None:
    for vector in json_vectors(file):
        url = spelt(f"https://{vector['input']}/") if vector["input"] else None
        # The parser's tables are of an older Unicode, where the capital of ß was still ss.
        if url and "\u1e9e" not in vector["input"]:
            assert host_of(normalize(url)) == vector["output"].rstrip("."), vector


def test_ip_addresses_in_unusual_notation_are_ip_addresses() -> None:
    for written, address in json_vectors("urls/urlcanon/funky_ipv4.json").items():
        if written != "0000xa":  # a name to the standard: 0x must stand at the start
            assert spelt(f"http://{written}/") == (address and f"http://{address}/")


def test_sites_are_cut_where_the_public_suffix_list_says() -> None:
    lines = (
        vector_path("urls/publicsuffix/tests/tests.txt").read_text(encoding="utf-8").splitlines()
    )
    for line in lines:
        name, _, site = line.partition(" ")
        if not line or line.startswith("//") or name == "null" or name.startswith("."):
            continue
        url = normalize(f"http://{name}:8080/")
        wanted = host_of(url).partition(":")[0] if site == "null" else site
        assert site_of(url) == host_of(normalize(f"http://{wanted}/")), line


# Examples that need no vectors.


@pytest.mark.parametrize(
    ("raw", "url"),
    [
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://[0:0::0:1]/", "http://[::1]/"),
        ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://пример.рф/ёж", "http://xn--e1afmkfd.xn--p1ai/%D1%91%D0%B6"),
        ("http://ex%41mple.org./", "http://example.org/"),
        ("https://me:secret@example.org:443/?#top", "https://example.org/"),
        ("http://example.org/%7euser/%c3%a9", "http://example.org/%7Euser/%C3%A9"),
        (" \thttp://example.org/a\n/b ", "http://example.org/a/b"),
    ],
)
def test_equivalent_urls_normalize_to_one(raw: str, url: str) -> None:
    assert normalize(raw) == url


@pytest.mark.parametrize(
    "raw",
    [
        *("", "example.org", "http://", "http://./", "http://a b/", "http://a.org:99999/"),
        *("ftp://a.org/", "mailto:a@b.org", "javascript:alert(1)", "data:,x", "file:///etc/passwd"),
        *(
            "http://\udcff/",
            "http://[::1/",
            "http://1.2.3.4.5/",
            "http://a.org/" + "x" * MAX_URL_CHARS,
        ),
    ],
)
def test_urls_that_are_no_web_pages_raise_a_one_line_error(raw: str) -> None:
    with pytest.raises(UrlError) as refused:
        normalize(raw)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org", "https://example.org/"),
        ("Example.org/a?next=http://b.org/", "https://example.org/a?next=http://b.org/"),
        ("example.org:8080#top", "https://example.org:8080/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("http://example.org", "http://example.org/"),
        (" https://example.org/ ", "https://example.org/"),
        # Without a certificate, https would only fail.
        ("localhost", "http://localhost/"),
        ("localhost:8000", "http://localhost:8000/"),
        ("LOCALHOST:8000/a", "http://localhost:8000/a"),
        ("docs.localhost:8000", "http://docs.localhost:8000/"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("[::1]:8000", "http://[::1]:8000/"),
        ("192.168.1.4", "http://192.168.1.4/"),
        ("https://localhost:8000", "https://localhost:8000/"),
    ],
)
def test_typed_addresses_become_urls(typed: str, url: str) -> None:
    assert parse_typed_url(typed) == url


@pytest.mark.parametrize(
    "typed", ["", "shoes", "red shoes", "me@example.org", "mailto:me@example.org", "a.b c", "x:1"]
)
def test_typed_text_that_is_no_url_is_an_error(typed: str) -> None:
    with pytest.raises(UrlError, match="Use a full URL"):
        parse_typed_url(typed)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://blog.example.co.uk:8080/post", "example.co.uk"),
        ("https://user.github.io/", "user.github.io"),
        ("https://github.io/", "github.io"),
        ("http://www.пример.рф/", "xn--e1afmkfd.xn--p1ai"),
        ("http://127.0.0.1:8600/", "127.0.0.1"),
        ("http://[::1]:8600/", "[::1]"),
        ("http://localhost:8600/", "localhost"),
        ("http://a.b.internal/", "b.internal"),
    ],
)
def test_a_site_is_the_registrable_domain(url: str, site: str) -> None:
    assert site_of(normalize(url)) == site


def test_hashes_never_change_between_versions() -> None:
    # They are written to disk.
    assert url_hash("http://example.org/") == 4654873767771525413


@given(hrefs())
def test_a_hash_fits_into_64_signed_bits(url: str) -> None:
    assert -(2**63) <= url_hash(url) < 2**63
