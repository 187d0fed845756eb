"""Questions to a data folder: search, status and explain."""

import json
from typing import Any

import pytest
from cli.called import byway, refused
from cli.conftest import Crawled

from byway.cli.support.output import print_results
from byway.core.model import Apart, Hit, Query, Results, Url, UrlId


def asked(crawled: Crawled, command: str, *arguments: object) -> Any:
    """What a command says to programs."""
    ran = byway(command, "--json", "--data", crawled.data, *arguments)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def test_hits_are_numbered_and_have_a_title_a_url_and_a_snippet(crawled: Crawled) -> None:
    ran = byway("search", "install", "tallybook", "--data", crawled.data)
    assert (ran.code, ran.err) == (0, "")
    count, _, first, url, snippet, *_ = ran.out.splitlines()
    assert count.split()[1].startswith("result")
    assert first.startswith("1. ") and len(first) > 5
    assert url.strip().startswith(crawled.url())
    assert "install" in snippet.lower() or "tallybook" in snippet.lower()


def test_json_has_all_that_a_program_needs(crawled: Crawled) -> None:
    found = asked(crawled, "search", "tallybook", "--limit", 3)
    assert found["query"] == "tallybook"
    assert found["total"] > len(found["hits"]) == 3
    assert found["took"] > 0
    for hit in found["hits"]:
        assert {"url", "title", "score", "snippet", "type", "language", "published"} < set(hit)
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_pages_of_results_follow_one_another(crawled: Crawled) -> None:
    whole = asked(crawled, "search", "tallybook", "--limit", 6)["hits"]
    second = asked(crawled, "search", "tallybook", "--limit", 3, "--page", 2)["hits"]
    assert second == whole[3:]
    beyond = byway("search", "tallybook", "--page", 50, "--data", crawled.data)
    assert "There are no more results" in beyond.out


def test_operators_work_on_the_command_line_too(crawled: Crawled) -> None:
    everything = asked(crawled, "search", "tallybook")["total"]
    assert asked(crawled, "search", "tallybook", "site:example.org")["total"] == 0
    assert asked(crawled, "search", "tallybook", f"site:{crawled.url()}")["total"] == everything
    assert asked(crawled, "search", "--", "tallybook", "-tallybook")["total"] == 0
    assert asked(crawled, "search", '"tallybook')["total"] == everything


@pytest.mark.parametrize("words", ["zzzz", '"', "\udcff", "(" * 5900])
def test_nothing_found_is_no_error(crawled: Crawled, words: str) -> None:
    ran = byway("search", words, "--data", crawled.data)
    assert (ran.code, ran.err) == (0, "")
    assert "Nothing was found" in ran.out
    assert asked(crawled, "search", words)["hits"] == []


def test_a_language_or_site_that_no_page_has_is_named(crawled: Crawled) -> None:
    there = sorted(
        language
        for language in asked(crawled, "search", "--facets", "tallybook")["facets"]["language"]
        if language
    )
    said = byway("search", "tallybook", "lang:Basque", "--data", crawled.data).out
    assert f"No page here is in eu; there are {', '.join(there)}." in said
    said = byway("search", "tallybook", "--site", "a.org", "--data", crawled.data).out
    sites = sorted(asked(crawled, "search", "--facets", "tallybook")["facets"]["site"])
    assert f"Nothing was found. No page here is of a.org; there are {', '.join(sites)}.\n" in said


def test_a_page_that_nobody_knows_is_named(crawled: Crawled) -> None:
    said = byway("search", "related:a.org/nobody", "--data", crawled.data).out
    assert "Nothing was found. https://a.org/nobody is not known here, so nobody knows" in said
    (absent,) = asked(crawled, "search", "link:a.org/nobody")["absent"]
    assert absent["says"] == "https://a.org/nobody is not known here, so no page links to it."


def test_a_phrase_that_no_page_has_is_told_how_to_be_asked_for(crawled: Crawled) -> None:
    said = byway("search", '"tallybok"', "--data", crawled.data).out
    assert 'Did you mean: "Tallybook" (' in said
    assert "Nothing was found. Ask without the quotation marks, so that the" in said
    said = byway("search", "intitle:zzzz", "--data", crawled.data).out
    assert "Nothing was found. No title here has zzzz.\n" in said


