"""The closed-loop client of the load benchmark reads whole answers over connections it keeps."""

from web.fake_site import served_fake_site

from bench.speed.load.keep_alive_client import closed_loop_load


def test_every_client_is_answered_again_and_again() -> None:
    with served_fake_site() as browser:
        targets = ["/api/v1/search?q=first", "/api/v1/search?q=many", "/no-such-page"]
        load = closed_loop_load(browser.url, targets, clients=3, seconds=0.5)
    assert len(load.latencies) > 3
    assert set(load.other_outcomes) == {"404"}
    assert load.percentile(0.5) <= load.percentile(0.99)
    assert abs(len(load.latencies) - 2 * load.other_outcomes["404"]) <= 4
