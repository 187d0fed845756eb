"""What is removed by hand is not found, and does not come back by itself."""

import gzip
import json
import os
import shutil
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pytest
from cli.conftest import LOOPBACK_NETWORK, CrawledSite
from cli.runner import CliResult, byway, error_line

from byway.app.engine import Engine
from byway.core.messages import t
from byway.core.model import DiscoveredUrl, UrlState
from byway.core.settings.schema import Settings
from byway.core.url import host_of, normalize
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village

HEALTHY = "crawl.path_pattern=^/(?!machine-room|busy)"
"""Pages after which a site is left alone for seconds are not asked for, crawl after crawl."""
OPTIONS = (
    *("--delay", 0, "--allow-private", LOOPBACK_NETWORK),
    *("--set", "crawl.max_retries=0", "--set", HEALTHY),
)
TORTOISE = "/2025/01/lost-tortoise.html"
"""A page that the sitemap of the news names, and that other pages link to."""
TITLE = "Lost tortoise found in the post office"


@dataclass(frozen=True, slots=True)
class Paper:
    """The news of the village, crawled and indexed; the village still stands."""

    data: Path
    village: Village

    def url(self, path: str = TORTOISE) -> str:
        return self.village.url("news", path)

    def run(self, *words: object) -> CliResult:
        """Run a command that must do what it is told."""
        ran = byway(*words, "--data", self.data)
        assert ran.exit_code == 0, ran
        return ran

    def crawl(self, *words: object) -> CliResult:
        """Crawl on, and make findable what came."""
        ran = self.run("crawl", *words, *OPTIONS)
        self.run("index")
        return ran

    def finds(self, words: str) -> list[str]:
        told = json.loads(self.run("search", "--json", "--limit", 100, words).stdout)
        return [hit["url"] for hit in told["hits"]]

    def asked(self, path: str = TORTOISE) -> int:
        """How often a page was asked for."""
        seen = [one for one in self.village.log if (one.site, one.path) == ("news", path)]
        return len(seen)

    def state(self, path: str = TORTOISE) -> str:
        told = json.loads(self.run("trace", "--json", self.url(path)).stdout)
        return str(told["crawl"]["state"])


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paper]:
    with Village() as village:
        made = Paper(tmp_path_factory.mktemp("printed") / "data", village)
        made.crawl(made.url("/"))
        yield made


@pytest.fixture
def paper(tmp_path: Path, printed: Paper) -> Paper:
    """A copy of one's own."""
    shutil.copytree(printed.data, tmp_path / "data")
    return Paper(tmp_path / "data", printed.village)


def let_time_pass(paper: Paper) -> None:
    """robots.txt and with it the sitemap are read again, as they would be in a few days."""
    with closing(open_to_write(paper.data / "crawl.db")) as db:
        db.execute("update robots_txt set fetched_at = fetched_at - 400000")


def test_a_removed_page_stays_out_until_that_is_undone(paper: Paper) -> None:
    url, before = paper.url(), len(paper.finds("tortoise"))
    assert url in paper.finds("tortoise")
    assert TITLE in paper.run("suggest", "lost tort").stdout
    told = paper.run("remove", url).stdout
    assert told.startswith("Removed 1 page, 1 URL.")
    assert told.endswith("remain in pages/: 00001.warc.gz\n")
    assert url not in paper.finds("tortoise") and len(paper.finds("tortoise")) == before - 1
    assert TITLE not in paper.run("suggest", "lost tort").stdout
    asked = paper.asked()
    for arguments in ((), ("--recrawl-all",), (paper.url("/"),)):
        let_time_pass(paper)
        paper.crawl(*arguments)
        assert (paper.asked(), url in paper.finds("tortoise")) == (asked, False)
    paper.run("index", "--rebuild")
    assert url not in paper.finds("tortoise")
    assert "The next `byway crawl`" in paper.run("remove", "--undo", url).stdout
    paper.crawl()
    assert url in paper.finds("tortoise")
    assert paper.asked() == asked + 1


