"""Writes pages: page bytes first, then database rows, then documents."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from byway.core.model import ImportedPage, Outcome, UrlState, Visit
from byway.core.model.document import pack

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import DocumentStore, Frontier, PageStore


@dataclass(frozen=True, slots=True, eq=False)
class PortCrawlWriter:
    """A crawl writer that works with any implementation of the stores."""

    frontier: "Frontier"
    pages: "PageStore"
    documents: "DocumentStore"

    def add_pages(self, pages: Sequence[ImportedPage]) -> int:
        by_url = {one.page.url: one for one in pages if self._is_newer(one)}
        outcomes = [_outcome(visit, by_url[visit.url]) for visit in self.frontier.claim([*by_url])]
        bodies = [(one.page, one.digest) for one in outcomes if one.page]
        locations = self.pages.append(bodies)
        sequences = self.frontier.finish(
            [replace(one, location=at) for one, at in zip(outcomes, locations, strict=True)]
        )
        self.documents.put(
            (sequence, one.visit.id, one.document)
            for sequence, one in zip(sequences, outcomes, strict=True)
        )
        return len(outcomes)

    def _is_newer(self, imported: ImportedPage) -> bool:
        record = self.frontier.find_url(imported.page.url)
        stored_at = record.fetched_at if record else None
        return stored_at is None or stored_at < imported.page.fetched_at


def _outcome(visit: Visit, imported: ImportedPage) -> Outcome:
    page, document = replace(imported.page, id=visit.id), imported.document
    return Outcome(
        visit,
        UrlState.KEPT,
        page=page,
        document=pack(replace(document, id=visit.id)) if document else b"",
        links=imported.links,
        discovered_urls=imported.discovered_urls,
        digest=sha256(page.body).digest(),
        revisit_interval=imported.revisit_interval,
    )
