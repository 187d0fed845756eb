"""Routes with their policy: access rule, load class, caching and compression in one place.

A module in `pages/` or `api/` declares its routes on a `PageRouter`; the middleware looks up the
policy of a request by its path.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from fastapi import APIRouter

from byway.core.model.account import ApiKeyScope, Role

PRIVATE_CACHE = "private, no-cache"

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Access(StrEnum):
    """Access rules of routes."""

    PUBLIC = "public"
    """Everybody, even where searching needs a login: the login page, static files."""
    SEARCH = "search"
    """Everybody, or with `serve.require_login` every user."""
    USER = "user"
    ADMIN = "admin"

    def required_role(self, require_login: bool) -> Role:
        """The lowest role that has access."""
        if self is Access.ADMIN:
            return Role.ADMIN
        needs_login = self is Access.USER or (self is Access.SEARCH and require_login)
        return Role.USER if needs_login else Role.VISITOR


class RequestClass(StrEnum):
    """Load classes: each has its own admission queue, so that none can starve another."""

    SEARCH = "search"
    LOGIN = "login"
    ADMIN = "admin"
    LIVE = "live"
    RECORD_HISTORY = "record_history"
    STATIC = "static"
    """Static files: they cost almost nothing and need no queue."""


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """The properties of a route that the middleware uses."""

    access: Access
    request_class: RequestClass = RequestClass.SEARCH
    cache_control: str = PRIVATE_CACHE
    """The Cache-Control header for responses with status 200 that set none themselves."""
    compressed: bool = False
    """Whether to compress responses; not for pages with a form, whose token would leak (BREACH)."""
    key_scope: ApiKeyScope | None = None
    """The scope of API keys that give access; an admin's key always does."""
    anonymous_form: bool = False
    """Whether visitors get a session secret, which signs the form of the page."""


class PageRouter(APIRouter):
    """A router whose routes have a policy: that of the router, or their own."""

    def __init__(self, policy: RoutePolicy, include_in_schema: bool = False) -> None:
        super().__init__(include_in_schema=include_in_schema)
        self.policy = policy
        self.policies: dict[str, RoutePolicy] = {}

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """Add a route; all methods of one path share its policy."""
        self.policies[path] = getattr(endpoint, "route_policy", self.policy)
        super().add_api_route(path, endpoint, **options)


def with_policy(policy: RoutePolicy) -> Callable[[Endpoint], Endpoint]:
    """Give an endpoint a different policy from its router's."""

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.route_policy = policy  # type: ignore[attr-defined]
        return endpoint

    return mark


@dataclass(slots=True)
class RoutePolicies:
    """The policies of all routes, by path."""

    by_path: dict[str, RoutePolicy] = field(default_factory=dict)

    def add(self, policies: Mapping[str, RoutePolicy]) -> None:
        """Add the policies of a router."""
        self.by_path |= policies

    def find(self, path: str) -> RoutePolicy:
        """The policy of a path; an unknown path has that of the nearest path above it."""
        while path not in self.by_path and path.strip("/"):
            path = path.rpartition("/")[0]
        return self.by_path.get(path) or self.by_path["/"]
