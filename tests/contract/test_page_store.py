"""What every page store must do."""

from contract.backends import Backend
from contract.crawled import keep, lease

from byway.core.model import Outcome, UrlId, UrlState


def revisit(backend: Backend, text: str, body: bytes, at: float) -> UrlId:
    backend.frontier.queue_revisits(1e9)
    return keep(backend, text, body, at, visit=lease(backend, text)).id


def test_the_previous_version_has_other_content(backend: Backend) -> None:
    id = keep(backend, "a.org/", b"first", 1.0).id
    assert backend.pages.previous_version(id) is None
    revisit(backend, "a.org/", b"second", 2.0)
    revisit(backend, "a.org/", b"second", 3.0)
    newest, previous = backend.pages.get(id), backend.pages.previous_version(id)
    assert newest and (newest.body, newest.fetched_at) == (b"second", 3.0)
    assert previous and (previous.body, previous.fetched_at) == (b"first", 1.0)


def test_versions_are_oldest_first_and_equal_content_has_one_digest(backend: Backend) -> None:
    id = keep(backend, "a.org/", b"first", 1.0).id
    revisit(backend, "a.org/", b"second", 2.0)
    revisit(backend, "a.org/", b"first", 3.0)
    versions = list(backend.pages.versions(id, 10))
    assert [(page.fetched_at, page.body) for _, page in versions] == [
        (1.0, b"first"),
        (2.0, b"second"),
        (3.0, b"first"),
    ]
    assert versions[0][0] == versions[2][0] != versions[1][0]
    assert [page.fetched_at for _, page in backend.pages.versions(id, 2)] == [2.0, 3.0]


def test_a_page_that_is_gone_has_only_its_past(backend: Backend) -> None:
    id = keep(backend, "a.org/", b"first", 1.0).id
    backend.frontier.queue_revisits(1e9)
    visit = lease(backend, "a.org/")
    backend.frontier.finish([Outcome(visit, UrlState.MISSING, is_gone=True)])
    assert backend.pages.get(id) is None
    previous = backend.pages.previous_version(id)
    assert previous and previous.body == b"first"
    assert backend.pages.last_sequence() == 2


def test_files_are_there_as_long_as_nobody_deletes_them(backend: Backend) -> None:
    keep(backend, "a.org/")
    backend.pages.require_files()
