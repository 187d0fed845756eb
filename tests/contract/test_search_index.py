"""What every search index must do."""

from collections import Counter
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from contract.backends import Backend

from byway.core.model import Document, Heading, ShardStatus, UrlId
from byway.core.model.candidates import FIELDS, Candidates, CollectionStatistics
from byway.core.model.query import Filter, ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import PageLinks, find_candidates
from byway.core.url import normalize, url_hash
from byway.search.query.parser import CollectionInfo, parse


def document(n: int, title: str = "", text: str = "", host: str = "a.org", **more: Any) -> Document:
    return Document(normalize(f"http://{host}/{n}"), UrlId(n), title, text, **more)


def asking(*words: str) -> ParsedQuery:
    return parse(" ".join(words))


def fill(backend: Backend, *documents: Document) -> None:
    backend.index.add(documents)
    backend.index.commit(1)


def ids(backend: Backend, question: ParsedQuery) -> list[int]:
    return [int(id) for id in find_candidates(backend.index, question, 10).ids]


def found(backend: Backend, typed: str) -> list[int]:
    """The pages that answer what was typed, by number."""
    statistics = backend.index.statistics()
    collected = CollectionInfo(tuple(statistics.languages), statistics.attributes)
    return sorted(ids(backend, parse(typed, (), collected)))


def test_the_page_with_the_most_matches_comes_first(backend: Backend) -> None:
    fill(backend, *(document(n, text="shoes " * n + "hats " * 9) for n in range(1, 6)))
    seen = find_candidates(backend.index, asking("shoes"), 3)
    assert seen.ids.tolist() == [5, 4, 3]
    assert seen.total == 5
    assert (np.diff(seen.index_score) <= 0).all()


def test_phrases_do_not_span_fields(backend: Backend) -> None:
    page = Document(normalize("http://a.org/speed"), UrlId(1), "very low", "It is a low speed.")
    fill(backend, page)
    seen = find_candidates(backend.index, asking('"low speed"'), 10)
    assert (
        seen.features.term_counts[0, :, 0].sum()
        == seen.features.term_counts[0, FIELDS.index("body"), 0]
        == 1
    )


def test_matches_are_the_candidates_without_features(backend: Backend) -> None:
    assert backend.index.matches(asking("shoes"), 3).ids.tolist() == []
    counts = {1: 9, 2: 3, 3: 1}
    fill(backend, *(document(n, text="shoes " * count + "hats") for n, count in counts.items()))
    assert backend.index.matches(asking("shoes"), 2, word_weights=[1.0]).ids.tolist() == [1, 2]
    assert sorted(backend.index.matches(asking("hats"), 10).ids.tolist()) == [1, 2, 3]
    assert backend.index.matches(asking("gloves"), 10).ids.tolist() == []


def test_a_word_is_found_in_all_its_forms(backend: Backend) -> None:
    fill(backend, document(1, text="He was running home"), document(2, text="красные туфли"))
    assert ids(backend, asking("runs")) == [1]
    assert ids(backend, asking("туфель")) == [2] or ids(backend, asking("туфля")) == [2]
    assert ids(backend, asking("walks")) == []


def test_a_phrase_is_found_only_in_order(backend: Backend) -> None:
    fill(backend, document(1, text="the cat saw a dog"), document(2, text="the dog saw a cat"))
    assert ids(backend, parse('"dog saw"')) == [2]


def test_excluded_pages_do_not_match(backend: Backend) -> None:
    fill(backend, document(1, text="red shoes"), document(2, text="blue shoes"))
    assert ids(backend, parse("shoes -red")) == [2]


@pytest.mark.parametrize("site", ["b.org", "www.b.org"])
def test_a_site_filter_restricts_the_matches(backend: Backend, site: str) -> None:
    fill(
        backend,
        document(1, text="shoes"),
        document(2, text="shoes", host="www.b.org:8080"),
        document(3, text="shoes", host="notb.org"),
    )
    assert ids(backend, parse(f"shoes site:{site}")) == [2]


