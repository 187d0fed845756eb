"""Search history middleware: records the queries of users who keep a history."""

import asyncio
import logging
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byway.core.display import sanitize
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.router import RoutePolicies

log = logging.getLogger(__name__)


class SearchHistoryMiddleware:
    """Records the query of the first result page, after a successful response."""

    def __init__(self, app: ASGIApp, site: WebContext, policies: RoutePolicies) -> None:
        self.app = app
        self._site = site
        self._policies = policies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user, accounts = CURRENT_USER.get(), self._site.accounts
        recorded = scope["type"] == "http" and self._policies.find(scope["path"]).records_query
        if not (recorded and accounts and user.account and user.keeps_history):
            await self.app(scope, receive, send)
            return
        status = 0

        async def send_with_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self.app(scope, receive, send_with_status)
        query = _first_page_query(scope["query_string"])
        if status == 200 and query and scope["method"] == "GET":
            try:
                await asyncio.to_thread(accounts.record_query, user.account, query)
            except Exception:
                log.exception("query not recorded")


def _first_page_query(query_string: bytes) -> str:
    """The query, if this is the URL of a first result page."""
    try:
        params = parse_qs(query_string.decode("latin-1"), max_num_fields=50)
    except ValueError:
        return ""
    is_first_page = params.get("page", ["1"])[0] in ("", "1")
    return sanitize(params.get("q", [""])[0]) if is_first_page else ""
