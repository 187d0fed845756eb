"""Why is a page not found, and what helps? A sentence for each state that a URL can be in."""

import re
import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from byway.app.search import Reading
from byway.cli.support.options import HERE
from byway.cli.support.output import plain
from byway.core.model import State, UrlRecord
from byway.core.number_format import moment
from byway.crawl.outcome import NOINDEX

Cure = Callable[[UrlRecord], str]

UNREAD = "not a kind of page"
NAME_IT = "name it, as `byway crawl {}`, to have it asked for"
TRY_IT = "`byway trace {}` shows what it says now"
COMMAND = re.compile(r"(`byway [^`]+)`")


def in_folder(said: str, data: Path) -> str:
    """What is said, its commands so that they can be copied: with the folder that was named."""
    if data == HERE:
        return said
    return COMMAND.sub(lambda one: f"{one[1]} --data {shlex.quote(plain(str(data)))}`", said)


def why_not(words: str, record: UrlRecord, reading: Reading) -> str:
    """Why this page is not among the answers to these words, and what helps."""
    if record.state in (State.KEPT, State.QUEUED) and reading.is_indexed(record.id):
        return _unmatched(words, record, reading)
    if record.state is State.KEPT:
        means, helps = _kept(record, reading)
    else:
        means, cure = FATES[record.state]
        helps = cure(record)
    reason = plain(record.reason)
    if "{}" in means:
        return f"{means.format(reason or 'nobody knows why')}; {helps}."
    return f"{means}{f' ({reason})' if reason else ''}; {helps}."


def _unmatched(words: str, record: UrlRecord, reading: Reading) -> str:
    besides = f" ({plain(record.reason)})" if record.reason else ""
    document = reading.document(record.id)
    if document and not document.text.strip():
        shows = TRY_IT.format(shlex.quote(record.url))
        return f"This page has no text{besides}, as one that is made by JavaScript; {shows}."
    helps = f"`byway words {shlex.quote(record.url)}` shows the words it has"
    lacks = plain("; ".join(reading.lacks(words, record.id)))
    why = f": {lacks}" if lacks else ""
    return f"This page is known{besides}, but does not match {plain(words)!r}{why}. {helps}."


def _kept(record: UrlRecord, reading: Reading) -> tuple[str, str]:
    """What is kept and cannot be found: what it is, and what helps."""
    if record.reason == NOINDEX:
        return "This page cannot be found: it {}", "only its owner can change that"
    if not reading.is_read(record.id):
        return "This page is kept, but not read yet", "run `byway index`"
    if reading.document(record.id) is None:
        means = "This page is kept, but there is nothing to find in it: it asked not to be indexed"
        return f"{means}, or could not be read", TRY_IT.format(shlex.quote(record.url))
    return "This page is known, but is not indexed yet", "run `byway index`"


def _queued(record: UrlRecord) -> str:
    return "`byway crawl` goes on with what waits"


def _tried_again(record: UrlRecord) -> str:
    if record.due and record.due > time.time():
        return f"a crawl tries it again from {moment(record.due)} on"
    return "the next `byway crawl` tries it again"


def _redirected(record: UrlRecord) -> str:
    return f"ask for that page: `byway explain WORDS {shlex.quote(record.leads_to or '')}`"


def _unwanted(record: UrlRecord) -> str:
    again = NAME_IT.format(shlex.quote(record.url))
    for setting, words in (("crawl.types", "type "), ("crawl.max_bytes", "crawl.max_bytes")):
        if words in record.reason:
            return f"change {setting}, and {again}"
    return f"if that has changed, {again}"


def _forbidden(record: UrlRecord) -> str:
    shows = f"`byway robots {shlex.quote(record.url)}` shows the file"
    return f"only its owner can change that; {shows}"


def _unread(record: UrlRecord) -> str:
    if record.reason.startswith(UNREAD):
        return "nothing helps: it is not text"
    return "`byway index --rebuild` reads it again"


def _again(record: UrlRecord) -> str:
    return f"if it is there now, {NAME_IT.format(shlex.quote(record.url))}"


FATES: Mapping[State, tuple[str, Cure]] = {
    State.QUEUED: ("This page was not visited yet, but waits for it", _queued),
    State.WALKED: (
        "This page was read for its links only",
        lambda record: f"change crawl.keep_pattern, and {NAME_IT.format(shlex.quote(record.url))}",
    ),
    State.REDIRECTED: ("This URL has no page of its own: it {}", _redirected),
    State.OUT_OF_SCOPE: (
        "This page is not part of the crawl: {}",
        lambda record: f"change that, or {NAME_IT.format(shlex.quote(record.url))}",
    ),
    State.FORBIDDEN: (
        "This page may not be visited: {}",
        _forbidden,
    ),
    State.BLOCKED: (
        "This page was not visited, as its address is private",
        lambda record: "name its network with --allow-private at the next `byway crawl`",
    ),
    State.UNREACHABLE: ("This page did not come: {}", _tried_again),
    State.MISSING: ("This page is not there: {}", _again),
    State.UNWANTED: ("This is not kept: {}", _unwanted),
    State.PAUSED: (
        "This page was not visited, as it seems to be one of endlessly many",
        lambda record: "`byway traps` lists the patterns, and resumes them",
    ),
    State.EXTRACT_FAILED: ("This page is kept, but could not be read: {}", _unread),
    State.REMOVED: (
        "This page was {}",
        lambda record: f"`byway remove --undo {shlex.quote(record.url)}` lets it in again",
    ),
}
"""What each state but `kept` means, with its reason, and what helps."""
