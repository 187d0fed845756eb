"""What is asked stays there to be asked, though a rebuild puts another in its place."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from web.crawled_site import crawl, engine_at, local_site

from byway.app.engine import Engine
from byway.core.model import Query
from byway.core.operators import OPERATORS
from byway.storage.sqlite.crawl_db.url_catalog import SqliteUrlCatalog

UNKNOWN_VALUES = {"after": "2030", "before": "1990"}
PAGES = {"/": "<title>Start</title><h1>Fruit</h1><p>Apples and pears, say those who sell.</p>"}
RULE = 'title = "h1"\n\n[match]\ncss = "h1"\n'


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Where a page is kept."""
    engine = engine_at(tmp_path)
    engine.create()
    with local_site(PAGES) as site:
        crawl(engine, site)
        yield engine


def rebuild(engine: Engine) -> None:
    """Have it all made anew, with other titles."""
    (engine.storage.path / "sites").mkdir()
    (engine.storage.path / "sites/fruit.toml").write_text(RULE)
    engine.index(rebuild=True)


def test_who_measures_is_answered_though_a_rebuild_comes_between(engine: Engine) -> None:
    query = Query("apples")
    with engine.search_session() as reading:
        measured = reading.searcher({"title_coverage": 0.5})
        assert [hit.title for hit in measured.search(query).hits] == ["Start"]
        rebuild(engine)
        assert [hit.title for hit in reading.search(query).hits] == ["Fruit"]
        assert [hit.title for hit in measured.search(query).hits] == ["Start"]


class Slow(dict[str, float]):
    """Weights; while they are read, all is made anew, and somebody else asks."""

    def __init__(self, engine: Engine, other: threading.Thread) -> None:
        super().__init__(title_coverage=0.5)
        self._engine, self._other = engine, other

    def __iter__(self) -> Iterator[str]:
        if not self._other.ident:
            rebuild(self._engine)
            self._other.start()
            self._other.join(1)
        return super().__iter__()


def test_weights_are_changed_for_what_a_rebuild_has_put_there(engine: Engine) -> None:
    query = Query("apples")
    with engine.search_session() as reading:
        other = threading.Thread(target=reading.search, args=(query,))
        reading.set_weights(Slow(engine, other))
        other.join()
        assert [hit.title for hit in reading.search(query).hits] == ["Fruit"]


FRUIT = "<html lang=en><title>Fruit</title><meta name=date content=2024-05-31>"
LINKED = {
    "/": f"{FRUIT}<p>Apples and pears, and <a href=/shop/pears>where to buy the pears</a>.",
    "/shop/pears": f"{FRUIT}<p>Buy ripe pears and apples from those who grow the pears.",
}


def test_every_operator_works_without_the_tables_of_the_crawl(tmp_path: Path) -> None:
    engine = engine_at(tmp_path)
    engine.create()
    with local_site(LINKED) as site:
        crawl(engine, site)
    url = f"{site.url}/shop/pears"
    values = {
        "site": site.url,
        "lang": "en",
        "filetype": "html",
        "after": "2024",
        "before": "2025",
        "link": url,
        "related": url,
        "intitle": "fruit",
        "inurl": "shop",
    }
    with engine.search_session() as reading:
        reading.catalog._db.close()  # type: ignore[attr-defined]
        for path in tmp_path.rglob("crawl.db*"):
            path.rename(tmp_path / f"moved-{path.name}")
        totals = {name: reading.search(Query(f"{name}:{values[name]}")).total for name in values}
        assert totals == dict.fromkeys(values, 2) | dict.fromkeys(("link", "related", "inurl"), 1)
        for operator in OPERATORS.values():
            assert reading.search(Query(operator.example)).query.text == operator.example
        (typed,) = reading.search(Query(url)).hits
        assert typed.url == url
        for name in values:
            nothing = reading.search(Query(f"{name}:{UNKNOWN_VALUES.get(name, 'zebra.example')}"))
            assert nothing.no_results_reasons and not nothing.total


def test_a_search_and_its_page_do_not_read_the_tables_of_the_crawl(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine.search_session() as reading:
        seeds = reading.status().seeds
        for name in [name for name in vars(SqliteUrlCatalog) if not name.startswith("__")]:
            monkeypatch.delattr(SqliteUrlCatalog, name)
        assert reading.search(Query("apples")).total == 1
        assert reading.search(Query("nothing like that")).total == 0
        assert reading.suggest("app", 3) == ["apples"]
        status = reading.index_status()
        assert (status.indexed, status.seeds, status.crawling) == (1, seeds, False)