def test_windows_and_titles_are_measured(backend: Backend) -> None:
    fill(
        backend,
        document(1, title="Red things", text="red a b c shoes and red shoes"),
        document(2, text="red one two three four shoes"),
        document(3, title="red shoes", text="red and blue"),
    )
    seen = find_candidates(backend.index, asking("red", "shoes"), 10)
    rows = {int(id): n for n, id in enumerate(seen.ids)}
    assert seen.features.shortest_window[rows[1]] == 2
    assert seen.features.shortest_window[rows[2]] == 6
    assert seen.features.shortest_window[rows[3]] == np.inf


def test_most_of_many_words_are_enough(backend: Backend) -> None:
    fill(backend, document(1, text="one two three"), document(2, text="one"))
    assert ids(backend, asking("one", "two", "missing")) == [1]
    assert ids(backend, asking("one", "two", "absent", "missing")) == [1, 2]
    assert ids(backend, asking("one", "two")) == [1]


def test_stop_words_are_optional(backend: Backend) -> None:
    pages = ("light is fast", "the speed of light", "what is the weather")
    fill(backend, *(document(n, text=text) for n, text in enumerate(pages, 1)))
    assert ids(backend, asking("speed", "of", "light")) == [2]
    assert set(ids(backend, asking("what", "is", "light"))) == {1, 2}
    assert set(ids(backend, asking("what", "is"))) == {3}
    assert set(ids(backend, asking("what", "slows", "light"))) == {1, 2}


def test_adjacent_words_may_have_stop_words_between_them(backend: Backend) -> None:
    text = "the speed of light, the light of speed, the speed light has"
    fill(backend, document(1, text=text))
    seen = find_candidates(backend.index, asking("what", "speed", "of", "light"), 1)
    assert seen.features.adjacent_pairs.tolist() == [[0, 1, 0, 0]]
    assert seen.features.near_pairs.tolist() == [[0, 3, 0, 0]]
    assert seen.features.shortest_window.tolist() == [2]
    assert seen.features.first_position.tolist() == [1]


def test_piece_match_measures_how_closely_a_piece_is_the_query(backend: Backend) -> None:
    headings = (Heading(1, "Foxes"), Heading(2, "Red foxes at night"), Heading(2, "Red fox"))
    fill(
        backend,
        document(
            1, "Red foxes of the world", "red fox", headings=headings, names=("red", "red_fox")
        ),
        document(2, "", "red fox"),
    )
    seen = find_candidates(backend.index, asking("red", "foxes"), 2)
    first, second = (
        {name: float(value) for name, value in zip(FIELDS, row, strict=True) if value}
        for row in seen.features.piece_match[np.argsort(seen.ids)]
    )
    assert first == pytest.approx({"title": 0.4, "h1": 0.5, "h2": 1, "names": 1, "starts": 1})
    assert second == {"starts": 1}


def test_a_word_matches_in_all_its_analyses(backend: Backend) -> None:
    fill(
        backend,
        document(1, text="traitements des Lampen", language="fr"),
        document(2, text="Die Lampe und le traitement", language="de"),
        document(3, text="a trait of the lamp", language="en"),
    )
    assert found(backend, '"traitement" "Lampen"') == [1, 2, 3]
    assert found(backend, "traitement Lampen") == [1, 2, 3]
    assert found(backend, '"traitement des"') == [1]


