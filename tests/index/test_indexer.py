"""Indexer: new, changed and removed documents, and anchor texts."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from contract.backends import BACKENDS, Backend, embedded_backend, memory_backend
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from byway.app import index as indexing
from byway.core.errors import BywayError
from byway.core.messages import Reason
from byway.core.model import (
    DiscoveredUrl,
    Document,
    ExtractionResult,
    Link,
    Outcome,
    Page,
    Url,
    UrlId,
    UrlState,
    Visit,
)
from byway.core.model.document import pack
from byway.core.model.query import Filter, ParsedQuery
from byway.core.ports import PageLinks, SearchIndex, find_candidates
from byway.core.settings.schema import IndexSettings, Settings
from byway.core.url import normalize
from byway.index.indexer import (
    PAGES_PER_BATCH,
    ExtractPage,
    extract_missing_documents,
    index_new,
    reindex_changed,
)
from byway.index.sharded_index import ShardedIndex
from byway.search.query.parser import parse
from byway.search.rank.position_features import position_features
from byway.storage.sqlite.storage import SqliteStorage


@pytest.fixture(params=BACKENDS.values(), ids=list(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    make: Any = request.param
    with make(tmp_path) as made:
        yield made


def document(id: int, text: str) -> Document:
    return Document(normalize(f"http://a.org/{id}"), UrlId(id), text=text)


def packed(id: int, text: str | None) -> bytes:
    """A packed document; None for a removed page."""
    return b"" if text is None else pack(document(id, text))


def put(backend: Backend, first: int, *texts: str | None) -> None:
    """Keep documents 1, 2, 3 …, under sequence numbers from `first` on."""
    backend.documents.put(
        (first + n, UrlId(1 + n), packed(1 + n, text)) for n, text in enumerate(texts)
    )


def ids(index: SearchIndex, text: str) -> set[int]:
    return {int(id) for id in find_candidates(index, parse(text), 100).ids}


def test_new_documents_are_indexed_batch_by_batch(backend: Backend) -> None:
    put(backend, 1, "red shoes", "blue shoes", "red hats", "hats", "shoes")
    assert list(index_new(backend.documents, backend.index, 2)) == [2, 4, 5]
    assert ids(backend.index, "shoes") == {1, 2, 5}
    assert (backend.index.committed_sequence(), backend.index.statistics().page_count) == (5, 5)


def test_indexed_documents_are_not_indexed_again(backend: Backend) -> None:
    put(backend, 1, "red shoes", "blue shoes")
    assert list(index_new(backend.documents, backend.index, 10)) == [2]
    assert list(index_new(backend.documents, backend.index, 10)) == []
    put(backend, 3, "red socks")
    assert list(index_new(backend.documents, backend.index, 10)) == [1]
    assert (ids(backend.index, "shoes"), ids(backend.index, "socks")) == ({2}, {1})


def test_a_removed_page_is_removed_from_the_index(backend: Backend) -> None:
    put(backend, 1, "red shoes", "blue shoes")
    list(index_new(backend.documents, backend.index, 10))
    put(backend, 3, None)
    list(index_new(backend.documents, backend.index, 10))
    assert ids(backend.index, "shoes") == {2}
    assert (backend.index.committed_sequence(), backend.index.statistics().page_count) == (3, 1)


def test_without_new_documents_nothing_is_committed(backend: Backend) -> None:
    assert list(index_new(backend.documents, backend.index, 10)) == []
    assert backend.index.committed_sequence() == 0


def test_an_interrupted_batch_is_indexed_again(tmp_path: Path) -> None:
    with embedded_backend(tmp_path) as backend:
        put(backend, 1, "red shoes", "blue shoes")
        backend.index.add([document(1, "red shoes")])  # then a power cut
    with embedded_backend(tmp_path) as backend:
        assert backend.index.committed_sequence() == 0
        assert list(index_new(backend.documents, backend.index, 10)) == [2]
        assert ids(backend.index, "shoes") == {1, 2}
        assert backend.index.statistics().page_count == 2


def test_a_commit_without_a_marker_is_done_again(tmp_path: Path) -> None:
    with embedded_backend(tmp_path) as backend:
        put(backend, 1, "red shoes", "blue shoes")
        list(index_new(backend.documents, backend.index, 10))
    (tmp_path / "index" / "state.json").unlink()
    with embedded_backend(tmp_path) as backend:
        assert list(index_new(backend.documents, backend.index, 10)) == [2]
        assert ids(backend.index, "shoes") == {1, 2}
        assert backend.index.statistics().page_count == 2


# Documents extracted again from pages.


def keep(backend: Backend, *bodies: bytes) -> None:
    """Keep pages, as a crawl would."""
    urls = {normalize(f"http://{n}.org/"): body for n, body in enumerate(bodies)}
    backend.frontier.add(DiscoveredUrl(url) for url in urls)
    for visit in backend.frontier.lease(len(bodies), now=1.0):
        page = Page(visit.url, 1.0, 200, (), urls[visit.url], visit.id)
        (place,) = backend.pages.append([(page, visit.url.encode())])
        kept = Outcome(visit, UrlState.KEPT, page=page, location=place, digest=visit.url.encode())
        backend.frontier.finish([kept])


def extract_missing(backend: Backend, read: ExtractPage) -> int:
    """Extract the missing documents; return their number."""
    queue_lost = backend.frontier.requeue_unreadable
    return asyncio.run(
        extract_missing_documents(backend.pages, backend.documents, read, queue_lost)
    )


def moved_to(visit: Visit, target: Url) -> Outcome:
    reason = Reason("moved_permanently", to=target)
    return Outcome(visit, UrlState.REDIRECTED, reason, redirect_target=target)


async def read(page: Page) -> ExtractionResult:
    """An extractor that takes the body as the text."""
    text = page.body.decode()
    if text == "broken":
        return ExtractionResult(failure=Reason("extract_failed"))
    return ExtractionResult(
        packed_document=pack(Document(page.url, page.id, text=text)), may_index=text != "hidden"
    )


def test_pages_without_documents_are_extracted_again(backend: Backend) -> None:
    keep(backend, b"red shoes", b"broken", b"hidden")
    assert extract_missing(backend, read) == 3
    assert extract_missing(backend, read) == 0
    assert backend.documents.last_sequence() == backend.pages.last_sequence()
    found = [row[2] for row in backend.documents.changes_since(0, 10)]
    assert [one.text for one in found if one] == ["red shoes"]
    list(index_new(backend.documents, backend.index, 10))
    assert backend.index.statistics().page_count == 1


def test_only_pages_after_the_last_document_are_extracted(backend: Backend) -> None:
    keep(backend, b"one", b"two", b"three")
    backend.documents.put([(2, UrlId(2), b"")])
    assert extract_missing(backend, read) == 1


def test_an_interrupted_extraction_resumes(backend: Backend) -> None:
    keep(backend, *(b"page %d" % n for n in range(PAGES_PER_BATCH + 5)))
    seen: list[str] = []

    async def stumbling(page: Page) -> ExtractionResult:
        if len(seen) == PAGES_PER_BATCH + 2:
            raise BywayError("interrupted")
        seen.append(page.url)
        return await read(page)

    with pytest.raises(BywayError):
        extract_missing(backend, stumbling)
    assert backend.documents.last_sequence() == PAGES_PER_BATCH
    assert extract_missing(backend, read) == 5


def test_progress_counts_documents_and_not_removals(backend: Backend) -> None:
    put(backend, 1, "red shoes", None, "red hats", None)
    assert list(index_new(backend.documents, backend.index, 3)) == [2, 2]
    assert backend.index.statistics().page_count == 2


def test_a_page_with_noindex_has_no_indexable_document() -> None:
    assert ExtractionResult(packed_document=b"packed", may_index=False).indexable_document == b""
    assert ExtractionResult(packed_document=b"packed").indexable_document == b"packed"


# However it came to be, an index answers like one that was made in one go.

TEXTS = ("red shoes", "blue shoes", "red hats and blue hats", "shoes for red hats", "", "running")
NAMES = ("footwear", "cheap red footwear", "hatter")
QUESTIONS = (
    *("red", "shoes", "red hats", '"red hats"', "blue -hats", "run", "site:a.org red"),
    *("footwear", "hatter", "cheap footwear"),
)
MOVED = 6
"""A URL that is no page, and may lead to one."""
PAGE = st.integers(1, MOVED - 1)
LINKS = st.dictionaries(st.sampled_from((1, 2, MOVED)), st.sampled_from(NAMES), max_size=3)


class Indexing(RuleBasedStateMachine):
    """Pages come, change and go, with what their links say, and are indexed now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._open = ExitStack()
        folder = Path(self._open.enter_context(TemporaryDirectory()))
        self._backend = self._open.enter_context(embedded_backend(folder))
        self._fresh = folder / "fresh"
        self._now: dict[int, str] = {}
        self._links: dict[int, dict[int, str]] = {}
        self._leads: int | None = None
        self._sequence = 0
        self._is_indexed = True
        urls = [normalize(f"http://a.org/{id}") for id in range(1, MOVED + 1)]
        self._backend.frontier.add(DiscoveredUrl(url, seed=True) for url in urls)
        self._visits = {id: Visit(url, UrlId(id)) for id, url in enumerate(urls, 1)}

    def teardown(self) -> None:
        self._open.close()

    @rule(pages=st.dictionaries(PAGE, st.tuples(st.sampled_from(TEXTS), LINKS), min_size=1))
    def put(self, pages: dict[int, tuple[str, dict[int, str]]]) -> None:
        for id, (text, links) in pages.items():
            self._sequence += 1
            anchors = [(self._visits[target].url, anchor) for target, anchor in links.items()]
            keep_linked(self._backend, self._visits[id], self._sequence, text, anchors)
            self._now[id], self._links[id] = text, links
        self._is_indexed = False

    @rule(id=PAGE, links=LINKS)
    def link(self, id: int, links: dict[int, str]) -> None:
        """A page links to others, or no more, and is indexed at once."""
        self.put({id: (self._now.get(id, TEXTS[0]), links)})
        self.index(1)

    @rule(gone=st.sets(PAGE, min_size=1))
    def remove(self, gone: set[int]) -> None:
        for id in gone:
            self._sequence += 1
            outcome = Outcome(self._visits[id], UrlState.MISSING, is_gone=True)
            self._backend.frontier.finish([outcome])
            self._backend.documents.put([(self._sequence, UrlId(id), b"")])
            self._now.pop(id, None)
            self._links.pop(id, None)
        self._is_indexed = False

    @rule(end=st.none() | PAGE)
    def move(self, end: int | None) -> None:
        """One URL leads to a page, then to another or to none."""
        outcome = Outcome(self._visits[MOVED], UrlState.MISSING, Reason("http_status", status=404))
        if end:
            outcome = moved_to(self._visits[MOVED], self._visits[end].url)
        self._backend.frontier.finish([outcome])
        self._leads = end
        self._is_indexed = False

    @rule(batch=st.integers(1, 4))
    def index(self, batch: int) -> None:
        here = self._backend
        list(index_new(here.documents, here.index, batch, here.anchors))
        reindex_changed(here.documents, here.index, batch, here.anchors)
        self._is_indexed = True

    @rule()
    def stumble(self) -> None:
        """Add without a commit, as in a power cut, and open the index again."""
        index = self._backend.index
        assert isinstance(index, ShardedIndex)
        index.add(document(id, "never seen") for id in self._now)
        index.close()

    @invariant()
    def what_is_indexed_is_found(self) -> None:
        if not self._is_indexed:
            return
        with memory_backend(self._fresh) as fresh:
            linked = {UrlId(id): PageLinks(self._called(id)) for id in self._now}
            fresh.index.add((document(id, text) for id, text in self._now.items()), linked)
            fresh.index.commit(1)
            for text in QUESTIONS:
                assert ids(self._backend.index, text) == ids(fresh.index, text), text
            called = {name for one in linked.values() for name, _ in one.anchors}
            suggested = {
                name
                for name in NAMES
                for one in self._backend.ports.suggestions.complete(name, 10)
                if one.text == name
            }
            assert suggested == called
        assert self._backend.index.statistics().page_count == len(self._now)

    def _called(self, id: int) -> tuple[tuple[str, int], ...]:
        """What links call a page, also those to the URL that leads to it."""
        texts = Counter(
            text
            for source, links in self._links.items()
            for target, text in links.items()
            if target != source and (self._leads if target == MOVED else target) == id
        )
        return tuple(texts.items())


