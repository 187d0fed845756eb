import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within
from vectors import vector_path

from byway.core.errors import RejectedContentError
from byway.core.model import Url
from byway.crawl.sitemap import MAX_SITEMAP_URLS, Sitemap, SitemapEntry, parse

BASE = Url("http://a.org/sitemap.xml")


def urls(sitemap: Sitemap) -> list[str]:
    return [page.url for page in sitemap.pages]


def read(text: str) -> Sitemap:
    return parse(text.encode(), BASE)


def test_pages_come_with_the_time_they_changed() -> None:
    sitemap = read(
        """<?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc> http://a.org/1?x=1&amp;y=2 </loc><lastmod>1970-01-02</lastmod></url>
          <url><lastmod>1970-01-01T01:00:00+01:00</lastmod><loc><![CDATA[http://a.org/2]]></loc></url>
          <url><loc>http://a.org/3</loc><lastmod>1970-01</lastmod></url>
          <url><loc>http://a.org/4</loc><lastmod>yesterday</lastmod></url>
        </urlset>"""
    )
    assert sitemap.pages == (
        SitemapEntry(Url("http://a.org/1?x=1&y=2"), 86400.0),
        SitemapEntry(Url("http://a.org/2"), 0.0),
        SitemapEntry(Url("http://a.org/3"), 0.0),
        SitemapEntry(Url("http://a.org/4"), None),
    )


def test_prefixes_and_wrong_namespaces_do_not_matter() -> None:
    text = '<s:urlset xmlns:s="urn:x"><s:url><s:loc>http://a.org/1</s:loc></s:url></s:urlset>'
    assert urls(read(text)) == ["http://a.org/1"]
    assert urls(read("<s:urlset><s:url><s:loc>/1</s:loc></s:url></s:urlset>")) == ["http://a.org/1"]


def test_pictures_and_translations_are_no_pages() -> None:
    text = """<urlset><url><image:image><image:loc>http://a.org/i.png</image:loc></image:image>
        <xhtml:link rel="alternate" href="http://a.org/de"/><loc>http://a.org/1</loc></url></urlset>"""
    assert urls(read(text)) == ["http://a.org/1"]


def test_an_index_lists_further_sitemaps_but_not_itself() -> None:
    text = f"""<sitemapindex><sitemap><loc>http://a.org/s1.xml</loc></sitemap>
        <sitemap>http://a.org/s2.xml</sitemap><sitemap><loc>{BASE}</loc></sitemap></sitemapindex>"""
    assert read(text) == Sitemap((), (Url("http://a.org/s1.xml"), Url("http://a.org/s2.xml")))


def test_a_sitemap_speaks_for_its_own_host_only() -> None:
    text = "".join(
        f"<url><loc>{url}</loc></url>"
        for url in (
            "http://b.org/",
            "https://a.org/ok",
            "http://a.org:81/",
            "ftp://a.org/",
            "http://",
        )
    )
    sitemap = read(f"<urlset>{text}</urlset>")
    assert urls(sitemap) == ["https://a.org/ok"]


def test_plain_text_has_one_url_a_line() -> None:
    body = "\ufeffhttp://a.org/1\r\n\r\n  http://a.org/2\nnot a url\nhttp://b.org/\n".encode()
    assert urls(parse(body, BASE)) == ["http://a.org/1", "http://a.org/2"]
    assert urls(parse(gzip.compress(body), BASE)) == ["http://a.org/1", "http://a.org/2"]


def test_feeds_are_sitemaps_too() -> None:
    rss = """<rss><channel><link>http://a.org/</link><item><title>x</title>
        <link>http://a.org/1</link><pubDate>Fri, 02 Jan 1970 00:00:00 GMT</pubDate></item>
        </channel></rss>"""
    atom = """<feed><link href="http://a.org/"/><entry><link rel="edit" href="http://a.org/e"/>
        <link href="http://a.org/1"/><updated>1970-01-02T00:00:00Z</updated></entry></feed>"""
    for feed in (rss, atom):
        assert read(feed).pages == (SitemapEntry(Url("http://a.org/1"), 86400.0),)


@pytest.mark.parametrize(
    "damaged",
    [
        "<urlset><url><loc>http://a.org/1</loc></url><url><loc>http://a.o",
        "<urlset><url><loc>http://a.org/1</loc></url></wrong></urlset>",
        "\n\n<?xml version='1.0'?><urlset><url><loc>http://a.org/1</loc></url></urlset>",
        "<urlset><url><loc>http://a.org/1</loc></url>\x00\x01</urlset>",
        "<?xml version='1.0' encoding='klingon'?><urlset><url><loc>http://a.org/1</loc></url></urlset>",
    ],
)
def test_of_a_damaged_sitemap_what_can_be_read_counts(damaged: str) -> None:
    assert urls(read(damaged)) == ["http://a.org/1"]