def test_a_page_matches_its_own_words_in_any_language(backend: Backend) -> None:
    says = {
        "en": "running dogs were barking loudly",
        "de": "Häuser stehen zwischen alten Bäumen",
        "fr": "maisons anciennes entourées de jardins",
        "es": "casas antiguas rodeadas de jardines",
        "it": "case antiche circondate da giardini",
        "pt": "casas antigas rodeadas de jardins",
        "nl": "huizen staan tussen oude bomen",
        "sv": "husen står mellan gamla träden",
        "da": "husene står mellem gamle træer",
        "fi": "talot seisovat vanhojen puiden välissä",
        "tr": "evler eski ağaçların arasında duruyor",
        "hu": "házak állnak régi fák között",
        "pl": "domy stoją między starymi drzewami",
        "ru": "дома стоят между старыми деревьями",
    }
    pages = [document(n, text=t, language=own) for n, (own, t) in enumerate(says.items(), 1)]
    fill(backend, *pages)
    for page in pages:
        typed = " ".join(f'"{word}"' for word in page.text.split())
        assert found(backend, typed) == [page.id]


def test_a_spelling_variant_counts_once(backend: Backend) -> None:
    fill(backend, document(1, text="load load load lpad"), document(2, text="load load load"))
    word = TermClause("lpad", (TermAnalysis(("lpad",)), TermAnalysis(("load",), 0.25)))
    seen = find_candidates(backend.index, ParsedQuery((word,)), 2)
    body = FIELDS.index("body")
    counted = dict(
        zip(seen.ids.tolist(), seen.features.term_counts[:, body, 0].tolist(), strict=True)
    )
    assert counted == {1: 1.25, 2: 0.25}


def test_adding_again_replaces_and_removing_removes(backend: Backend) -> None:
    fill(backend, document(1, text="old words"), document(2, text="other words"))
    fill(backend, document(1, text="new words"))
    assert ids(backend, asking("old")) == []
    assert ids(backend, asking("new")) == [1]
    assert backend.index.statistics().page_count == 2
    backend.index.remove([UrlId(1)])
    backend.index.commit(9)
    assert ids(backend, asking("words")) == [2]
    assert (backend.index.statistics().page_count, backend.index.committed_sequence()) == (1, 9)


def test_the_last_version_before_a_commit_wins(
    backend: Backend,
) -> None:
    backend.index.add([document(1, text="first words"), document(1, text="second words")])
    backend.index.add([document(2, text="other words"), document(1, text="third words")])
    backend.index.commit(1)
    assert found(backend, "words") == [1, 2]
    assert found(backend, "first OR second") == []
    assert (found(backend, "third"), backend.index.statistics().page_count) == ([1], 2)


def test_nothing_is_found_before_it_is_committed(backend: Backend) -> None:
    assert ids(backend, asking("words")) == []
    assert (backend.index.statistics().page_count, backend.index.committed_sequence()) == (0, 0)
    backend.index.add([document(1, text="words")])
    assert ids(backend, asking("words")) == []


def test_candidates_can_be_restricted_to_one_page(backend: Backend) -> None:
    fill(backend, document(1, text="shoes"), document(2, text="shoes " * 5))
    whole = find_candidates(backend.index, asking("shoes"), 10)
    only_first = ParsedQuery((*asking("shoes").clauses, Filter("id", "1")))
    one = find_candidates(backend.index, only_first, 10)
    assert one.ids.tolist() == [1]
    assert one.index_score[0] == pytest.approx(whole.index_score[whole.ids.tolist().index(1)])