TestIndexing = Indexing.TestCase
TestIndexing.settings = settings(max_examples=12, stateful_step_count=10, deadline=None)


def test_an_index_built_in_steps_gives_the_same_results_as_one_built_at_once(
    tmp_path: Path,
) -> None:
    step_by_step = ShardedIndex(
        tmp_path / "steps", IndexSettings(writer_memory_mb=15), position_features
    )
    for number, text in enumerate(TEXTS, 1):
        step_by_step.add([document(number + 1, "something else"), document(number, text)])
        step_by_step.commit(number)
    step_by_step.remove([UrlId(len(TEXTS) + 1)])
    step_by_step.commit(len(TEXTS))
    at_once = ShardedIndex(tmp_path / "once", IndexSettings(writer_memory_mb=15), position_features)
    at_once.add(document(number, text) for number, text in enumerate(TEXTS, 1))
    at_once.commit(1)
    query = parse("red shoes")
    for index in (step_by_step, at_once):
        found = find_candidates(index, query, 10)
        assert sorted(found.ids.tolist()) == [1, 4]
        assert sorted(found.features.shortest_window.tolist()) == [2, 3]
        assert index.statistics().page_count == len(TEXTS)
        index.close()


# Anchor texts.


def keep_linked(
    backend: Backend, visit: Visit, sequence: int, text: str, links: Sequence[tuple[str, str]]
) -> None:
    """Keep a page with these links, targets and anchors, as a crawl would."""
    page = Page(visit.url, 0.0, 200, (), text.encode(), visit.id)
    (place,) = backend.pages.append([(page, text.encode())])
    outcome = Outcome(
        visit,
        UrlState.KEPT,
        page=page,
        location=place,
        links=tuple(Link(normalize(target), anchor) for target, anchor in links),
        discovered_urls=tuple(DiscoveredUrl(normalize(target)) for target, _ in links),
        digest=text.encode(),
    )
    backend.frontier.finish([outcome])
    document = Document(visit.url, visit.id, text=text)
    backend.documents.put([(sequence, visit.id, pack(document))])


