"""Integrations: OpenSearch description, Atom feed, and a search box for other sites."""

from xml.sax.saxutils import escape, quoteattr

from fastapi import Request
from fastapi.responses import Response

from byway.core.errors import UsageError
from byway.core.messages import t
from byway.web.context import STATIC_FOLDER, WebContext
from byway.web.query_params import FilterParams, QueryParams, parse_query_params
from byway.web.router import Access, PageRouter, RoutePolicy, with_policy
from byway.web.views.hit import HitView, hit_view

PUBLIC_POLICY = RoutePolicy(Access.PUBLIC, cache_control="public, max-age=3600")
OPENSEARCH_MEDIA_TYPE = "application/opensearchdescription+xml"
ICON_PATH = "/static/favicon.ico"
UNKNOWN_DATE = "1970-01-01T00:00:00Z"


def routes(site: WebContext) -> PageRouter:
    """The routes `/opensearch.xml`, `/feed` and `/embed.js`."""
    router = PageRouter(RoutePolicy(Access.SEARCH))

    @router.get("/opensearch.xml")
    @with_policy(PUBLIC_POLICY)
    def opensearch(request: Request) -> Response:
        description = opensearch_description(site.settings.title, _base_url(request))
        return Response(description, media_type=OPENSEARCH_MEDIA_TYPE)

    @router.get("/feed")
    def feed(request: Request, filters: FilterParams, q: str = "", limit: str = "") -> Response:
        params = parse_query_params(q, limit=limit, filters=filters, sort="date")
        if not params:
            raise UsageError("web.empty_query", path="/feed")
        hits = [hit_view(hit) for hit in site.search(params.query).hits]
        return Response(
            atom_feed(site.settings.title, params, hits, _base_url(request)),
            media_type="application/atom+xml",
        )

    @router.get("/embed.js")
    @with_policy(PUBLIC_POLICY)
    def embed() -> Response:
        # The only file that other sites can load; it contains no cookie or secret.
        headers = {"Cross-Origin-Resource-Policy": "cross-origin"}
        return Response((STATIC_FOLDER / "embed.js").read_bytes(), 200, headers, "text/javascript")

    return router


def opensearch_description(title: str, base_url: str) -> str:
    """The OpenSearch description, which lets browsers add byway as a search engine."""
    search = quoteattr(f"{base_url}/search?q={{searchTerms}}")
    suggest = quoteattr(f"{base_url}/suggest?q={{searchTerms}}")
    own = quoteattr(f"{base_url}/opensearch.xml")
    # ShortName has at most 16 characters. Browsers use an icon only if its size is given.
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>{escape(_plain(title)[:16].strip())}</ShortName>
<Description>{_xml(t("web.search.opensearch", name=title))}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/x-icon">{escape(base_url + ICON_PATH)}</Image>
<Url type="text/html" template={search}/>
<Url type="application/x-suggestions+json" template={suggest}/>
<Url type="{OPENSEARCH_MEDIA_TYPE}" rel="self" template={own}/>
</OpenSearchDescription>
"""


def atom_feed(title: str, params: QueryParams, hits: list[HitView], base_url: str) -> str:
    """The newest hits of a query as an Atom feed."""
    own = base_url + params.url(path="/feed")
    name = t("web.search.feed_title", query=params.text, name=title)
    dates = sorted(_timestamp(hit) for hit in hits)
    entries = "".join(map(_entry, hits))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>{_xml(name)}</title>
<id>{_xml(own)}</id>
<link rel="self" href={_quoted(own)}/>
<link rel="alternate" type="text/html" href={_quoted(base_url + params.url())}/>
<updated>{dates[-1] if dates else UNKNOWN_DATE}</updated>
<author><name>{_xml(title)}</name></author>
{entries}</feed>
"""


def _entry(hit: HitView) -> str:
    if not hit.href:
        return ""
    summary = "".join(piece for piece, _ in hit.snippet)
    return f"""<entry>
<title>{_xml(hit.title)}</title>
<id>{_xml(hit.href)}</id>
<link href={_quoted(hit.href)}/>
<updated>{_timestamp(hit)}</updated>
<summary>{_xml(summary)}</summary>
</entry>
"""


def _timestamp(hit: HitView) -> str:
    return f"{hit.day.isoformat()}T00:00:00Z" if hit.day else UNKNOWN_DATE


def _base_url(request: Request) -> str:
    """The base URL from the Host header, which the security middleware has checked."""
    return f"{request.url.scheme}://{request.headers.get('host', '')}"


def _xml(text: str) -> str:
    return escape(_plain(text))


def _quoted(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    """The text without characters that XML forbids."""
    encodable = text.encode("utf-8", "replace").decode()
    return "".join(char for char in encodable if char >= " " and char not in "\ufffe\uffff")