def test_bare_ampersands_and_unknown_entities_are_mended() -> None:
    text = (
        "<urlset><url><loc>http://a.org/?a=1&b=2&nbsp;</loc></url><url><loc>/2</loc></url></urlset>"
    )
    assert urls(read(text)) == ["http://a.org/?a=1&b=2&nbsp;", "http://a.org/2"]


def test_bytes_that_are_no_utf_8_are_mended() -> None:
    body = b"<urlset><url><loc>http://a.org/\xe9</loc></url><url><loc>/2</loc></url></urlset>"
    assert urls(parse(body, BASE))[1:] == ["http://a.org/2"]
    declared = b'<?xml version="1.0" encoding="iso-8859-1"?>' + body
    assert urls(parse(declared, BASE)) == ["http://a.org/%C3%A9", "http://a.org/2"]
    assert urls(parse("<urlset><url><loc>/1</loc></url></urlset>".encode("utf-16"), BASE)) == [
        "http://a.org/1"
    ]


def test_a_dtd_is_refused() -> None:
    for dtd in ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "<!DOCTYPE html>"):
        with pytest.raises(RejectedContentError, match="a DTD"):
            read(f"{dtd}<urlset><url><loc>http://a.org/&x;</loc></url></urlset>")


def test_a_bomb_is_not_unpacked() -> None:
    with pytest.raises(RejectedContentError, match="more than"):
        parse(gzip.compress(bytes(60_000_000), 1), BASE)


def test_no_more_urls_are_taken_than_a_sitemap_may_have() -> None:
    entry = "<url><loc>/{}</loc></url>"
    text = "<urlset>" + "".join(entry.format(n) for n in range(MAX_SITEMAP_URLS + 9)) + "</urlset>"
    assert len(read(text).pages) == MAX_SITEMAP_URLS


@pytest.mark.alone
@pytest.mark.parametrize(
    "piece", ["<a>", "<a/>", "<url>", "<!-- -->", "<![CDATA[a]]>", "&amp;", "&x;", "<loc>", "]]>"]
)
def test_no_sitemap_keeps_us_busy(piece: str) -> None:
    attributes = "".join(f"a{n}='' " for n in range(3000))
    texts = (piece * (5_000_000 // len(piece)), f"<a {attributes}>{piece}</a>" * 100)
    run_within(3, lambda: (read(f"<urlset><url><loc>{texts[0]}"), read(f"<urlset>{texts[1]}")))


@given(
    st.lists(
        st.sampled_from(
            [
                "<url>",
                "</url>",
                "<loc>",
                "</loc>",
                "/1",
                "&",
                "<entry>",
                "<link href='/2'/>",
                "]]>",
                "<",
            ]
        )
    ).map("".join)
)
def test_any_markup_can_be_read(text: str) -> None:
    found = urls(read(f"<urlset>{text}"))
    assert all(url.startswith("http://a.org/") for url in found)


EXPECTED = {
    "crawler-commons/atom.xml": ("http://example.org/", 1, 0),
    "crawler-commons/sitemap.badns.xml": ("http://www.example.com/", 2, 0),
    "crawler-commons/sitemap.index.xml": ("https://example.com/", 0, 15),
    "crawler-commons/sitemap.ns.xml": ("http://www.example.com/", 2, 0),
    "crawler-commons/sitemap-with-bom.txt": ("http://www.domain.com/", 2, 0),
    "crawler-commons/sitemap.txt.gz": ("http://www.example.com/", 5, 0),
    "crawler-commons/xmlSitemap.gz": ("http://www.example.com/", 5, 0),
    "crawler-commons/extension/sitemap-images.xml": ("http://www.example.com/", 1, 0),
    "crawler-commons/extension/sitemap-links.xml": ("http://www.example.com/", 3, 0),
    "crawler-commons-rss/feed.rss": ("https://www.example.com/", 3, 0),
    "crawler-commons-rss/xmlRss_pubDate.xml": ("http://www.example.com/", 7, 0),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_of_crawler_commons_are_read(name: str) -> None:
    base, pages, sitemaps = EXPECTED[name]
    sitemap = parse(vector_path(f"sitemaps/{name}").read_bytes(), Url(base + "sitemap.xml"))
    assert (len(sitemap.pages), len(sitemap.sitemaps)) == (pages, sitemaps)