def test_a_page_is_found_by_anchor_texts_of_its_redirects(backend: Backend) -> None:
    home, shop, old = (normalize(f"http://{name}.org/") for name in ("a", "b", "old"))
    backend.frontier.add(DiscoveredUrl(url, seed=True) for url in (home, shop, old))
    visits = {visit.url: visit for visit in backend.frontier.lease(10, 1e9)}
    keep_linked(backend, visits[home], 1, "home", [(old, "cheap shoes"), (old, "footwear")])
    keep_linked(backend, visits[shop], 2, "the shop", [])
    list(index_new(backend.documents, backend.index, 2, backend.anchors))
    assert ids(backend.index, "cheap shoes") == set()
    backend.frontier.finish([moved_to(visits[old], shop)])
    assert reindex_changed(backend.documents, backend.index, 10, backend.anchors) == 1
    assert ids(backend.index, "cheap shoes") == ids(backend.index, "footwear") == {visits[shop].id}
    assert reindex_changed(backend.documents, backend.index, 10, backend.anchors) == 0


def test_a_page_is_found_by_anchor_texts_of_earlier_and_later_links(
    backend: Backend,
) -> None:
    urls = ["http://a.org/", "http://b.org/", "http://c.org/"]
    backend.frontier.add(DiscoveredUrl(normalize(url), seed=True) for url in urls)
    visits = {visit.url: visit for visit in backend.frontier.lease(10, 1e9)}
    pages = [
        (urls[0], "home", [(urls[1], "cheap shoes"), (urls[1], "next"), (urls[0], "itself")]),
        (urls[1], "the shop", []),
        (urls[2], "another", [(urls[1], "footwear"), (urls[1], "bargains")]),
    ]
    for sequence, (url, text, links) in enumerate(pages[:2], 1):
        keep_linked(backend, visits[normalize(url)], sequence, text, links)
    shop = visits[normalize(urls[1])].id
    assert list(index_new(backend.documents, backend.index, 2, backend.anchors)) == [2]
    keep_linked(backend, visits[normalize(urls[2])], 3, *pages[2][1:])
    assert list(index_new(backend.documents, backend.index, 2, backend.anchors)) == [1]
    assert ids(backend.index, "cheap shoes") == {shop}
    assert ids(backend.index, "itself") == set()
    assert ids(backend.index, "footwear") == set()
    assert reindex_changed(backend.documents, backend.index, 10, backend.anchors) == 1
    assert ids(backend.index, "footwear bargains") == {shop}
    assert reindex_changed(backend.documents, backend.index, 10, backend.anchors) == 0
    linking = ParsedQuery((Filter("link", urls[1]),))
    found = find_candidates(backend.index, linking, 10).ids.tolist()
    assert sorted(found) == sorted(visits[normalize(url)].id for url in (urls[0], urls[2]))


