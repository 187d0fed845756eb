import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within

from byway.reports.crawl.reason_groups import MAX_REASON_CHARS, generalize_reason, printable_text


@pytest.mark.parametrize(
    ("reason", "folded"),
    [
        ("redirects to https://a.org/b?c=1", "redirects to URL"),
        ("robots.txt line 7 says Disallow: /w/ ", "robots.txt line N says Disallow: PATH"),
        (
            "9 links away from the seeds; crawl.max_depth is 8",
            "N links away from the seeds; crawl.max_depth is N",
        ),
        (
            'www.a.co.uk:8080 is not a seed\'s host; crawl.scope is "host"',
            'HOST is not a seed\'s host; crawl.scope is "host"',
        ),
        ("connection refused by 127.0.0.1:80", "connection refused"),
        ("connection refused by [::1]:80", "connection refused"),
        (
            "robots.txt did not come: connection refused by a.org:80; asked again",
            "robots.txt did not come: connection refused; asked again",
        ),
        ("a.org: fe80::1 is not public (link-local)", "HOST: ADDRESS is not public (link-local)"),
        ("no such host: пример.рф", "no such host: HOST"),
        ("10,485,761 bytes; crawl.max_bytes is 10,485,760", "N bytes; crawl.max_bytes is N"),
        ("no answer within 30 s", "no answer within N s"),
    ],
)
def test_what_is_one_urls_own_is_folded(reason: str, folded: str) -> None:
    assert generalize_reason(reason) == folded


@pytest.mark.parametrize(
    "reason",
    [
        "answered 404 Not Found",
        "answered 503 Service Unavailable",
        "type image/png is not kept",
        "type audio/mp4 is not kept",
        "type application/vnd.ms-excel is not kept",
        "asks not to be indexed (noindex): kept, but not findable",
    ],
)
def test_what_happened_is_not_folded(reason: str) -> None:
    assert generalize_reason(reason) == reason


@pytest.mark.alone
@pytest.mark.parametrize("piece", ["a.", "1.", "a:", "[", "1,", "http://", "::", "a-", "1.1.1.1"])
def test_no_reason_takes_long_to_fold(piece: str) -> None:
    run_within(0.5, lambda: generalize_reason("robots " + piece * 500 + "!"))


@given(st.text())
def test_what_is_shown_is_printable_and_short(text: str) -> None:
    assert printable_text(text).isprintable()
    assert len(printable_text(text)) <= MAX_REASON_CHARS


def test_long_text_is_cut_where_one_can_see_it() -> None:
    assert printable_text("a" * 500) == "a" * (MAX_REASON_CHARS - 1) + "…"
    assert printable_text("left\u202eright\x1b[31m\n") == "left right [31m "
