"""Ports: the protocols that storage and index backends implement. Stages import nothing else.

Each port is cut at the verbs of the domain, not at those of a database, so that a backend is free
to use what its engine is good at. `storage/memory/stores.py` is the reference implementation;
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
from byway.core.ports.runner import (
    MessageListener,
    Runner,
)
from byway.core.ports.search_index import (
    FuzzyMatch,
    IndexPorts,
    SearchIndex,
    Suggestion,
    Suggestions,
    TermDictionary,
)

__all__ = [
    "AccountStore",
    "AnchorStore",
    "DocumentStore",
    "Frontier",
    "FuzzyMatch",
    "HostCitations",
    "IconStore",
    "IndexPorts",
    "LinkGraph",
    "MessageListener",
    "PageLinks",
    "PageStore",
    "RankStore",
    "Ranks",
    "Runner",
    "SearchIndex",
    "Suggestion",
    "Suggestions",
    "TermDictionary",
]
