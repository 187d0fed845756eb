"""Ranking signals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.core.errors import SettingsError
from byway.core.messages import catalogue, languages
from byway.core.model import Document, Heading, UrlId
from byway.core.ports import NO_RANKS, PageLinks, Ranks, find_candidates
from byway.core.url import normalize
from byway.search.query.parser import parse
from byway.search.rank.position_features import position_features
from byway.search.rank.signals import SIGNALS, Evidence, score_candidates, signals_with_weights
from byway.storage.memory.search_index import MemorySearchIndex

FILLER = " ".join(f"filler{n}" for n in range(40))


def page(id: int, text: str = "", url: str = "", **more: object) -> Document:
    made = normalize(url or f"http://a.org/{id}")
    return Document(made, UrlId(id), text=f"{text} {FILLER}", **more)  # type: ignore[arg-type]


def evidence(
    typed: str, *pages: Document, ranks: Ranks = NO_RANKS, anchors: dict[int, str] | None = None
) -> Evidence:
    """What is known of these pages for a question; others are about something else."""
    index = MemorySearchIndex(position_features)
    others = [page(100 + n, "something else altogether") for n in range(20)]
    called = {UrlId(id): PageLinks(((text, 1),)) for id, text in (anchors or {}).items()}
    index.add([*pages, *others], called)
    index.commit(1)
    question = parse(typed)
    found = find_candidates(index, question, 50)
    best = float(found.index_score.max(initial=0))
    statistics = index.statistics(question.all_terms)
    return Evidence(question, found, statistics, ranks, best, today=20_000)


def values(name: str, given: Evidence) -> dict[int, float]:
    """What a signal says of each page."""
    measured = SIGNALS[name].measure(given)
    return {int(id): float(value) for id, value in zip(given.candidates.ids, measured, strict=True)}


def better(name: str, given: Evidence) -> bool:
    """Does the signal say more for page 1 than for page 2?"""
    said = values(name, given)
    return said[1] > said[2]


def test_each_signal_has_a_description_and_a_weight_of_at_most_that_of_bm25() -> None:
    assert next(iter(SIGNALS)) == "bm25"
    for one in SIGNALS.values():
        assert abs(one.weight) <= SIGNALS["bm25"].weight == 1
        for language in languages():
            description = catalogue(language)[f"signals.{one.name}"]
            assert isinstance(description, str)
            assert description.endswith(".") and description[0].isupper()


@pytest.mark.parametrize(
    ("typed", "first", "second"),
    [
        ("shoes", page(1, "shoes shoes"), page(2, "shoes")),
        ("shoes", page(1, "shoes"), page(2, "shoes" + " padding" * 500)),
        ("shoes", page(1, "shoes", title="Shoes"), page(2, "shoes")),
        ("red OR shoes", page(1, "red shoes"), page(2, "shoes shoes shoes")),
        ("hats OR shoes OR shoes", page(1, "shoes"), page(2, "hats")),
    ],
    ids=["more often", "in a shorter text", "in the title", "both words", "typed twice"],
)
def test_bm25_is_higher(typed: str, first: Document, second: Document) -> None:
    found = evidence(typed, first, second)
    assert better("bm25", found)
    assert all(0 <= value <= 1 for value in values("bm25", found).values())


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    found = evidence("rare OR something", page(1, "rare"), page(2, "something something"))
    assert better("bm25", found)


def test_a_stop_word_counts_little_however_rare_it_is() -> None:
    found = evidence("whose shoes hurt", page(1, "shoes"), page(2, "shoes whose"))
    said = values("bm25", found)
    assert said[1] < said[2] < 1.5 * said[1]


def test_a_heading_equal_to_the_query_is_an_exact_name() -> None:
    heads = {1: "Path of the fox", 2: "The fox and the path of the hounds", 3: "Fox"}
    pages = [
        page(n, "path fox", headings=(Heading(2, text), Heading(2, "Elsewhere")))
        for n, text in heads.items()
    ]
    said = values("name_exact", evidence("path of the fox", *pages, page(4, "path fox")))
    assert said == {1: 1, 2: pytest.approx(0.5), 3: 0.5, 4: 0}


def test_definitions_and_anchor_texts_are_exact_names() -> None:
    pages = (
        page(1, "fork", names=("os.fork",)),
        page(2, "fork", names=("x", "fork")),
        page(3, "fork"),
    )
    said = values("name_exact", evidence("fork", *pages, anchors={3: "the fork"}))
    assert said == {1: 0.5, 2: 1, 3: 0.5}


def test_typing_a_word_twice_makes_it_count_twice() -> None:
    once = evidence("red shoes", page(1, "red shoes"), page(2, "shoes shoes hat"))
    twice = evidence("red red shoes", page(1, "red shoes"), page(2, "shoes shoes hat"))
    assert once.word_weight_shares.tolist() == pytest.approx([0.6, 0.4], abs=0.15)
    assert twice.word_weight_shares[0] > once.word_weight_shares[0]
    assert twice.word_weight_shares.sum() == pytest.approx(1)


def test_a_prefix_is_scored_by_the_index() -> None:
    found = evidence("sho*", page(1, "shoes"), page(2, "shore"))
    assert set(values("bm25", found)) == {1, 2}


@pytest.mark.parametrize(
    ("name", "typed", "first", "second"),
    [
        ("phrase", "red shoes", page(1, "red shoes"), page(2, "shoes red")),
        ("proximity", "red shoes", page(1, "shoes red"), page(2, "red " + "x " * 20 + "shoes")),
        ("shortest_window", "red shoes", page(1, "red x shoes"), page(2, "red x y shoes")),
        (
            "title_coverage",
            "red shoes",
            page(1, "shoes red", title="Red shoes"),
            page(2, "red shoes"),
        ),
        ("title_exact", "shoes", page(1, title="Shoes"), page(2, title="Shoes and hats")),
        (
            "heading_coverage",
            "shoes",
            page(1, "shoes", headings=(Heading(2, "Shoes"),)),
            page(2, "shoes"),
        ),
        ("url_coverage", "shoes", page(1, "shoes", url="http://a.org/shoes"), page(2, "shoes")),
        ("emphasis", "shoes", page(1, "shoes", emphasis=("shoes",)), page(2, "shoes")),
        ("meta", "shoes", page(1, "shoes", description="Shoes."), page(2, "shoes")),
        ("first_position", "shoes", page(1, "shoes"), page(2, "x " * 90 + "shoes")),
        ("freshness", "shoes", page(1, "shoes", published="2024-01-01"), page(2, "shoes")),
        ("text_density", "shoes", page(1, "shoes"), page(2, "shoes", link_text=("shoes", "hats"))),
    ],
)
def test_a_signal_tells_two_pages_apart(
    name: str, typed: str, first: Document, second: Document
) -> None:
    assert better(name, evidence(typed, first, second))


def test_anchor_texts_count() -> None:
    found = evidence("footwear", page(1, "x"), page(2, "footwear"), anchors={1: "Footwear"})
    assert values("anchor_text", found) == {1: 1, 2: 0}


def test_an_official_site_rises_on_its_front_page() -> None:
    front = page(1, "python", url="http://python.org/")
    inner = page(2, "python", url="http://python.org/about/help/page")
    other = page(3, "python", url="http://other.org/")
    said = values("host_name", evidence("python", front, inner, other))
    assert said[1] > said[2] > said[3] == 0
    found = evidence("python", front, inner, page(4, "python " * 4))
    assert found.candidates.ids[score_candidates(found, {}).total.argmax()] == 1
    assert found.candidates.ids[score_candidates(found, {"host_name": 0.05}).total.argmax()] == 4


def test_ranks_count_by_their_logarithm_and_new_pages_have_none() -> None:
    ranks = Ranks(np.array([0, 1, 900, 0], np.float32), np.array([0, 3, 1, 1], np.float32))
    pages = [page(id, "shoes") for id in (1, 2, 3, 99)]
    found = evidence("shoes", *pages, ranks=ranks)
    assert values("pagerank", found) == {1: 1, 2: 2, 3: 0, 99: 0}
    assert values("host_rank", found) == {1: 2, 2: 1, 3: 1, 99: 0}


def test_no_candidates_have_no_scores() -> None:
    scored = score_candidates(evidence("unheard-of"), {})
    assert scored.total.tolist() == []


def test_weights_come_from_the_settings_and_zero_switches_off() -> None:
    found = evidence("shoes", page(1, "shoes", title="Shoes"), page(2, "shoes shoes"))
    off = dict.fromkeys(SIGNALS, 0.0)
    loud = score_candidates(found, {**off, "title_coverage": 10}, with_unweighted=True)
    assert dict(zip(found.candidates.ids.tolist(), loud.total.tolist(), strict=True)) == {
        1: 10,
        2: 0,
    }
    assert {one.name: one.score for one in loud.explain(1)}["bm25"] == 0


def test_signals_of_weight_zero_are_measured_on_request_only() -> None:
    found = evidence("shoes", page(1, "shoes", title="Shoes"))
    weighted = {name: one.weight for name, one in SIGNALS.items() if one.weight}
    assert [one.name for one in score_candidates(found, {}).explain(0)] == [*weighted]
    explained = score_candidates(found, {}, with_unweighted=True).explain(0)
    assert [one.name for one in explained] == [*SIGNALS]
    assert {one.name: one.value for one in explained}["title_coverage"] == 1
    assert score_candidates(found, dict.fromkeys(SIGNALS, 0.0)).total.tolist() == [0]


def test_an_unknown_signal_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError) as refused:
        signals_with_weights({"titel": 1})
    assert refused.value.code == "search.unknown_signal"
    assert refused.value.params == {"name": "titel", "known": tuple(SIGNALS)}


FOUND = evidence("red shoes", page(1, "red shoes", title="Red"), page(2, "shoes and red"))


@given(st.dictionaries(st.sampled_from(list(SIGNALS)), st.floats(-10, 10)))
def test_a_score_is_the_sum_of_its_signals(weights: dict[str, float]) -> None:
    scored = score_candidates(FOUND, weights, with_unweighted=True)
    for row in (0, 1):
        assert sum(one.score for one in scored.explain(row)) == pytest.approx(scored.total[row])
        assert [one.name for one in scored.explain(row)] == list(SIGNALS)