def test_removing_a_removed_page_reports_it(paper: Paper) -> None:
    url, other = paper.url(), paper.url("/")
    assert "No crawl will fetch them again.\n" in paper.run("remove", url).stdout
    for words in ((), ("--dry-run",)):
        assert paper.run("remove", url, *words).stdout.startswith(t("cli.remove.already", count=1))
    both = paper.run("remove", url, other).stdout
    assert both.startswith("Removed 1 page, 1 URL (1 more had already been removed). No crawl ")
    assert paper.run("remove", url, other).stdout.startswith(t("cli.remove.already", count=2))
    one = "Restored 1 URL. The next `byway crawl` visits it.\n"
    assert paper.run("remove", "--undo", url).stdout == one
    two = paper.run("remove", "--undo", "--dry-run", other).stdout
    assert two == "Would restore 1 URL.\n"


def test_removing_a_removed_site_reports_it_without_asking(paper: Paper) -> None:
    host = host_of(normalize(paper.url()))
    paper.run("remove", "--yes", "--site", host)
    assert (
        paper.run("remove", "--site", host).stdout == f"The site {host} has already been removed.\n"
    )
    assert (
        "URLs. The next `byway crawl` visits them."
        in paper.run("remove", "--undo", "--site", host).stdout
    )


def test_a_site_whose_pages_are_all_removed_can_still_be(paper: Paper) -> None:
    host = host_of(normalize(paper.url()))
    with closing(open_to_write(paper.data / "crawl.db")) as db:
        known = [
            url for (url,) in db.execute("select url from url where url like ?", (f"%{host}%",))
        ]
    paper.run("remove", *known)
    told = paper.run("remove", "--yes", "--site", host).stdout
    assert told == "Removed 0 pages, 0 URLs. No crawl will fetch them again.\n"
    assert f"site {host}\n" in paper.run("remove", "--list").stdout


def traces(data: Path, word: str) -> list[str]:
    """The files that still have a word in them, however it is written there."""
    code, text = struct.pack("<I", crc32(word.encode())), word.encode()
    spelt = {text, "".join(letter + "\0\0\0" for letter in word).encode(), code}
    return [
        path.name
        for path in sorted(data.rglob("*"))
        if path.is_file() and any(one in read for read in whole(path) for one in spelt)
    ]


def whole(path: Path) -> tuple[bytes, bytes]:
    """What is in a file, as it is and in small letters."""
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return data, data.lower()


def test_the_archive_of_a_removed_page_can_be_deleted(paper: Paper) -> None:
    url, word = paper.url(), "bertha"  # which no other page of the news has
    before = set(paper.finds("the"))
    assert {"00001.warc.gz", "forward.terms"} < set(traces(paper.data, word))
    (file,) = json.loads(paper.run("remove", url, "--json").stdout)["archive_files"]
    assert "forward.terms" not in traces(paper.data, word)
    os.truncate(paper.data / "pages" / file, 0)
    assert "`byway crawl" in paper.run("index", "--rebuild").stderr
    paper.crawl()
    assert paper.state() == "removed"
    assert set(paper.finds("the")) == before - {url}
    assert traces(paper.data, word) == []


def test_a_rebuild_leaves_only_the_archive(paper: Paper) -> None:
    paper.run("remove", paper.url())
    paper.run("index", "--rebuild")
    assert traces(paper.data, "bertha") == ["00001.warc.gz"]


def test_naming_a_removed_page_says_so_and_does_not_bring_it_back(paper: Paper) -> None:
    paper.run("remove", paper.url())
    asked = paper.asked()
    told = paper.crawl(paper.url())
    assert f"{paper.url()}: removed by hand; `byway remove --undo` restores it" in told.stderr
    assert paper.asked() == asked
    assert paper.url() not in paper.finds("tortoise")


def test_every_command_shows_that_a_page_is_removed(paper: Paper) -> None:
    paper.run("remove", paper.url())
    asked = paper.asked()
    assert paper.state() == "removed"
    told = paper.run("trace", paper.url()).stdout
    assert "✗ scope     removed by hand; `byway remove --undo`" in told
    assert "was removed by hand" in paper.run("explain", "tortoise", paper.url()).stdout
    assert json.loads(paper.run("status", "--json").stdout)["states"]["removed"] == 1
    assert paper.run("remove", "--list").stdout == f"{paper.url()}\n"
    assert "removed by hand" in paper.run("report").stdout
    assert paper.asked() == asked