def test_a_language_may_be_named_as_it_names_itself(crawled: Crawled) -> None:
    whole = asked(crawled, "search", "tallybook", "--language", "en")["total"]
    assert whole and asked(crawled, "search", "tallybook", "--lang", "English")["total"] == whole
    assert "in de;" in byway("search", "tallybook", "lang:deutsch", "--data", crawled.data).out


def test_the_words_of_a_field_and_all_words_can_be_shown(crawled: Crawled) -> None:
    url, data = crawled.url(), ("--data", crawled.data)
    whole = asked(crawled, "words", url)["words"]
    assert byway("words", url, *data).out.endswith(f"… {len(whole) - 40} more with -n 0\n")
    every = byway("words", url, "-n", 0, *data).out
    assert every.count("\n") > len(whole) and "more with" not in every
    anchors = {one["word"] for one in asked(crawled, "words", url, "--field", "anchor")["words"]}
    assert anchors == {one["word"] for one in whole if "anchor" in one["fields"]} != set()
    says = refused("words", url, "--field", "colour", *data, code=2)
    assert says.startswith("--field colour: there are title, h1, h2,")


def test_a_day_that_is_none_is_said_and_the_rest_is_found(crawled: Crawled) -> None:
    said = byway("search", "after:tomorrow", "tallybook", "--data", crawled.data).out
    assert "\nafter:tomorrow is no day: use 2024-05-31, 2024-05 or 2024.\n" in said
    answer = asked(crawled, "search", "after:tomorrow", "tallybook")
    assert answer["total"] == asked(crawled, "search", "tallybook")["total"]
    assert [one["typed"] for one in answer["misread"]] == ["after:tomorrow"]


@pytest.mark.parametrize("words", ["", " "])
def test_who_asks_for_nothing_is_told_what_to_type(crawled: Crawled, words: str) -> None:
    ran = byway("search", words, "--data", crawled.data)
    said = "byway: there is nothing to look for; type words, as: byway search contact us\n"
    assert (ran.code, ran.out, ran.err) == (2, "", said)
    assert asked(crawled, "search", words, "--language", "en")["total"] > 0


def test_filters_facets_and_order_are_options(crawled: Crawled) -> None:
    whole = asked(crawled, "search", "tallybook", "--facets", "--limit", 100)
    for name, counts in whole["facets"].items():
        assert sum(counts.values()) <= whole["total"], name
    assert sum(whole["facets"]["type"].values()) == whole["total"]
    (language, count), *_ = whole["facets"]["language"].items()
    assert asked(crawled, "search", "tallybook", "--language", language)["total"] == count
    assert asked(crawled, "search", "tallybook", "--type", "pdf", "--site", "a.org")["total"] == 0
    assert asked(crawled, "search", "tallybook", "--after", "2999")["total"] == 0
    dated = asked(crawled, "search", "tallybook", "--sort", "date", "--limit", 100)
    days = [hit["day"] for hit in dated["hits"] if hit["day"]]
    assert dated["total"] == whole["total"] and days == sorted(days, reverse=True)
    shown = byway("search", "tallybook", "--facets", "-v", "--data", crawled.data)
    assert "language" in shown.out and "retrieve" in shown.err
    wrong = byway("search", "tallybook", "--sort", "size", "--data", crawled.data)
    assert (wrong.code, wrong.out) == (2, "")
    assert "relevance, date" in wrong.err


@pytest.mark.parametrize(
    ("typed", "lacks"), [("-tallybook", True), ("lang:", True), ("zzz -tallybook", False)]
)
def test_a_query_that_only_excludes_is_told_what_it_lacks(
    crawled: Crawled, typed: str, lacks: bool
) -> None:
    ran = byway("search", "--data", crawled.data, "--", typed)
    assert ("0 results" in ran.out, "a word, too, that pages should have" in ran.out) == (
        True,
        lacks,
    )


def test_a_slip_is_forgiven_and_said(crawled: Crawled) -> None:
    ran = byway("search", "tallyboook", "--data", crawled.data)
    assert "Did you mean: Tallybook" in ran.out
    assert "\n1. " in ran.out


