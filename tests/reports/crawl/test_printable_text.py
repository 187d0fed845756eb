from hypothesis import given
from hypothesis import strategies as st

from byway.core.messages import Reason, group_reasons, text
from byway.reports.crawl.summary import printable_text


def test_reasons_that_differ_in_a_host_a_url_or_a_number_are_one() -> None:
    counts = {
        Reason("redirect", to="http://a.org/1"): 2,
        Reason("redirect", to="http://b.org/"): 3,
        Reason("robots_rule", line=7, rule="Disallow: /w/"): 1,
        Reason("robots_rule", line=8, rule="Disallow: /x"): 1,
    }
    assert [(text(reason), count) for reason, count in group_reasons(counts)] == [
        ("redirects to …", 5),
        ("robots.txt line …: …", 2),
    ]


def test_reasons_with_another_status_media_type_or_limit_are_not_one() -> None:
    reasons = [
        Reason("http_status", status=404, phrase="Not Found"),
        Reason("http_status", status=503, phrase="Service Unavailable"),
        Reason("type_not_kept", media_type="image/png"),
        Reason("type_not_kept", media_type="audio/mp4"),
        Reason("host_budget", limit=10),
        Reason("noindex"),
    ]
    assert dict(group_reasons(dict.fromkeys(reasons, 1))) == dict.fromkeys(reasons, 1)


def test_numbers_are_left_out_of_a_generalized_text() -> None:
    assert text(Reason("too_deep", depth=9, max_depth=8).generalize()) == (
        "… links away from the seeds; crawl.max_depth is 8"
    )
    assert text(Reason("too_slow", bytes=12_345, seconds=3.5).generalize()) == (
        "too slow: only … bytes in … s"
    )


def test_a_parameter_that_no_list_names_is_left_out() -> None:
    reasons = [Reason("new", new_parameter=number) for number in range(3)]
    assert group_reasons(dict.fromkeys(reasons, 1)) == [(Reason("new", new_parameter="…"), 3)]


def test_a_nested_cause_is_generalized_too() -> None:
    cause = Reason("connection_refused", address="127.0.0.1:80")
    reason = Reason("robots_unavailable", cause=cause).generalize()
    assert text(reason) == "robots.txt could not be fetched: connection refused by …"


@given(st.text())
def test_what_is_shown_is_printable_and_short(shown: str) -> None:
    assert printable_text(shown, 160).isprintable()
    assert len(printable_text(shown, 160)) <= 160


def test_long_text_is_cut_where_one_can_see_it() -> None:
    assert printable_text("a" * 500, 160) == "a" * 159 + "…"
    assert printable_text("left\u202eright\x1b[31m\n", 160) == "left right [31m "