def test_a_page_is_indexed_once_if_all_links_to_it_are_known(backend: Backend) -> None:
    urls = ["http://a.org/", "http://b.org/", "http://c.org/"]
    backend.frontier.add(DiscoveredUrl(normalize(url), seed=True) for url in urls)
    visits = {visit.url: visit for visit in backend.frontier.lease(10, 1e9)}
    for sequence, url in enumerate(urls, 1):
        keep_linked(
            backend, visits[normalize(url)], sequence, "shop", [(urls[0], f"anchor{sequence}")]
        )
    assert list(index_new(backend.documents, backend.index, 1, backend.anchors)) == [1, 2, 3]
    assert ids(backend.index, "anchor3") == {visits[normalize(urls[0])].id}
    assert reindex_changed(backend.documents, backend.index, 10, backend.anchors) == 0


def linked(backend: Backend, *names: str) -> dict[str, Visit]:
    """Visits to the home pages of these hosts."""
    urls = {name: normalize(f"http://{name}.org/") for name in names}
    backend.frontier.add(DiscoveredUrl(url, seed=True) for url in urls.values())
    visits = {visit.url: visit for visit in backend.frontier.lease(10, 1e9)}
    return {name: visits[url] for name, url in urls.items()}


def reindex(backend: Backend) -> int:
    """Index new documents; return the number of pages with changed anchors."""
    list(index_new(backend.documents, backend.index, 10, backend.anchors))
    return reindex_changed(backend.documents, backend.index, 10, backend.anchors)


