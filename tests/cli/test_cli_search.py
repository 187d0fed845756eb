"""`byway search`, `words`, `status` and `explain` on one data folder."""

import json
from typing import Any

import pytest
from cli.conftest import CrawledSite
from cli.runner import byway, error_line

from byway.cli.support.output import print_results
from byway.core.messages import Diagnosis, t
from byway.core.model import Hit, Query, Results, Url, UrlId


def asked(crawled: CrawledSite, command: str, *arguments: object) -> Any:
    """What a command says to programs."""
    ran = byway(command, "--json", "--data", crawled.data, *arguments)
    assert (ran.exit_code, ran.stderr) == (0, "")
    return json.loads(ran.stdout)


def test_hits_are_numbered_and_have_a_title_a_url_and_a_snippet(crawled_site: CrawledSite) -> None:
    ran = byway("search", "install", "tallybook", "--data", crawled_site.data)
    assert (ran.exit_code, ran.stderr) == (0, "")
    count, _, first, url, snippet, *_ = ran.stdout.splitlines()
    assert count.split()[1].startswith("result")
    assert first.startswith("1. ") and len(first) > 5
    assert url.strip().startswith(crawled_site.url())
    assert "install" in snippet.lower() or "tallybook" in snippet.lower()


def test_json_has_the_results_with_their_fields(crawled_site: CrawledSite) -> None:
    found = asked(crawled_site, "search", "tallybook", "--limit", 3)
    assert found["query"] == "tallybook"
    assert found["total"] > len(found["hits"]) == 3
    assert found["took_seconds"] > 0
    for hit in found["hits"]:
        assert {"url", "title", "score", "snippet", "content_type", "language", "published"} < set(
            hit
        )
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_pages_of_results_follow_one_another(crawled_site: CrawledSite) -> None:
    whole = asked(crawled_site, "search", "tallybook", "--limit", 6)["hits"]
    second = asked(crawled_site, "search", "tallybook", "--limit", 3, "--page", 2)["hits"]
    assert second == whole[3:]
    beyond = byway("search", "tallybook", "--page", 50, "--data", crawled_site.data)
    assert "There are no more results" in beyond.stdout


def test_operators_work_on_the_command_line_too(crawled_site: CrawledSite) -> None:
    everything = asked(crawled_site, "search", "tallybook")["total"]
    assert asked(crawled_site, "search", "tallybook", "site:example.org")["total"] == 0
    assert (
        asked(crawled_site, "search", "tallybook", f"site:{crawled_site.url()}")["total"]
        == everything
    )
    assert asked(crawled_site, "search", "--", "tallybook", "-tallybook")["total"] == 0
    assert asked(crawled_site, "search", '"tallybook')["total"] == everything


@pytest.mark.parametrize("words", ["zzzz", '"', "\udcff", "(" * 5900])
def test_nothing_found_is_no_error(crawled_site: CrawledSite, words: str) -> None:
    ran = byway("search", words, "--data", crawled_site.data)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert "No results." in ran.stdout
    assert asked(crawled_site, "search", words)["hits"] == []


def test_a_language_or_site_that_no_page_has_is_named(crawled_site: CrawledSite) -> None:
    there = sorted(
        language
        for language in asked(crawled_site, "search", "--facets", "tallybook")["facets"]["language"]
        if language
    )
    said = byway("search", "tallybook", "lang:Basque", "--data", crawled_site.data).stdout
    assert f"is in this language: eu. Available languages: {', '.join(there)}." in said
    said = byway("search", "tallybook", "--site", "a.org", "--data", crawled_site.data).stdout
    sites = sorted(asked(crawled_site, "search", "--facets", "tallybook")["facets"]["site"])
    assert f"is on this site: a.org. Available sites: {', '.join(sites)}.\n" in said


def test_a_page_that_nobody_knows_is_named(crawled_site: CrawledSite) -> None:
    said = byway("search", "related:a.org/nobody", "--data", crawled_site.data).stdout
    assert "No results. https://a.org/nobody is unknown, so similar" in said
    (absent,) = asked(crawled_site, "search", "link:a.org/nobody")["no_results_reasons"]
    assert absent["code"] == "link_target_unknown"


def test_a_phrase_that_no_page_has_is_told_how_to_be_asked_for(crawled_site: CrawledSite) -> None:
    said = byway("search", '"tallybok"', "--data", crawled_site.data).stdout
    assert 'Did you mean: "Tallybook" (' in said
    assert "No results. Remove the quotation marks" in said
    said = byway("search", "intitle:zzzz", "--data", crawled_site.data).stdout
    assert "No results. No page title contains zzzz.\n" in said


