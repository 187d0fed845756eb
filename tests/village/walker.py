"""A plain client for the village: it fetches, reads links and robots.txt, and knows no byway."""

import http.client
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from pace import WAIT_TIMEOUT_SECONDS

USER_AGENT = "byway/0.1 (tests)"


@dataclass(frozen=True)
class HttpResponse:
    """One answer, with no redirect followed."""

    url: str
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get_content_type()

    @property
    def text(self) -> str:
        declared = self.headers.get_content_charset() or self._in_meta() or "utf-8"
        return self.body.decode(declared)

    @property
    def location(self) -> str:
        return urljoin(self.url, str(self.headers["Location"]))

    def _in_meta(self) -> str | None:
        found = re.search(rb'charset="?([\w-]+)', self.body[:1024])
        return found.group(1).decode() if found else None


@dataclass
class Anchor:
    """A link as it stands on a page."""

    url: str
    rel: str
    text: str = ""


@dataclass
class PageParser(HTMLParser):
    """The links, the title and the words of one HTML page."""

    base: str
    links: list[Anchor] = field(default_factory=list)
    title: str = ""
    text_parts: list[str] = field(default_factory=list)
    robots_meta: str = ""
    resources: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    open_tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self.open_tags = [tag] if tag in ("title", "script", "a", "style") else self.open_tags
        if "id" in has:
            self.ids.add(has["id"])
        if tag == "base":
            self.base = urljoin(self.base, has["href"])
        elif tag == "a" and "href" in has:
            self.links.append(Anchor(absolute_url(self.base, has["href"]), has.get("rel", "")))
        elif tag == "meta" and has.get("name") == "robots":
            self.robots_meta = has["content"]
        elif tag in ("img", "script") and "src" in has:
            self.resources.append(absolute_url(self.base, has["src"]))
        elif tag == "link" and has.get("rel") == "stylesheet":
            self.resources.append(absolute_url(self.base, has["href"]))
        elif tag == "script" and has.get("type") == "application/ld+json":
            self.open_tags = ["ld+json"]

    def handle_endtag(self, tag: str) -> None:
        self.open_tags = []

    def handle_data(self, data: str) -> None:
        where = self.open_tags[0] if self.open_tags else ""
        if where == "title":
            self.title += data
        elif where == "ld+json":
            self.json_ld.append(data)
        elif where not in ("script", "style"):
            self.text_parts.append(data)
            if where == "a" and self.links:
                self.links[-1].text += data


def absolute_url(base: str, href: str) -> str:
    """`href` as a URL in ASCII, its fragment kept."""
    return quote(urljoin(base, href), safe="/:?#[]@!$&'()*+,;=%~")


def fetch(url: str, **headers: str) -> HttpResponse:
    """Ask for one URL and take what comes."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=WAIT_TIMEOUT_SECONDS)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    asked = {"User-Agent": USER_AGENT} | {
        name.replace("_", "-"): text for name, text in headers.items()
    }
    try:
        connection.request("GET", path, headers=asked)
        response = connection.getresponse()
        return HttpResponse(url, response.status, response.headers, response.read())
    finally:
        connection.close()


def parse_page(page: HttpResponse) -> PageParser:
    """What an HTML page says."""
    reading = PageParser(page.url)
    reading.feed(page.text)
    return reading


class RobotsRules:
    """A robots.txt, as the group for one agent reads it."""

    def __init__(self, text: str, agent: str = "byway") -> None:
        groups = list(_groups(text))
        named = [rules for agents, rules in groups if agent in agents]
        every = [rules for agents, rules in groups if "*" in agents]
        self.rules = [rule for rules in named or every for rule in rules]
        self.sitemaps = re.findall(r"(?im)^sitemap:\s*(\S+)", text)

    def allows(self, url: str) -> bool:
        """The longest rule that matches counts."""
        path = re.sub(r"^\w+://[^/]+", "", url)
        found = [(len(rule), kind == "allow") for kind, rule in self.rules if _matches(rule, path)]
        return max(found, default=(0, True))[1]


def _groups(text: str) -> Iterator[tuple[set[str], list[tuple[str, str]]]]:
    agents: set[str] = set()
    rules: list[tuple[str, str]] = []
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if key.lower() == "user-agent":
            if rules:
                yield agents, rules
                agents, rules = set(), []
            agents.add(value.lower())
        elif key.lower() in ("allow", "disallow"):
            rules.append((key.lower(), value))
    yield agents, rules


def _matches(rule: str, path: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in rule.removesuffix("$").split("*"))
    return bool(re.match(pattern + ("$" if rule.endswith("$") else ""), path))


@dataclass
class SiteWalk:
    """Everything a polite walk from some seeds has met, by URL without fragment."""

    pages: dict[str, HttpResponse] = field(default_factory=dict)
    parsed_pages: dict[str, PageParser] = field(default_factory=dict)
    inlinks: dict[str, set[str]] = field(default_factory=dict)
    """Whence each URL is linked."""
    followed_urls: set[str] = field(default_factory=set)
    """URLs that some link without nofollow leads to."""
    disallowed_urls: set[str] = field(default_factory=set)
    sitemap_urls: set[str] = field(default_factory=set)
    """URLs that sitemaps list."""


def walk(seeds: Iterable[str], skip: re.Pattern[str]) -> SiteWalk:
    """Follow links from the seeds, as robots.txt lets us, but nothing that `skip` matches."""
    seen = SiteWalk()
    rules: dict[str, RobotsRules] = {}
    queue = list(seeds)
    hosts = {urlsplit(seed).netloc for seed in queue}
    for host in hosts:
        rules[host] = RobotsRules(fetch(f"http://{host}/robots.txt").text)
        for sitemap in rules[host].sitemaps:
            seen.sitemap_urls |= set(_listed(sitemap))
    queue += sorted(seen.sitemap_urls)
    while queue:
        url = queue.pop()
        if url in seen.pages or url in seen.disallowed_urls or urlsplit(url).netloc not in hosts:
            continue
        if not rules[urlsplit(url).netloc].allows(url):
            seen.disallowed_urls.add(url)
            continue
        queue += [link for link in _visited(seen, url) if not skip.search(link)]
    return seen


def _visited(seen: SiteWalk, url: str) -> Iterator[str]:
    page = seen.pages[url] = fetch(url)
    if page.status in (301, 302):
        yield page.location
    if page.status != 200 or page.media_type != "text/html":
        return
    reading = seen.parsed_pages[url] = parse_page(page)
    for link in reading.links:
        target = urldefrag(link.url).url
        seen.inlinks.setdefault(target, set()).add(url)
        if "nofollow" not in link.rel:
            seen.followed_urls.add(target)
            yield target


def _listed(sitemap: str) -> Iterator[str]:
    text = fetch(sitemap).text
    for location in re.findall(r"<loc>(.*?)</loc>", text):
        if "<sitemapindex" in text:
            yield from _listed(location)
        else:
            yield location