def test_a_removed_site_stays_out_with_all_that_is_found_of_it_later(
    tmp_path: Path, village: Village
) -> None:
    paper = Paper(tmp_path / "data", village)
    paper.crawl(paper.url("/"), "--pages", 4)
    paper.crawl(village.url("manual"), "--pages", 6)
    host = village.authority("news")
    dry = json.loads(paper.run("remove", "--site", host, "--dry-run", "--json").stdout)
    assert dry["urls"] > dry["pages"] >= 4 and paper.finds(f"site:{host}")
    told = paper.run("remove", "--site", host, "--yes").stdout
    assert told.startswith(f"Removed {dry['pages']} pages, {dry['urls']} URLs.")
    new = normalize(paper.url("/never-heard-of.html"))
    with closing(SqliteFrontier(paper.data / "crawl.db")) as frontier:
        frontier.add(
            [DiscoveredUrl(new), DiscoveredUrl(normalize(paper.url("/named.html")), seed=True)]
        )
        record = frontier.find_url(new)
        assert record and record.state is UrlState.REMOVED
    requests = len([one for one in village.log if one.site == "news"])
    let_time_pass(paper)
    paper.crawl("--recrawl-all", "--pages", 100)
    paper.run("index", "--rebuild")
    assert len([one for one in village.log if one.site == "news"]) == requests
    assert not paper.finds(f"site:{host}")
    listed = json.loads(paper.run("remove", "--list", "--json").stdout)
    assert listed == {"sites": [host], "urls": []}
    assert paper.finds(f"site:{village.authority('manual')}")
    trace = paper.run("trace", paper.url("/unknown.html")).stdout
    assert f"removed by hand with the site {host}" in trace
    paper.run("remove", "--undo", "--site", host)
    paper.crawl("--pages", 100)
    assert len(paper.finds(f"site:{host}")) > dry["pages"]


def test_a_page_removed_by_itself_stays_removed_when_its_site_is_restored(paper: Paper) -> None:
    host = paper.village.authority("news").partition(":")[0]
    paper.run("remove", paper.url())
    paper.run("remove", "--site", host, "--yes")
    assert not paper.finds("the")
    paper.run("remove", "--undo", "--site", host)
    paper.crawl()
    assert paper.state("/") == "kept"
    assert paper.state() == "removed"


def test_undo_warns_about_hosts_that_the_settings_block(paper: Paper) -> None:
    paper.run("remove", paper.url())
    said = paper.run("remove", "--undo", paper.url()).stderr
    address = paper.village.authority("news").partition(":")[0]
    refusal = f"{address} is not public (this machine); to allow it, use --allow-private"
    assert f"do not allow fetching the restored pages: {refusal}" in said
    paper.run("remove", paper.url())
    allowed = ("--set", "crawl.allow_private=127.0.0.0/8")
    assert paper.run("remove", "--undo", paper.url(), *allowed).stderr == ""


def test_one_page_of_a_removed_site_can_be_restored(paper: Paper) -> None:
    paper.run("remove", "--site", paper.village.authority("news"), "--yes")
    paper.run("remove", "--undo", paper.url())
    paper.crawl()
    assert paper.finds(f"site:{paper.village.authority('news')}") == [paper.url()]


def test_a_site_below_another_goes_with_it_and_a_namesake_does_not(tmp_path: Path) -> None:
    SqliteStorage(tmp_path).create()
    hosts = ("a.org", "www.a.org", "www.a.org:8080", "ba.org", "a.org.example")
    with closing(SqliteFrontier(tmp_path / "crawl.db")) as frontier:
        frontier.add(DiscoveredUrl(normalize(f"http://{host}/")) for host in hosts)
        frontier.remove((), "a.org", False, 1.0)
        left = [host for host, _ in frontier.queue_lengths()]
        assert left == ["a.org.example", "ba.org"]
        assert frontier.state_counts() == {UrlState.QUEUED: 2, UrlState.REMOVED: 3}
        assert {visit.url for visit in frontier.lease(10, 2.0)} == {
            "http://ba.org/",
            "http://a.org.example/",
        }