def test_the_words_of_a_page_are_told(crawled: Crawled) -> None:
    (hit,) = asked(crawled, "search", "tallybook", "--limit", 1)["hits"]
    told = asked(crawled, "words", hit["url"])
    assert any("anchor" in word["fields"] for word in told["words"])
    by_word = {one["word"]: one for one in told["words"]}
    book = by_word["tallybook"]
    assert book["times"] == sum(map(len, book["fields"].values())) > 0
    table = byway("words", hit["url"], "--limit", 5, "--data", crawled.data)
    rows = [line for line in table.out.splitlines() if not line.startswith(" ")]  # no wrapped cells
    assert table.code == 0 and len(rows) == 7
    unknown = byway("words", "http://nowhere.example/", "--data", crawled.data)
    assert unknown.code == 2 and "byway explain" in unknown.err


def test_status_counts_what_there_is(crawled: Crawled) -> None:
    status = asked(crawled, "status")
    assert status["pages"] == status["states"]["kept"] == 10
    assert 8 <= status["indexed"] <= 10
    assert status["crawling"] is False
    assert status["seeds"] == [crawled.url()]
    ran = byway("status", "--data", crawled.data)
    assert "10 kept" in ran.out and crawled.url() in ran.out


def test_an_explanation_adds_up_to_the_score(crawled: Crawled) -> None:
    best = asked(crawled, "search", "tallybook")["hits"][0]
    why = asked(crawled, "explain", "tallybook", best["url"])
    assert why["score"] == pytest.approx(best["score"])
    assert sum(signal["score"] for signal in why["signals"]) == pytest.approx(why["score"])
    assert sum(signal["share"] for signal in why["signals"]) == pytest.approx(1)
    assert all(signal["says"].endswith(".") for signal in why["signals"])
    ran = byway("explain", "tallybook", best["url"], "--data", crawled.data)
    for signal in why["signals"]:
        assert f"\n{signal['name']} " in ran.out


def test_a_weight_of_zero_takes_a_signal_out_of_the_score(crawled: Crawled) -> None:
    url = asked(crawled, "search", "tallybook")["hits"][0]["url"]
    why = asked(crawled, "explain", "tallybook", url, "--set", "search.weights.words=0")
    assert {signal["name"]: signal["score"] for signal in why["signals"]}["words"] == 0


def test_a_page_that_is_not_found_is_explained_too(crawled: Crawled) -> None:
    def why(words: str, url: str) -> str:
        shown = byway("explain", words, url, "--data", crawled.data).out.strip()
        assert asked(crawled, "explain", words, url)["why_not"] == shown
        return shown

    assert why("zzzz", crawled.url()) == (
        "This page is known, but does not match 'zzzz': it has no zzzz. "
        f"`byway words {crawled.url()} --data {crawled.data}` shows the words it has."
    )
    unheard = ("explain", "shoes", "http://unheard.example/", "--data", crawled.data)
    said = "http://unheard.example/ is not known: no seed, sitemap or link led to it; "
    name_it = f"`byway crawl http://unheard.example/ --data {crawled.data}`"
    said += f"name it, as {name_it}, to have it asked for"
    assert refused(*unheard, code=2) == refused(*unheard, "--json", code=2) == said


def test_what_a_page_is_called_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31mred\x07 [bold]markup[/bold] [/] \u202e"
    hit = Hit(Url("http://a.org/[x]\x1b"), UrlId(1), hostile, 1.0, ((hostile, True), ("[", False)))
    print_results(Results(Query("x"), (hit,), 1))
    shown = capsys.readouterr().out
    assert not set(shown) & set("\x1b\x07\u202e")
    assert "[bold]markup[/bold]" in shown and "http://a.org/[x]" in shown


def test_it_is_said_by_which_words_one_that_no_page_has_was_looked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    apart = (Apart("Blumen[b]garten", ("blumen", "garten")),)
    print_results(Results(Query("Blumen[b]garten"), (), 1, apart=apart))
    said = "No page has Blumen[b]garten; shown are pages with blumen and garten."
    assert said in capsys.readouterr().out