def test_a_page_is_not_found_by_former_anchor_texts(backend: Backend) -> None:
    visits = linked(backend, "home", "other", "shop")
    shop = visits["shop"]
    keep_linked(backend, visits["home"], 1, "home", [(shop.url, "cheap shoes")])
    keep_linked(backend, visits["other"], 2, "other", [(shop.url, "footwear")])
    keep_linked(backend, shop, 3, "the shop", [])
    reindex(backend)
    assert ids(backend.index, "cheap shoes") == ids(backend.index, "footwear") == {shop.id}
    keep_linked(backend, visits["home"], 4, "home", [(shop.url, "bargains")])
    assert reindex(backend) == 1
    assert ids(backend.index, "cheap shoes") == set()
    assert ids(backend.index, "bargains") == ids(backend.index, "footwear") == {shop.id}
    gone = Outcome(visits["other"], UrlState.MISSING, is_gone=True)
    backend.frontier.finish([gone])
    backend.documents.put([(5, visits["other"].id, b"")])
    keep_linked(backend, visits["home"], 6, "home", [])
    assert reindex(backend) == 1
    assert ids(backend.index, "bargains") == ids(backend.index, "footwear") == set()
    assert ids(backend.index, "shop") == {shop.id}


def test_unchanged_anchor_texts_cause_no_reindexing(backend: Backend) -> None:
    visits = linked(backend, "home", "shop")
    links = [(visits["shop"].url, text) for text in ("shoes", "footwear")]
    for sequence in (1, 3, 4):
        keep_linked(backend, visits["home"], sequence, f"home {sequence}", links)
        keep_linked(backend, visits["shop"], 2, "the shop", [])
        assert reindex(backend) == 0
    assert ids(backend.index, "shoes footwear") == {visits["shop"].id}


