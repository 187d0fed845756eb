"""What an admin sees and does: the crawl of a real small web, from the browser."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from html import escape
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from pace import slowness, wait_until
from web.account_site import ServedSite, UserBrowser, served_site
from web.fake_site import HttpBrowser

from byway.core.messages import Reason, t
from byway.core.model import DiscoveredUrl, Document, UrlId
from byway.core.model.account import Role
from byway.core.settings.schema import CrawlSettings, IndexSettings, Settings
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village

LOOPBACK = Settings(crawl=CrawlSettings(delay=0.2, allow_private=("127.0.0.0/8",), max_retries=0))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[ServedSite]:
    with served_site(tmp_path, LOOPBACK) as here:
        yield here
        process = here.engine.storage.writer_pid("crawl")
        if process:
            os.kill(process, signal.SIGTERM)
            assert wait_until(lambda: not here.engine.storage.is_locked("crawl"))
        assert wait_until(lambda: not here.engine.storage.is_locked("index"))


def test_a_crawl_is_started_paused_resumed_and_stopped(here: ServedSite, village: Village) -> None:
    admin, folder = here.new_browser(Role.ADMIN), here.engine.storage
    started = admin.post("/admin/crawl", url=village.url("manual"), max_pages="200")
    assert (started.status, started.headers["Location"]) == (303, "/admin")
    assert folder.is_locked("crawl")
    again = admin.post("/admin/crawl", url=village.url("library"))
    assert (again.status, t("error.app.crawl_running") in again.text) == (400, True)
    assert wait_until(lambda: pages(admin) > 0)
    admin.post("/admin/pause", job="")
    assert folder.is_paused()
    assert "paused" in admin.get("/admin").text
    admin.post("/admin/resume", job="")
    assert not folder.is_paused()
    assert admin.post("/admin/stop").status == 303
    assert wait_until(lambda: not folder.is_locked("crawl"))
    with here.engine.search_session() as reading:
        assert wait_until(lambda: reading.status().indexed > 0)
        assert wait_until(
            lambda: not folder.is_locked("index")
        )  # it followed, and goes with the crawl
        status = reading.status()
    assert 0 < status.pages < 200
    assert status.indexed == status.pages
    assert "not running" in admin.get("/admin").text


def pages(admin: UserBrowser) -> int:
    found = re.search(r"Pages stored</dt><dd>([\d,]+)", admin.get("/admin").text)
    assert found
    return int(found.group(1).replace(",", ""))


def test_an_invalid_crawl_shows_its_error(here: ServedSite) -> None:
    admin = here.new_browser(Role.ADMIN)
    for fields, why in (
        ({"url": "ftp://example.org/"}, "ftp"),
        ({"url": "--help"}, "--help"),
        ({"url": ""}, "There is no URL to start from"),
        ({"url": "example.org", "scope": "moon"}, "scope must be one of"),
        ({"url": "example.org", "max_pages": "-5"}, "max_pages must be a whole number"),
        ({"url": "example.org", "job": "../up"}, "is not a valid job name"),
    ):
        reply = admin.post("/admin/crawl", **fields)
        assert (reply.status, why in reply.text) == (400, True), fields
        assert "Traceback" not in reply.text


def test_a_site_can_be_previewed(here: ServedSite, village: Village) -> None:
    admin = here.new_browser(Role.ADMIN)
    page = admin.post("/admin/preview", url=village.url("shop")).text
    assert "allows the crawl" in page
    assert "29 pages in the sitemaps: at least 6 s" in page
    assert "/sitemap.xml" in page
    missing = admin.post("/admin/preview", url="http://127.0.0.1:1/")
    assert "robots.txt could not be fetched" in missing.text


def test_a_private_address_is_not_previewed(tmp_path: Path, village: Village) -> None:
    with served_site(tmp_path) as here:
        admin = here.new_browser(Role.ADMIN)
        for path in ("/admin/preview", "/admin/inspect"):
            assert "private" in admin.post(path, url=village.url("shop")).text


def test_a_url_is_traced_through_every_stage(here: ServedSite, village: Village) -> None:
    admin = here.new_browser(Role.ADMIN)
    page = admin.post("/admin/inspect", url=village.url("manual")).text
    for stage in ("scope", "robots", "fetch", "links", "document", "words"):
        assert f"<strong>{stage}</strong>" in page
    assert "No crawl has found this URL." in page


def test_a_url_in_a_link_only_fills_the_form(here: ServedSite, village: Village) -> None:
    admin = here.new_browser(Role.ADMIN)
    page = admin.get(f"/admin/inspect?url={village.url('manual')}%22%3E").text
    assert f'value="{village.url("manual")}&#34;&gt;"' in page
    assert "<strong>" not in page.partition("<main")[2]


def test_figures_and_charts_are_streamed(here: ServedSite) -> None:
    admin = here.new_browser(Role.ADMIN)
    connection = HTTPConnection(urlsplit(here.url).netloc, timeout=10)
    connection.request("GET", "/admin/live", headers={"Cookie": f"byway={admin.cookies['byway']}"})
    reply = connection.getresponse()
    assert reply.headers["Content-Type"].startswith("text/event-stream")
    lines = iter(reply.readline, b"")
    event = json.loads(next(line for line in lines if line.startswith(b"data: "))[6:])
    connection.close()
    assert set(event) == {"figures", "rate", "queue"}
    assert "<svg" in event["rate"] and "Pages stored" in event["figures"]


def test_the_admin_page_runs_only_its_own_scripts(here: ServedSite) -> None:
    reply = here.new_browser(Role.ADMIN).get("/admin")
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "script-src 'self'; connect-src 'self'" in policy
    assert "unsafe" not in policy
    scripts = re.findall(r"<script.*?</script>", reply.text)
    ours = re.compile(r'<script src="/static/(admin|byway)\.js\?v=\w+"( defer)?></script>')
    assert scripts and all(ours.fullmatch(script) for script in scripts), scripts


def test_an_unknown_trap_cannot_be_decided(here: ServedSite) -> None:
    admin = here.new_browser(Role.ADMIN)
    assert "No traps." in admin.get("/admin/traps").text
    reply = admin.post("/admin/traps", host="a.example", pattern="/x", resume="1")
    assert reply.status == 400


def test_admin_pages_show_their_content(here: ServedSite) -> None:
    admin = here.new_browser(Role.ADMIN)
    assert "mediawiki" in admin.get("/admin/rules").text
    assert "No hosts yet." in admin.get("/admin/hosts").text
    assert "No failures." in admin.get("/admin/errors").text
    assert "crawl.db" in admin.get("/admin").text


@pytest.mark.alone
def test_a_server_with_open_streams_stops_at_once(tmp_path: Path) -> None:
    with served_site(tmp_path) as here:
        admin = here.new_browser(Role.ADMIN)
        connection = HTTPConnection(urlsplit(here.url).netloc, timeout=10)
        cookie = {"Cookie": f"byway={admin.cookies['byway']}"}
        connection.request("GET", "/admin/live", headers=cookie)
        connection.getresponse().readline()
        before = time.monotonic()
    took = time.monotonic() - before
    assert took < 2.5 * slowness(time.perf_counter)
    connection.close()


def test_stopping_the_crawl_of_byway_up_keeps_the_server(tmp_path: Path, village: Village) -> None:
    typed = ["byway", "up", village.url("manual"), "--data", str(tmp_path), "--port", "0"]
    options = ["--delay", "0.5", "--allow-private", "127.0.0.0/8"]
    with subprocess.Popen(
        [sys.executable, "-m", *typed, *options], stderr=subprocess.PIPE, text=True
    ) as up:
        try:
            assert up.stderr
            url = up.stderr.readline().split()[2]
            link = up.stderr.readline().split()[-1]
            admin = UserBrowser(HttpBrowser(url))
            admin.register("/" + link.removeprefix(url))
            assert wait_until(lambda: pages(admin) > 0)
            assert admin.post("/admin/stop").status == 303
            assert wait_until(lambda: "not running" in admin.get("/admin").text)
            assert up.poll() is None
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait(20)


def test_the_reason_of_an_idle_crawl_is_shown_and_escaped(here: ServedSite) -> None:
    admin, folder = here.new_browser(Role.ADMIN), here.engine.storage
    refused = Reason("connection_refused", address="<b>")
    reason = Reason("host_failed", host="a.example", cause=refused)
    with folder.write_lock("crawl"):
        assert "next attempt" not in admin.get("/admin").text
        folder.set_crawl_wait(reason, time.time() + 495)
        page = admin.get("/admin").text
        with here.engine.search_session() as reading:
            told = reading.status().crawl_wait
    assert re.search(r"a.example: connection refused by &lt;b&gt;; next attempt in 4\d\d s", page)
    assert told and told.reason == reason and 480 < told.seconds <= 495


def test_a_missing_site_is_offered_for_crawling(tmp_path: Path) -> None:
    with served_site(tmp_path) as here:
        admin = here.new_browser(Role.ADMIN)
        page = admin.get("/search?q=nothing+site:b.example").text
        assert 'href="/admin/crawl?url=b.example"' in page
        assert 'value="b.example"' in admin.get("/admin/crawl?url=b.example").text


def test_invalid_rules_are_listed_beside_valid_ones(here: ServedSite) -> None:
    admin, sites = here.new_browser(Role.ADMIN), here.engine.storage.path / "sites"
    sites.mkdir()
    (sites / "good.toml").write_text('main = "article"\n[match]\nhost = ["a.example"]\n')
    (sites / "bad.toml").write_text('mian = "article"\n[match]\nhost = ["a.example"]\n')
    page = admin.get("/admin/rules").text
    assert t("web.rules.errors", count=1) in page
    assert "bad.toml" in page and "mian" in page
    assert "good" in page and "mediawiki" in page
    (sites / "bad.toml").unlink()
    assert t("web.rules.errors", count=1) not in admin.get("/admin/rules").text


def test_a_rule_is_tested_on_a_page(here: ServedSite, village: Village) -> None:
    admin = here.new_browser(Role.ADMIN)
    url = village.url("encyclopaedia") + "wiki/PageRank"
    page = admin.post("/admin/rules", rule="mediawiki", url=url).text
    assert 'Rule applies to this page</th><td dir="auto">yes' in page
    assert "are followed" in page and "PageRank" in page
    other = admin.post("/admin/rules", rule="lamoda", url=url).text
    assert "no: match.url does not match" in other
    for rule, typed, why in (
        ("/etc/passwd.toml", url, "There is no site rule"),
        ("mediawiki", "ftp://a.example/", "ftp"),
        ("mediawiki", "http://127.0.0.1:1/", "127.0.0.1:1"),
    ):
        reply = admin.post("/admin/rules", rule=rule, url=typed)
        assert (reply.status, why in reply.text) == (400, True), rule
        assert "Traceback" not in reply.text


def test_hosts_are_filtered_by_name(here: ServedSite) -> None:
    hosts = ["a.example", "b.example", "docs.b.example:8080", "xn--mnchen-3ya.example"]
    with closing(SqliteFrontier(SqliteStorage(here.engine.storage.path).crawl_db)) as frontier:
        frontier.add(
            DiscoveredUrl(normalize(f"http://{host}/{n}")) for host in hosts for n in (1, 2)
        )
    admin = here.new_browser(Role.ADMIN)

    def found(typed: str) -> list[str]:
        page = admin.get(f"/admin/hosts?{urlencode({'host': typed})}").text
        assert f'name="host" type="search" value="{escape(typed)}"' in page
        return sorted(re.findall(r'<tr><td dir="auto">([^<]*)</td>', page))

    assert found("") == hosts
    assert found("B.EX") == found("http://b.ex") == hosts[1:3]
    assert found("docs.") == hosts[2:3]
    assert found("münchen.example") == hosts[3:]
    assert found("%") == found("<b>") == []
    assert "No host name contains “nobody”." in admin.get("/admin/hosts?host=nobody").text


def test_hosts_are_listed_with_state_and_delay(here: ServedSite, village: Village) -> None:
    admin = here.new_browser(Role.ADMIN)
    admin.post("/admin/crawl", url=village.url("library"), max_pages="3")
    assert wait_until(lambda: not here.engine.storage.is_locked("crawl"))
    page = admin.get("/admin/hosts").text
    row = next(row for row in page.split("<tr>") if village.url("library").split("/")[2] in row)
    assert t("web.hosts.status_waiting") in row
    assert re.search(r'<td class="number">3</td>', row)
    assert re.search(r'<td class="number">0\.\d+</td></tr>', row), row


def test_the_shards_of_the_index_are_shown(tmp_path: Path) -> None:
    urls = [normalize(f"http://a.example/{number}") for number in range(20)]
    pages = [Document(url, UrlId(id), text="Red shoes.") for id, url in enumerate(urls, 1)]
    settings = Settings(index=IndexSettings(shards=3))
    with served_site(tmp_path, settings, pages) as here:
        shown = here.new_browser(Role.ADMIN).get("/admin").text
        counts = re.findall(r'<code>shard-\d</code></th><td class="number">(\d+)</td>', shown)
        assert "Index shards</dt><dd>3</dd>" in shown
        assert (len(counts), sum(map(int, counts))) == (3, 20)


def test_the_progress_of_a_rebuild_is_shown(here: ServedSite) -> None:
    admin, folder = here.new_browser(Role.ADMIN), here.engine.storage
    assert "Index rebuild" not in admin.get("/admin").text
    SqliteStorage(folder.path).begin_generation(new_documents=True)
    assert re.search(r"Index rebuild</dt><dd>0% \(interrupted\)", admin.get("/admin").text)
    with folder.write_lock("index"):
        shown = admin.get("/admin").text
    assert "Index rebuild" in shown and "interrupted" not in shown
    with folder.write_lock("index"), folder.write_lock("crawl"):  # as who builds it anew does
        refused = admin.post("/admin/crawl", url="http://127.0.0.1/")
    assert t("error.app.rebuild_running") in refused.text
