from collections import Counter

from byway.core.messages import NO_REASON, Reason, has_text
from byway.core.model import UrlState
from byway.core.model.crawl_report import Report
from byway.reports.crawl.summary import (
    MAX_HOSTS,
    MAX_REASONS,
    CrawlReportData,
    summarize_crawl,
)

NOT_FOUND = Reason("http_status", status=404, phrase="Not Found")

Row = tuple[str, UrlState, Reason, str]


def report_on(rows: list[Row], weight: int = 1) -> Report:
    """The report where each of these rows stands for `weight` URLs."""
    states = {state: n * weight for state, n in Counter(row[1] for row in rows).items()}
    return summarize_crawl(
        CrawlReportData(0.0, states=states, url_outcomes=rows, hosts=len({row[0] for row in rows}))
    )


def row(
    n: int, state: UrlState = UrlState.KEPT, reason: Reason = NO_REASON, host: str = "a.org"
) -> Row:
    return host, state, reason, f"http://{host}/{n}"


def many_hosts() -> list[Row]:
    states = list(UrlState)
    return [
        row(n, states[n % len(states)], Reason(f"why_{n % 7}"), host=f"h{n % (MAX_HOSTS + 30)}.org")
        for n in range(3000)
    ]


def test_every_state_has_a_meaning() -> None:
    assert all(has_text(f"state.{state}") for state in UrlState)


def test_all_figures_add_up() -> None:
    report = report_on(many_hosts())
    assert sum(one.urls for one in report.states) == report.urls == 3000
    assert report.other_hosts is not None
    hosts = [*report.hosts, report.other_hosts]
    assert sum(host.urls for host in hosts) == 3000
    assert sum(host.kept for host in hosts) == report.pages
    assert sum(host.queued for host in hosts) == report.queued
    assert sum(one.urls for one in report.reasons) + report.other_reason_urls == 3000
    assert not report.url_sample


def test_long_lists_are_cut_and_say_so() -> None:
    rows = many_hosts() + [
        row(n, UrlState.REJECTED, Reason("type_not_kept", media_type=f"x/y{n}z")) for n in range(99)
    ]
    report = report_on(rows)
    assert len(report.hosts) == MAX_HOSTS
    assert report.other_hosts is not None
    assert report.other_hosts.host == "and 31 more"
    assert len(report.reasons) == MAX_REASONS
    assert report.other_reason_count > 60


def test_a_url_that_was_read_stands_for_those_of_its_state_that_were_not() -> None:
    rows = [row(n) for n in range(30)] + [row(n, UrlState.MISSING, NOT_FOUND) for n in range(10)]
    report = report_on(rows, weight=100)
    assert report.url_sample
    assert (report.url_sample.sampled, report.url_sample.total) == (40, 4000)
    assert (report.hosts[0].kept, report.hosts[0].failed) == (3000, 1000)
    assert report.reasons[0].urls == 1000


def test_reasons_are_counted_by_kind_with_an_example() -> None:
    report = report_on(
        [
            row(1, UrlState.REDIRECTED, Reason("redirect", to="http://a.org/2")),
            row(2, UrlState.REDIRECTED, Reason("redirect", to="http://b.org/")),
            row(3, UrlState.MISSING, NOT_FOUND),
            row(4),
        ]
    )
    assert [(one.reason, one.urls) for one in report.reasons] == [
        (Reason("redirect", to="…"), 2),
        (NOT_FOUND, 1),
    ]
    assert report.reasons[0].example == "http://a.org/1"
    assert report.reasons[0].example_reason == Reason("redirect", to="http://a.org/2")


def test_hosts_with_the_most_pages_come_first_with_their_bytes() -> None:
    rows = [row(1), row(2, host="b.org"), row(3, host="b.org"), row(4, UrlState.QUEUED)]
    states = Counter(each[1] for each in rows)
    arrivals = [("a.org", 1.0, 500), ("b.org", 2.0, 100), ("b.org", 3.0, 100)]
    report = summarize_crawl(
        CrawlReportData(
            0.0, states=states, url_outcomes=rows, hosts=2, pages=3, page_fetches=arrivals
        )
    )
    assert [(host.host, host.kept, host.bytes) for host in report.hosts] == [
        ("b.org", 2, 200),
        ("a.org", 1, 500),
    ]
    assert report.other_hosts is None


def test_nothing_is_reported_of_nothing() -> None:
    report = summarize_crawl(CrawlReportData(0.0))
    assert not report
    assert report.timeline.pages == ()