def test_a_redirect_that_is_removed_names_the_page_that_stays(
    tmp_path: Path, village: Village
) -> None:
    paper = Paper(tmp_path / "data", village)
    url = village.url("manual", "/old-changelog.html")
    paper.crawl(url, "--pages", 3)
    told = paper.run("remove", url)
    assert told.stdout.startswith("Removed 0 pages, 1 URL.")
    target = village.url("manual", "/changelog.html")
    assert told.stderr == f"{url} redirects to {target}, which has not been removed.\n"
    assert target in paper.finds("changelog")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Give the pages to remove, or a site with --site HOST"),
        (("a.org", "--list"), "use only --list"),
        (("a.org", "--site", "a.org"), "Give the pages to remove, or a site"),
        (("https://a.org/none",), "Unknown URL: https://a.org/none"),
        (("--site", "a.org"), "No page on the site a.org is known"),
        (("--undo", "--site", "a.org"), "The site a.org has not been removed as a whole"),
        (("ftp://a.org/",), "ftp"),
    ],
)
def test_a_wrong_removal_is_refused(
    crawled_site: CrawledSite, words: tuple[str, ...], says: str
) -> None:
    assert says in error_line("remove", *words, "--data", crawled_site.data, exit_code=2)


def is_kept(crawled: CrawledSite) -> bool:
    """Is the first page of the manual there, as it was?"""
    told = byway("trace", "--json", crawled.url(), "--data", crawled.data)
    return bool(json.loads(told.stdout)["crawl"]["state"] == "kept")


def test_nothing_is_removed_unless_all_that_is_named_is_known(crawled_site: CrawledSite) -> None:
    here, nowhere = crawled_site.url(), crawled_site.url("/none")
    assert nowhere in error_line("remove", here, nowhere, "--data", crawled_site.data, exit_code=2)
    says = error_line("remove", "--undo", here, "--data", crawled_site.data, exit_code=2)
    assert says.endswith("has not been removed; its state is: kept.")
    assert is_kept(crawled_site)


def test_removing_a_site_needs_a_confirmation(crawled_site: CrawledSite) -> None:
    host = crawled_site.village.authority("manual")
    says = error_line("remove", "--site", host, "--data", crawled_site.data, exit_code=2)
    assert says.startswith("This would remove ") and says.endswith("Add --yes to confirm.")
    assert is_kept(crawled_site)


def test_nothing_is_removed_while_a_crawl_or_a_rebuild_goes_on(crawled_site: CrawledSite) -> None:
    folder = SqliteStorage(crawled_site.data)
    with folder.write_lock("crawl"):
        says = error_line("remove", crawled_site.url(), "--data", crawled_site.data, exit_code=1)
        assert f"`byway stop --data {crawled_site.data}`" in says
        with folder.write_lock("index"):  # one process with both makes documents anew
            says = error_line(
                "remove", crawled_site.url(), "--data", crawled_site.data, exit_code=1
            )
    assert "is writing crawl data" in says and "Wait until it ends, stop it" in says
    assert is_kept(crawled_site)


def test_a_page_removed_beside_an_indexer_leaves_the_index_later(paper: Paper) -> None:
    engine = Engine(paper.data, Settings())
    with engine.storage.write_lock("index"):  # by somebody who does not come to it in time
        ended = engine.remove([normalize(paper.url())], timeout=0)
        assert (ended.indexer_pid, ended.done) == (os.getpid(), False)
        assert paper.url() not in paper.finds("tortoise")  # what it said is gone already
        assert TITLE in paper.run("suggest", "lost tort").stdout
    assert paper.run("index").stdout == "0 documents indexed\n"
    assert TITLE not in paper.run("suggest", "lost tort").stdout
