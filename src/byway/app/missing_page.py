"""Why is a page not found, and what helps? A sentence for each state that a URL can be in."""

import re
import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from byway.app.search import SearchSession
from byway.cli.support.options import DEFAULT_DATA_DIR
from byway.cli.support.output import sanitize
from byway.core.messages import text
from byway.core.model import UrlRecord, UrlState
from byway.core.number_format import format_timestamp
from byway.crawl.outcome import NOINDEX_REASON

Hint = Callable[[UrlRecord], str]

UNREADABLE_REASON_PREFIX = "not a kind of page"
CRAWL_HINT = "name it, as `byway crawl {}`, to have it asked for"
TRACE_HINT = "`byway trace {}` shows what it says now"
COMMAND_PATTERN = re.compile(r"(`byway [^`]+)`")


def with_data_option(text: str, data: Path) -> str:
    """What is said, its commands so that they can be copied: with the folder that was named."""
    if data == DEFAULT_DATA_DIR:
        return text
    return COMMAND_PATTERN.sub(
        lambda one: f"{one[1]} --data {shlex.quote(sanitize(str(data)))}`", text
    )


def explain_missing_page(query: str, record: UrlRecord, session: SearchSession) -> str:
    """Why this page is not among the answers to these words, and what helps."""
    if record.state in (UrlState.KEPT, UrlState.QUEUED) and session.is_indexed(record.id):
        return _unmatched(query, record, session)
    if record.state is UrlState.KEPT:
        means, helps = _kept(record, session)
    else:
        means, cure = STATE_EXPLANATIONS[record.state]
        helps = cure(record)
    reason = sanitize(record.reason)
    if "{}" in means:
        return f"{means.format(reason or 'nobody knows why')}; {helps}."
    return f"{means}{f' ({reason})' if reason else ''}; {helps}."


def _unmatched(words: str, record: UrlRecord, reading: SearchSession) -> str:
    besides = f" ({sanitize(record.reason)})" if record.reason else ""
    document = reading.document(record.id)
    if document and not document.text.strip():
        shows = TRACE_HINT.format(shlex.quote(record.url))
        return f"This page has no text{besides}, as one that is made by JavaScript; {shows}."
    helps = f"`byway words {shlex.quote(record.url)}` shows the words it has"
    lacks = sanitize(" ".join(map(text, reading.mismatches(words, record.id))))
    why = f" {lacks}" if lacks else ""
    return f"This page is known{besides}, but does not match {sanitize(words)!r}.{why} {helps}."


def _kept(record: UrlRecord, reading: SearchSession) -> tuple[str, str]:
    """What is kept and cannot be found: what it is, and what helps."""
    if record.reason == NOINDEX_REASON:
        return "This page cannot be found: it {}", "only its owner can change that"
    if not reading.is_extracted(record.id):
        return "This page is kept, but not read yet", "run `byway index`"
    if reading.document(record.id) is None:
        means = "This page is kept, but there is nothing to find in it: it asked not to be indexed"
        return f"{means}, or could not be read", TRACE_HINT.format(shlex.quote(record.url))
    return "This page is known, but is not indexed yet", "run `byway index`"


def _queued(record: UrlRecord) -> str:
    return "`byway crawl` goes on with what waits"


def _tried_again(record: UrlRecord) -> str:
    if record.retry_at and record.retry_at > time.time():
        return f"a crawl tries it again from {format_timestamp(record.retry_at)} on"
    return "the next `byway crawl` tries it again"


def _redirected(record: UrlRecord) -> str:
    return f"ask for that page: `byway explain WORDS {shlex.quote(record.redirect_target or '')}`"


def _unwanted(record: UrlRecord) -> str:
    again = CRAWL_HINT.format(shlex.quote(record.url))
    for setting, words in (("crawl.media_types", "type "), ("crawl.max_bytes", "crawl.max_bytes")):
        if words in record.reason:
            return f"change {setting}, and {again}"
    return f"if that has changed, {again}"


def _forbidden(record: UrlRecord) -> str:
    shows = f"`byway robots {shlex.quote(record.url)}` shows the file"
    return f"only its owner can change that; {shows}"


def _unread(record: UrlRecord) -> str:
    if record.reason.startswith(UNREADABLE_REASON_PREFIX):
        return "nothing helps: it is not text"
    return "`byway index --rebuild` reads it again"


def _again(record: UrlRecord) -> str:
    return f"if it is there now, {CRAWL_HINT.format(shlex.quote(record.url))}"


STATE_EXPLANATIONS: Mapping[UrlState, tuple[str, Hint]] = {
    UrlState.QUEUED: ("This page was not visited yet, but waits for it", _queued),
    UrlState.LINKS_ONLY: (
        "This page was read for its links only",
        lambda record: (
            f"change crawl.keep_pattern, and {CRAWL_HINT.format(shlex.quote(record.url))}"
        ),
    ),
    UrlState.REDIRECTED: ("This URL has no page of its own: it {}", _redirected),
    UrlState.OUT_OF_SCOPE: (
        "This page is not part of the crawl: {}",
        lambda record: f"change that, or {CRAWL_HINT.format(shlex.quote(record.url))}",
    ),
    UrlState.FORBIDDEN: (
        "This page may not be visited: {}",
        _forbidden,
    ),
    UrlState.BLOCKED: (
        "This page was not visited, as its address is private",
        lambda record: "name its network with --allow-private at the next `byway crawl`",
    ),
    UrlState.UNREACHABLE: ("This page did not come: {}", _tried_again),
    UrlState.MISSING: ("This page is not there: {}", _again),
    UrlState.REJECTED: ("This is not kept: {}", _unwanted),
    UrlState.PAUSED: (
        "This page was not visited, as it seems to be one of endlessly many",
        lambda record: "`byway traps` lists the patterns, and resumes them",
    ),
    UrlState.EXTRACT_FAILED: ("This page is kept, but could not be read: {}", _unread),
    UrlState.REMOVED: (
        "This page was {}",
        lambda record: f"`byway remove --undo {shlex.quote(record.url)}` lets it in again",
    ),
}
"""What each state but `kept` means, with its reason, and what helps."""
