"""An index that changes answers like one that is built fresh."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from search.corpus import document

from byway.core.model import Document, UrlId
from byway.core.model.candidates import Candidates
from byway.core.model.query import ParsedQuery
from byway.core.ports import PageLinks, SearchIndex, find_candidates
from byway.core.settings.schema import IndexSettings
from byway.index.sharded_index import ShardedIndex
from byway.search.query.parser import CollectionInfo, parse
from byway.search.rank.position_features import position_features
from byway.storage.memory.search_index import MemorySearchIndex

SMALL = IndexSettings(writer_memory_mb=15)
WORDS = ("red", "shoes", "blue", "hats", "running", "village")
QUERIES = (
    *("red", "red shoes", "shoes OR hats", "red -blue", '"red shoes"', "-(red OR blue) hats"),
    *("red shoes blue hats", "vil*", "intitle:red", "inurl:3", "site:b.org", "-site:b.org hats"),
    *("lang:en red", "filetype:pdf", "before:2021", "after:2021 shoes", "price:2..3", "brand:nike"),
)

texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
documents = st.builds(
    lambda id, text, title, host, language, more: document(
        id, text, title, host, language=language, **more
    ),
    st.integers(1, 6),
    texts,
    texts,
    st.sampled_from(("a.org", "b.org")),
    st.sampled_from(("", "en", "de")),
    st.sampled_from(
        (
            {},
            {"published": "2020-01-01"},
            {"published": "2022-02-02", "content_type": "application/pdf"},
            {"attributes": {"price": 2, "brand": "Nike Air"}},
            {"attributes": {"price": 4.5}},
            {"canonical": "http://a.org/1"},
        )
    ),
)
links = st.builds(
    PageLinks,
    st.lists(st.tuples(texts, st.integers(1, 9)), max_size=2).map(tuple),
    st.lists(st.integers(1, 6), max_size=3).map(tuple),
)


def said(index: SearchIndex, question: ParsedQuery) -> tuple[object, ...]:
    """All that an index says, but for scores, which pages that are gone have a part in."""
    found = find_candidates(index, question, 50)
    by_date = find_candidates(index, question, 50, sort="date")
    days = sorted(by_date.epoch_days.tolist(), reverse=True)
    assert by_date.epoch_days.tolist() == days
    facets = index.facets(question)
    return (
        index.statistics().page_count,
        found.total,
        _columns(found),
        facets,
        sorted(by_date.ids.tolist()),
    )


def _columns(found: Candidates) -> Mapping[int, tuple[object, ...]]:
    return {
        int(id): (
            found.features.shortest_window[n],
            found.features.first_position[n],
            found.features.term_counts[n].tolist(),
            found.features.piece_match[n].tolist(),
            found.host_ids[n],
            found.epoch_days[n],
        )
        for n, id in enumerate(found.ids)
    }


class Changing(RuleBasedStateMachine):
    """An index on disk, one in memory, and what they should hold."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self._path = Path(self._folder.name)
        self._index = ShardedIndex(self._path / "changing", SMALL, position_features)
        self._memory = MemorySearchIndex(position_features)
        self._kept: dict[UrlId, tuple[Document, PageLinks]] = {}
        self._sequence = 0

    def teardown(self) -> None:
        self._index.close()
        self._folder.cleanup()

    @rule(one=documents, linked=links)
    def add_or_update(self, one: Document, linked: PageLinks) -> None:
        self._kept[one.id] = one, linked
        for index in (self._index, self._memory):
            index.add([one], {one.id: linked})

    @rule(id=st.integers(1, 6))
    def remove(self, id: int) -> None:
        self._kept.pop(UrlId(id), None)
        for index in (self._index, self._memory):
            index.remove([UrlId(id)])

    @rule()
    def commit(self) -> None:
        self._commit()

    @rule()
    def open_again(self) -> None:
        self._commit()
        self._index.close()
        self._index = ShardedIndex(self._path / "changing", SMALL, position_features)

    @rule(typed=st.sampled_from(QUERIES))
    def both_answer_alike(self, typed: str) -> None:
        self._commit()
        question = parse(typed, (), CollectionInfo(("en", "de"), {"price", "brand"}))
        assert said(self._index, question) == said(self._memory, question)

    @rule()
    def a_fresh_one_answers_alike(self) -> None:
        self._commit()
        with TemporaryDirectory() as folder:
            fresh = ShardedIndex(Path(folder), SMALL, position_features)
            fresh.add(
                [one for one, _ in self._kept.values()],
                {id: linked for id, (_, linked) in self._kept.items()},
            )
            fresh.commit(1)
            for typed in QUERIES:
                question = parse(typed, (), CollectionInfo(("en", "de"), {"price", "brand"}))
                assert said(self._index, question) == said(fresh, question)
            fresh.close()

    @invariant()
    def what_is_committed_is_counted(self) -> None:
        assert self._index.statistics().page_count == self._memory.statistics().page_count

    def _commit(self) -> None:
        self._sequence += 1
        for index in (self._index, self._memory):
            index.commit(self._sequence)


TestChanging = Changing.TestCase
TestChanging.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)


def test_words_are_analyzed_in_languages_added_after_the_first_query() -> None:
    changing = Changing()
    try:
        changing.both_answer_alike(typed="red")
        german = document(1, "", "", "a.org", language="de")
        changing.add_or_update(one=german, linked=PageLinks((("red blue", 1),), ()))
        changing.both_answer_alike(typed="red -blue")
    finally:
        changing.teardown()
