"""Domain model: frozen values, independent of storage, HTTP and HTML. Read this package first.

A link becomes a visit, a visit a page, a page a document, a document a hit:

    Link ──frontier──▶ Visit ──fetch──▶ Page ──extract──▶ Document ──index, rank, search──▶ Hit
"""

from byway.core.model.document import (
    DATE_PATTERN,
    EPOCH_ORDINAL,
    Document,
    ExtractionResult,
    Heading,
    Image,
    Link,
    Neighbour,
    parse_epoch_day,
)
from byway.core.model.page import Page, RecordLocation, RobotsFile, UnreadablePage
from byway.core.model.process import ProcessSpec, ProcessState, RestartPolicy, RunState
from byway.core.model.results import Hit, ResultPosition, Results, Signal, score_shares
from byway.core.model.search_query import Boost, Chip, Query, Sort
from byway.core.model.status import CrawlWait, DiskSpace, RebuildProgress, ShardStatus, Status
from byway.core.model.url_state import (
    NO_ID,
    DiscoveredUrl,
    HostRecord,
    Url,
    UrlId,
    UrlRecord,
    UrlState,
)
from byway.core.model.visit import FrontierOptions, ImportedPage, Job, Outcome, PreviousFetch, Visit
