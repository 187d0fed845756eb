"""How does a browser, a feed reader or another site use our search? OpenSearch, Atom, a box."""

from xml.sax.saxutils import escape, quoteattr

from fastapi import APIRouter, Request
from fastapi.responses import Response

from byway.core.errors import UsageError
from byway.web.context import STATIC_FOLDER, WebContext
from byway.web.i18n import t
from byway.web.query_params import FilterParams, QueryParams, parse_query_params
from byway.web.views.hit import HitView, hit_view

CACHE_CONTROL = "public, max-age=3600"
OPENSEARCH_MEDIA_TYPE = "application/opensearchdescription+xml"
ICON_PATH = "/static/favicon.ico"
UNKNOWN_DATE = "1970-01-01T00:00:00Z"


def routes(site: WebContext) -> APIRouter:
    """`/opensearch.xml`, `/feed` and `/embed.js`"""
    router = APIRouter(include_in_schema=False)

    @router.get("/opensearch.xml")
    def opensearch(request: Request) -> Response:
        found = opensearch_description(site.settings.title, _here(request))
        headers = {"Cache-Control": CACHE_CONTROL}
        return Response(found, headers=headers, media_type=OPENSEARCH_MEDIA_TYPE)

    @router.get("/feed")
    def feed(request: Request, chosen: FilterParams, q: str = "", limit: str = "") -> Response:
        asked = parse_query_params(q, "", limit, chosen, "date")
        if not asked:
            raise UsageError("q is empty; ask as /feed?q=words")
        hits = [hit_view(hit) for hit in site.search(asked.query).hits]
        return Response(
            atom_feed(site.settings.title, asked, hits, _here(request)),
            media_type="application/atom+xml",
        )

    @router.get("/embed.js")
    def embed() -> Response:
        # The one thing of ours that a foreign page may load; it has no cookie and no secret in it.
        headers = {"Cache-Control": CACHE_CONTROL, "Cross-Origin-Resource-Policy": "cross-origin"}
        return Response((STATIC_FOLDER / "embed.js").read_bytes(), 200, headers, "text/javascript")

    return router


def opensearch_description(title: str, base_url: str) -> str:
    """What a browser needs to know to search with us."""
    search = quoteattr(f"{base_url}/search?q={{searchTerms}}")
    suggest = quoteattr(f"{base_url}/suggest?q={{searchTerms}}")
    own = quoteattr(f"{base_url}/opensearch.xml")
    # A short name has 16 letters at most. Browsers take an icon only if its size is named.
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>{escape(_plain(title)[:16].strip())}</ShortName>
<Description>{_xml(t("opensearch", name=title))}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/x-icon">{escape(base_url + ICON_PATH)}</Image>
<Url type="text/html" template={search}/>
<Url type="application/x-suggestions+json" template={suggest}/>
<Url type="{OPENSEARCH_MEDIA_TYPE}" rel="self" template={own}/>
</OpenSearchDescription>
"""


def atom_feed(title: str, params: QueryParams, hits: list[HitView], base_url: str) -> str:
    """The newest hits of a question as a feed."""
    own = base_url + params.url(path="/feed")
    name = t("feed_title", question=params.text, name=title)
    days = sorted(_moment(hit) for hit in hits)
    entries = "".join(map(_entry, hits))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>{_xml(name)}</title>
<id>{_xml(own)}</id>
<link rel="self" href={_quoted(own)}/>
<link rel="alternate" type="text/html" href={_quoted(base_url + params.url())}/>
<updated>{days[-1] if days else UNKNOWN_DATE}</updated>
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
<updated>{_moment(hit)}</updated>
<summary>{_xml(summary)}</summary>
</entry>
"""


def _moment(hit: HitView) -> str:
    return f"{hit.day.isoformat()}T00:00:00Z" if hit.day else UNKNOWN_DATE


def _here(request: Request) -> str:
    """Where we are, as the browser called us; Guard has seen to it that this is our name."""
    return f"{request.url.scheme}://{request.headers.get('host', '')}"


def _xml(text: str) -> str:
    return escape(_plain(text))


def _quoted(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    """The text without what XML cannot carry."""
    whole = text.encode("utf-8", "replace").decode()
    return "".join(char for char in whole if char >= " " and char not in "\ufffe\uffff")