def test_an_interrupted_reindexing_is_repeated(backend: Backend) -> None:
    visits = linked(backend, "home", "shop")
    keep_linked(backend, visits["home"], 1, "home", [(visits["shop"].url, "cheap shoes")])
    keep_linked(backend, visits["shop"], 2, "the shop", [])
    reindex(backend)
    keep_linked(backend, visits["home"], 3, "home", [(visits["shop"].url, "bargains")])
    list(index_new(backend.documents, backend.index, 10, backend.anchors))
    (id,) = backend.anchors.pages_with_changed_anchors(10)
    assert backend.anchors.anchors_for([id])[id].anchors == (("bargains", 1),)  # then a power cut
    assert reindex(backend) == 1
    assert ids(backend.index, "bargains") == {visits["shop"].id}


def test_anchor_changes_after_a_crash_between_commits_are_indexed(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits = linked(backend, "home", "shop")
    keep_linked(backend, visits["home"], 1, "home", [(visits["shop"].url, "cheap shoes")])
    keep_linked(backend, visits["shop"], 2, "the shop", [])
    commit = backend.index.commit

    def commit_and_die(sequence: int) -> None:
        commit(sequence)
        raise InterruptedError

    with monkeypatch.context() as dying, pytest.raises(InterruptedError):
        dying.setattr(backend.index, "commit", commit_and_die)
        reindex(backend)
    keep_linked(backend, visits["home"], 3, "home", [(visits["shop"].url, "bargains")])
    assert reindex(backend) == 1
    assert ids(backend.index, "bargains") == {visits["shop"].id}


def test_new_pages_are_indexed_before_changed_anchors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "ANCHOR_REINDEX_INTERVAL_SECONDS", 0.0)
    names = ("home", "red", "green", "blue")
    commits: list[int] = []
    commit = ShardedIndex.commit

    with embedded_backend(tmp_path) as backend:
        visits = linked(backend, *names)

        def call(sequence: int, text: str) -> None:
            shops = [(visits[name].url, text) for name in names[1:]]
            keep_linked(backend, visits["home"], sequence, "home", shops)

        def committed(index: ShardedIndex, sequence: int) -> None:
            commit(index, sequence)
            commits.append(sequence)
            if commits == [1, 2, 3, 4, 5, 5]:  # the first page is renamed
                keep_linked(backend, visits["home"], 6, "closed", [])

        def stop(seconds: float) -> bool:
            if len(commits) == 4:
                call(5, "bargains")
            return len(commits) >= 8

        monkeypatch.setattr(ShardedIndex, "commit", committed)
        call(1, "cheap")
        for sequence, name in enumerate(names[1:], 2):
            keep_linked(backend, visits[name], sequence, name, [])
        every = Settings(index=IndexSettings(writer_memory_mb=15, batch_size=1))
        indexing.IndexingService(SqliteStorage(tmp_path), every).follow_crawl(stop, lambda: None)
        assert commits[:7] == [1, 2, 3, 4, 5, 5, 6]
        assert ids(backend.index, "bargains") == ids(backend.index, "cheap") == set()


def test_long_numbers_can_be_excluded_from_the_index(tmp_path: Path) -> None:
    every, years = (
        IndexSettings(writer_memory_mb=15),
        IndexSettings(writer_memory_mb=15, indexed_numbers="years"),
    )
    for chosen, answers in ((every, [1]), (years, [1, 2])):
        index = ShardedIndex(tmp_path / chosen.indexed_numbers, chosen, position_features)
        index.add([document(1, "part 31415926 of 2024"), document(2, "part 27182818 of 2023")])
        index.commit(1)
        found = find_candidates(index, parse("part 31415926"), 10)
        assert sorted(found.ids.tolist()) == answers
        assert find_candidates(index, parse("part 2024"), 10).ids.tolist() == [1]
        index.close()
