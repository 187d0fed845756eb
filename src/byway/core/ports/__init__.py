"""Ports: the protocols that storage and index backends implement. Stages import only these.

Each port follows the operations of the domain, not of a database, so that a backend can use the
strengths of its engine. `storage/memory` is the reference implementation;
`tests/contract` tests every port on every backend.
"""

from byway.core.ports.account_store import AccountStore
from byway.core.ports.anchor_store import AnchorStore, PageLinks
from byway.core.ports.crawl_control import CrawlControl
from byway.core.ports.crawl_statistics import CrawlStatistics
from byway.core.ports.document_store import DocumentStore
from byway.core.ports.frontier import Frontier
from byway.core.ports.icon_store import IconStore
from byway.core.ports.index_generations import (
    IndexGeneration,
    IndexGenerations,
    IndexStores,
    OpenGeneration,
)
from byway.core.ports.link_graph import LinkGraph
from byway.core.ports.page_store import PageStore
from byway.core.ports.process_states import ProcessStates
from byway.core.ports.rank_store import NO_RANKS, HostCitations, Ranks, RankStore
from byway.core.ports.runner import MessageListener, Runner
from byway.core.ports.search_index import (
    FuzzyMatch,
    IndexPorts,
    SearchIndex,
    Suggestion,
    Suggestions,
    TermDictionary,
    find_candidates,
)
from byway.core.ports.storage import CrawlReader, CrawlWriter, Storage, UserFiles
from byway.core.ports.url_catalog import UrlCatalog
