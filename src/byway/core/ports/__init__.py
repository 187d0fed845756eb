"""Ports: the protocols that storage and index backends implement. Stages import nothing else.

The methods of a port are domain operations, not database operations, so that a backend can use the
strengths of its engine. `storage/memory/stores.py` is the reference implementation;
`tests/contract` tests every port on every backend.
"""

from byway.core.ports.account_store import (
    AccountStore,
)
from byway.core.ports.anchor_store import (
    AnchorStore,
    PageLinks,
)
from byway.core.ports.document_store import (
    DocumentStore,
)
from byway.core.ports.frontier import (
    Frontier,
)
from byway.core.ports.icon_store import (
    IconStore,
)
from byway.core.ports.link_graph import (
    LinkGraph,
)
from byway.core.ports.page_store import (
    PageStore,
)
from byway.core.ports.rank_store import (
    HostCitations,
    Ranks,
    RankStore,
)
from byway.core.ports.search_index import (
    Facets,
    SearchIndex,
)

__all__ = [
    "AccountStore",
    "AnchorStore",
    "DocumentStore",
    "Facets",
    "Frontier",
    "HostCitations",
    "IconStore",
    "LinkGraph",
    "PageLinks",
    "PageStore",
    "RankStore",
    "Ranks",
    "SearchIndex",
]