SHOP = (
    document(1, "Red shoes", "We sell shoes.", language="en", published="2020-05-31"),
    document(2, "Blue shoes", "Shoes for a walk.", "b.org", language="en", published="2021"),
    document(3, "Шляпы", "Красные шляпы.", "b.org", language="ru", modified="2020-01-01"),
    document(4, "Leaflet", "red hats", "c.b.org", content_type="application/pdf"),
    document(
        5,
        "Trainer",
        "For running.",
        attributes={
            "brand": {"name": "Nike Air"},
            "price": 49.5,
            "categories": ["Sports wear"],
            "structured": {"json-ld": [{"offers": {"currency": "EUR"}, "rating": "4"}]},
        },
    ),
)


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("red OR blue", [1, 2, 4]),
        ("shoes red OR blue", [1, 2]),
        ("(red shoes) OR (red hats)", [1, 4]),
        ("shoes -(red shoes)", [2]),
        ("-(red OR blue) shoes", []),
        ("(-blue) shoes", [1]),
        ("sho*", [1, 2]),
        ("red intitle:red", [1]),
        ('intitle:"blue shoes"', [2]),
        ("inurl:4", [4]),
        ("inurl:b.org", [2, 3, 4]),
        ("site:b.org", [2, 3, 4]),
        ("site:b.org -site:c.b.org", [2, 3]),
        ("site:a.org OR site:c.b.org", [1, 4, 5]),
        ("site:a.org site:c.b.org", [1, 4, 5]),
        ("filetype:pdf", [4]),
        ("filetype:.PDF", [4]),
        ("filetype:htm shoes", [1, 2]),
        ("lang:ru", [3]),
        ("before:2021", [1, 3]),
        ("after:2020-02", [1, 2]),
        ("after:2020-01-01 before:2020-05-31", [3]),
        ("brand:nike", [5]),
        ('brand:"Nike Air"', [5]),
        ("brand:adidas", []),
        ("price:10..50", [5]),
        ("price:50..", []),
        ("price:9.5..50", [5]),
        ("price:49..49.5", [5]),
        ("price:49.5..50", [5]),
        ("rating:4..4.5", [5]),
        ("rating:3.5..4", [5]),
        ("rating:4.5..5", []),
        ("price:..49.5", [5]),
        ("price:49.5", [5]),
        ("rating:3..5", [5]),
        ("currency:eur", [5]),
        ("sports", [5]),
        ("shoes -price:1..99", [1, 2]),
        ("colour:red", []),
    ],
)
def test_each_operator_filters(backend: Backend, typed: str, answers: list[int]) -> None:
    fill(backend, *SHOP)
    assert found(backend, typed) == answers


def test_pages_that_link_to_one_are_found(backend: Backend) -> None:
    seven, eight = (url_hash(f"http://b.org/{n}") for n in (7, 8))
    links = {
        UrlId(1): PageLinks(target_hashes=(seven, eight)),
        UrlId(2): PageLinks(target_hashes=(eight,)),
    }
    backend.index.add([document(1), document(2), document(3)], links)
    backend.index.commit(1)
    assert sorted(ids(backend, ParsedQuery((Filter("link", "http://b.org/8"),)))) == [1, 2]
    assert ids(backend, ParsedQuery((Filter("link", "https://www.b.org/7/"),))) == [1]
    assert ids(backend, ParsedQuery((Filter("link", "http://b.org/9"),))) == []


def test_a_page_matches_its_anchor_texts(backend: Backend) -> None:
    links = {UrlId(1): PageLinks(anchors=(("Footwear, cheap", 9), ("a bargain", 1)))}
    backend.index.add([document(1, text="shoes"), document(2, text="footwear")], links)
    backend.index.commit(1)
    assert found(backend, "bargain") == [1]
    assert found(backend, "footwear") == [1, 2]
    assert found(backend, '"cheap a"') == []


def test_term_counts_are_by_field(backend: Backend) -> None:
    whole = document(
        1,
        "Red shoes",
        "We sell shoes, red shoes.",
        "shoes.example",
        headings=(Heading(1, "Shoes"), Heading(3, "Red"), Heading(5, "Red")),
        description="all shoes",
        emphasis=("red",),
        capitals=("RED",),
        link_text=("shoes",),
        attributes={"categories": ["red things"]},
    )
    backend.index.add([whole], {UrlId(1): PageLinks(anchors=(("shoes", 1),))})
    backend.index.commit(1)
    seen = find_candidates(backend.index, asking("red", "shoes"), 1)
    counts = dict(zip(FIELDS, seen.features.term_counts[0].tolist(), strict=True))
    assert counts == {
        "title": [1, 1],
        "h1": [0, 1],
        "h2": [1, 0],
        "h4": [1, 0],
        "url": [0, 0],
        "host": [0, 1],
        "anchor": [0, 1],
        "names": [0, 0],
        "meta": [0, 1],
        "emphasis": [1, 0],
        "capitals": [1, 0],
        "categories": [1, 0],
        "links": [0, 1],
        "starts": [0, 0],
        "body": [1, 2],
    }
    assert seen.features.first_position.tolist() == [2]
    assert seen.features.field_lengths[0, [0, -1]].tolist() == [2, 5]