def test_a_language_may_be_named_as_it_names_itself(crawled_site: CrawledSite) -> None:
    whole = asked(crawled_site, "search", "tallybook", "--language", "en")["total"]
    assert (
        whole and asked(crawled_site, "search", "tallybook", "--lang", "English")["total"] == whole
    )
    assert (
        "language: de."
        in byway("search", "tallybook", "lang:deutsch", "--data", crawled_site.data).stdout
    )


def test_the_terms_of_one_field_and_all_terms_can_be_listed(crawled_site: CrawledSite) -> None:
    url, data = crawled_site.url(), ("--data", crawled_site.data)
    whole = asked(crawled_site, "words", url)["terms"]
    assert byway("words", url, *data).stdout.endswith(
        f"… {len(whole) - 40} more; use -n 0 to list all\n"
    )
    every = byway("words", url, "-n", 0, *data).stdout
    assert every.count("\n") > len(whole) and "more with" not in every
    anchors = {
        one["term"] for one in asked(crawled_site, "words", url, "--field", "anchor")["terms"]
    }
    assert anchors == {one["term"] for one in whole if "anchor" in one["positions"]} != set()
    says = error_line("words", url, "--field", "colour", *data, exit_code=2)
    assert says.startswith("Unknown --field colour. Choose one of: title, h1, h2,")


def test_a_day_that_is_none_is_said_and_the_rest_is_found(crawled_site: CrawledSite) -> None:
    said = byway("search", "after:tomorrow", "tallybook", "--data", crawled_site.data).stdout
    assert "\nafter:tomorrow is not a date and was ignored. " in said
    answer = asked(crawled_site, "search", "after:tomorrow", "tallybook")
    assert answer["total"] == asked(crawled_site, "search", "tallybook")["total"]
    assert [one["typed"] for one in answer["query_warnings"]] == ["after:tomorrow"]


@pytest.mark.parametrize("words", ["", " "])
def test_an_empty_query_is_refused_with_an_example(crawled_site: CrawledSite, words: str) -> None:
    ran = byway("search", words, "--data", crawled_site.data)
    said = f"byway: {t('error.cli.empty_query')}\n"
    assert (ran.exit_code, ran.stdout, ran.stderr) == (2, "", said)
    assert asked(crawled_site, "search", words, "--language", "en")["total"] > 0


def test_filters_facets_and_order_are_options(crawled_site: CrawledSite) -> None:
    whole = asked(crawled_site, "search", "tallybook", "--facets", "--limit", 100)
    for name, counts in whole["facets"].items():
        assert sum(counts.values()) <= whole["total"], name
    assert sum(whole["facets"]["type"].values()) == whole["total"]
    (language, count), *_ = whole["facets"]["language"].items()
    assert asked(crawled_site, "search", "tallybook", "--language", language)["total"] == count
    assert (
        asked(crawled_site, "search", "tallybook", "--type", "pdf", "--site", "a.org")["total"] == 0
    )
    assert asked(crawled_site, "search", "tallybook", "--after", "2999")["total"] == 0
    dated = asked(crawled_site, "search", "tallybook", "--sort", "date", "--limit", 100)
    days = [hit["date"] for hit in dated["hits"] if hit["date"]]
    assert dated["total"] == whole["total"] and days == sorted(days, reverse=True)
    shown = byway("search", "tallybook", "--facets", "-v", "--data", crawled_site.data)
    assert "language" in shown.stdout and "retrieve" in shown.stderr
    wrong = byway("search", "tallybook", "--sort", "size", "--data", crawled_site.data)
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "relevance, date" in wrong.stderr


@pytest.mark.parametrize(
    ("typed", "lacks"), [("-tallybook", True), ("lang:", True), ("zzz -tallybook", False)]
)
def test_a_query_that_only_excludes_is_told_what_it_lacks(
    crawled_site: CrawledSite, typed: str, lacks: bool
) -> None:
    ran = byway("search", "--data", crawled_site.data, "--", typed)
    assert ("0 results" in ran.stdout, "no word to search for" in ran.stdout) == (
        True,
        lacks,
    )


def test_a_typo_is_corrected_and_reported(crawled_site: CrawledSite) -> None:
    ran = byway("search", "tallyboook", "--data", crawled_site.data)
    assert "Did you mean: Tallybook" in ran.stdout
    assert "\n1. " in ran.stdout


