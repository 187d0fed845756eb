"""Explains why a page is missing from the results, based on its state and reason code."""

import shlex
import time

from byway.app.search import SearchSession
from byway.core.messages import t, text
from byway.core.model import UrlRecord, UrlState
from byway.core.number_format import format_timestamp

UNREADABLE_CODES = ("unreadable_type", "binary_data")
SIZE_CODES = ("too_large", "too_large_so_far")
MESSAGES = "state.explain"


def explain_missing_page(
    query: str, record: UrlRecord, session: SearchSession, data_option: str = ""
) -> str:
    """The reason why this page is not in the results of this query, and the remedy.

    `data_option` is appended to the commands in the text. The text may contain control characters,
    which the caller must escape.
    """
    reason = text(record.reason)
    params = {
        "url": shlex.quote(record.url),
        "target": shlex.quote(record.redirect_target or ""),
        "reason": reason or t("reason.unknown"),
        "note": f" ({reason})" if reason else "",
        "data": data_option,
    }
    if record.state in (UrlState.KEPT, UrlState.QUEUED) and session.is_indexed(record.id):
        return _explain_mismatch(query, record, session, params)
    if record.state is UrlState.UNREACHABLE and record.retry_at:
        params["time"] = format_timestamp(record.retry_at)
    return t(f"{MESSAGES}.{_explanation(record, session)}", **params)


def _explain_mismatch(
    query: str, record: UrlRecord, session: SearchSession, params: dict[str, str]
) -> str:
    """The explanation for an indexed page that does not match."""
    document = session.document(record.id)
    if document and not document.text.strip():
        return t(f"{MESSAGES}.no_text", **params)
    mismatches = " ".join(map(text, session.mismatches(query, record.id)))
    why = f" {mismatches}" if mismatches else ""
    return t(f"{MESSAGES}.no_match", query=query, why=why, **params)


def _explanation(record: UrlRecord, session: SearchSession) -> str:
    """The name of the explanation for a page that is not indexed."""
    match record.state:
        case UrlState.KEPT:
            return _kept_explanation(record, session)
        case UrlState.UNREACHABLE if record.retry_at and record.retry_at > time.time():
            return "unreachable_until"
        case UrlState.REJECTED if record.reason.code == "type_not_kept":
            return "rejected_type"
        case UrlState.REJECTED if record.reason.code in SIZE_CODES:
            return "rejected_size"
        case UrlState.EXTRACT_FAILED if record.reason.code in UNREADABLE_CODES:
            return "unreadable"
    return record.state


def _kept_explanation(record: UrlRecord, session: SearchSession) -> str:
    if record.reason.code == "noindex":
        return "noindex"
    if not session.is_extracted(record.id):
        return "not_extracted"
    return "no_document" if session.document(record.id) is None else "not_indexed"