def test_adjacent_and_near_pairs_are_counted(backend: Backend) -> None:
    text = "red shoes and shoes red, a red old shoe for a very long red walk home in the rain"
    fill(backend, document(1, text=text), document(2, text="nothing but shoes here, really"))
    seen = find_candidates(backend.index, asking("red", "shoes"), 1)
    assert seen.features.adjacent_pairs.tolist() == [[1, 0]]
    assert seen.features.near_pairs.tolist() == [[4, 0]]
    assert backend.index.statistics().body_terms == 19 + 5


def test_pairs_after_a_compound_start_at_its_end(backend: Backend) -> None:
    fill(backend, document(1, text="call path_hooks often; path hooks and often"))
    seen = find_candidates(backend.index, asking("path_hooks", "often"), 1)
    assert seen.features.adjacent_pairs.tolist() == [[1, 0]]
    assert seen.features.near_pairs.tolist() == [[3, 0]]


def test_defined_names_and_line_starts_are_counted(backend: Backend) -> None:
    text = "abort ends it\nfork makes two\nnever abort"
    fill(backend, document(1, text=text, names=("os.abort", "os.fork")))
    seen = find_candidates(backend.index, asking("os.abort"), 1)
    assert seen.features.term_counts[0, FIELDS.index("names")].tolist() == [1]
    seen = find_candidates(backend.index, asking("abort", "fork", "two"), 1)
    assert seen.features.term_counts[0, FIELDS.index("starts")].tolist() == [2, 1, 0]


def test_a_phrase_does_not_span_two_headings(backend: Backend) -> None:
    headings = (Heading(2, "Red"), Heading(2, "Shoes"))
    fill(backend, document(1, text="red and shoes", headings=headings))
    assert found(backend, '"red shoes"') == []


def test_candidates_can_be_sorted_by_date(backend: Backend) -> None:
    fill(backend, *SHOP)
    some = find_candidates(backend.index, parse("site:a.org OR site:b.org"), 10, sort="date")
    day = date(2020, 5, 31).toordinal() - date(1970, 1, 1).toordinal()
    assert some.ids.tolist()[:3] == [2, 1, 3]
    assert some.epoch_days[1] == day and some.epoch_days[-1] == 0


def test_facets_count_all_that_match(backend: Backend) -> None:
    fill(backend, *SHOP)
    facets = backend.index.facets(parse("shoes OR шляпы OR hats"))
    assert facets["site"] == {"b.org": 3, "a.org": 1}
    assert facets["language"] == {"en": 2, "ru": 1}
    assert facets["type"] == {"html": 3, "pdf": 1}
    assert facets["year"] == {"2020": 2, "2021": 1}
    assert not any(backend.index.facets(parse("nothing")).values())


def test_pages_of_one_host_have_one_number(backend: Backend) -> None:
    fill(backend, *SHOP)
    some = find_candidates(backend.index, parse("shoes OR running"), 10)
    hosts = dict(zip(some.ids.tolist(), some.host_ids.tolist(), strict=True))
    assert hosts[1] == hosts[5] != hosts[2]