def test_the_terms_of_a_page_are_listed(crawled_site: CrawledSite) -> None:
    (hit,) = asked(crawled_site, "search", "tallybook", "--limit", 1)["hits"]
    told = asked(crawled_site, "words", hit["url"])
    assert any("anchor" in term["positions"] for term in told["terms"])
    by_term = {one["term"]: one for one in told["terms"]}
    book = by_term["tallybook"]
    assert book["count"] == sum(map(len, book["positions"].values())) > 0
    table = byway("words", hit["url"], "--limit", 5, "--data", crawled_site.data)
    rows = [
        line for line in table.stdout.splitlines() if not line.startswith(" ")
    ]  # no wrapped cells
    assert table.exit_code == 0 and len(rows) == 7
    unknown = byway("words", "http://nowhere.example/", "--data", crawled_site.data)
    assert unknown.exit_code == 2 and "byway explain" in unknown.stderr


def test_status_counts_pages_and_states(crawled_site: CrawledSite) -> None:
    status = asked(crawled_site, "status")
    assert status["pages"] == status["states"]["kept"] == 10
    assert 8 <= status["indexed"] <= 10
    assert status["crawling"] is False
    assert status["seeds"] == [crawled_site.url()]
    ran = byway("status", "--data", crawled_site.data)
    assert "10 kept" in ran.stdout and crawled_site.url() in ran.stdout


def test_an_explanation_adds_up_to_the_score(crawled_site: CrawledSite) -> None:
    best = asked(crawled_site, "search", "tallybook")["hits"][0]
    why = asked(crawled_site, "explain", "tallybook", best["url"])
    assert why["score"] == pytest.approx(best["score"])
    assert sum(signal["score"] for signal in why["signals"]) == pytest.approx(why["score"])
    assert sum(signal["share"] for signal in why["signals"]) == pytest.approx(1)
    assert all(signal["description"].endswith(".") for signal in why["signals"])
    ran = byway("explain", "tallybook", best["url"], "--data", crawled_site.data)
    for signal in why["signals"]:
        assert f"\n{signal['name']} " in ran.stdout


def test_a_weight_of_zero_takes_a_signal_out_of_the_score(crawled_site: CrawledSite) -> None:
    url = asked(crawled_site, "search", "tallybook")["hits"][0]["url"]
    why = asked(crawled_site, "explain", "tallybook", url, "--set", "search.weights.bm25=0")
    assert {signal["name"]: signal["score"] for signal in why["signals"]}["bm25"] == 0


def test_a_page_that_is_not_found_is_explained_too(crawled_site: CrawledSite) -> None:
    def why(words: str, url: str) -> str:
        shown = byway("explain", words, url, "--data", crawled_site.data).stdout.strip()
        assert asked(crawled_site, "explain", words, url)["not_found_reason"] == shown
        return shown

    assert why("zzzz", crawled_site.url()) == (
        "This page is indexed, but does not match 'zzzz'. The page does not contain zzzz. "
        f"Run `byway words {crawled_site.url()} --data {crawled_site.data}` to list its words."
    )
    unheard = ("explain", "shoes", "http://unheard.example/", "--data", crawled_site.data)
    said = "http://unheard.example/ is unknown: no seed, sitemap or link led to it. "
    said += f"Run `byway crawl http://unheard.example/ --data {crawled_site.data}` to add it."
    assert error_line(*unheard, exit_code=2) == error_line(*unheard, "--json", exit_code=2) == said


def test_a_title_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31mred\x07 [bold]markup[/bold] [/] \u202e"
    hit = Hit(Url("http://a.org/[x]\x1b"), UrlId(1), hostile, 1.0, ((hostile, True), ("[", False)))
    print_results(Results(Query("x"), (hit,), 1))
    shown = capsys.readouterr().out
    assert not set(shown) & set("\x1b\x07\u202e")
    assert "[bold]markup[/bold]" in shown and "http://a.org/[x]" in shown


def test_it_is_said_by_which_words_one_that_no_page_has_was_looked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    apart = (Diagnosis("split_word", word="Blumen[b]garten", parts=("blumen", "garten")),)
    print_results(Results(Query("Blumen[b]garten"), (), 1, split_words=apart))
    said = "No page contains “Blumen[b]garten”. These results match its parts: blumen, garten."
    assert said in capsys.readouterr().out
