"""One small data folder for all commands that only read it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.runner import byway

from byway.village import Village

LOOPBACK_NETWORK = "127.0.0.0/8"


@dataclass(frozen=True, slots=True)
class CrawledSite:
    """Ten pages of the village's manual, crawled, indexed and ranked; the village still stands."""

    data: Path
    village: Village

    def url(self, path: str = "/", site: str = "manual") -> str:
        return self.village.url(site, path)


@pytest.fixture(scope="session")
def crawled_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawledSite]:
    data = tmp_path_factory.mktemp("cli") / "data"
    with Village() as village:
        options = ("--pages", 10, "--delay", 0, "--allow-private", LOOPBACK_NETWORK, "--data", data)
        assert byway("crawl", village.url("manual"), *options).exit_code == 0
        for command in ("index", "rank"):
            assert byway(command, "--data", data).exit_code == 0
        yield CrawledSite(data, village)