def test_candidates_have_duplicate_and_url_hashes(backend: Backend) -> None:
    long = " ".join(f"word{n}" for n in range(99))
    pages = [document(n, text=f"shoes {long}") for n in (1, 2)]
    fill(backend, *pages, replace(document(3, text="shoes"), canonical=pages[0].url))
    rows = find_candidates(backend.index, asking("shoes"), 10)
    by_id = {id: row for row, id in enumerate(rows.ids.tolist())}
    one, two, three = by_id[1], by_id[2], by_id[3]
    assert (
        rows.duplicate_hashes[one]
        == rows.duplicate_hashes[two]
        != rows.duplicate_hashes[three]
        == 0
    )
    assert (
        rows.url_hashes[one]
        == rows.canonical_hashes[one]
        == rows.canonical_hashes[three]
        != rows.url_hashes[three]
    )


def test_the_index_counts_its_languages_and_lists_its_attributes(backend: Backend) -> None:
    empty = backend.index.statistics()
    assert empty == CollectionStatistics(shards=(ShardStatus(0, bytes=0),) * len(empty.shards))
    fill(backend, *SHOP)
    counts = Counter(page.language for page in SHOP if page.language)
    assert backend.index.statistics().languages == counts
    named = {"brand", "price", "categories", "currency", "rating"}
    assert backend.index.statistics().attributes == named


def test_the_shards_of_the_index_have_all_pages(backend: Backend) -> None:
    fill(backend, *SHOP)
    statistics = backend.index.statistics()
    assert sum(shard.pages for shard in statistics.shards) == statistics.page_count == len(SHOP)
    assert statistics.missing_shards == 0


def test_fuzzy_matches_find_similar_words(backend: Backend) -> None:
    pages = [document(n, text="government") for n in range(1, 4)]
    fill(backend, *pages, document(4, text="movement governments 2government"))
    close(backend)
    assert backend.ports.dictionary.fuzzy("goverment", 1) == [("government", 1, 3)]
    near = [("government", 1, 3), ("governments", 2, 1), ("movement", 2, 1)]
    assert backend.ports.dictionary.fuzzy("goverment", 2) == near
    assert backend.ports.dictionary.fuzzy("gvoermnent", 1) == []
    assert backend.ports.dictionary.fuzzy("governmetn", 1) == [("government", 1, 3)]
    assert backend.ports.dictionary.fuzzy("government", 1) == [("governments", 1, 1)]
    assert (
        backend.ports.dictionary.fuzzy("x" * 1000, 2) == backend.ports.dictionary.fuzzy("", 2) == []
    )
    assert backend.ports.dictionary.prefix("gov", 10) == {"government": 3, "governments": 1}
    assert backend.index.statistics(["govern", "x"]).document_frequencies == {"govern": 4, "x": 0}


def test_words_of_deleted_documents_are_not_suggested(backend: Backend) -> None:
    fill(backend, document(1, text="government"), document(2, text="movement"))
    backend.index.remove([UrlId(1)])
    backend.index.commit(2)
    close(backend)
    assert backend.ports.dictionary.fuzzy("goverment", 1) == []
    assert backend.ports.dictionary.prefix("gov", 10) == {}
    assert backend.ports.dictionary.fuzzy_prefix("goc", 10) == {}
    assert backend.ports.dictionary.prefix("mov", 10) == {"movement": 1}


def close(backend: Backend) -> None:
    """Have everything written down that is only written now and then."""
    getattr(backend.index, "close", lambda: None)()


def columns(some: Candidates) -> dict[int, tuple[object, ...]]:
    """What is said of each page, but for its score."""
    return {
        int(id): (
            some.features.shortest_window[n],
            some.features.first_position[n],
            some.features.term_counts[n].tolist(),
            some.features.piece_match[n].tolist(),
            some.host_ids[n],
            some.epoch_days[n],
        )
        for n, id in enumerate(some.ids)
    }


@pytest.mark.parametrize("name", ["site", "language", "type"])
def test_a_filter_without_a_value_matches_nothing(backend: Backend, name: str) -> None:
    fill(backend, *SHOP)
    assert backend.index.matches(ParsedQuery((Filter(name),)), 5).total == 0
