"""Whatever pages, titles, URLs and links say, none of it runs in our pages."""

from collections.abc import Iterator
from html import escape
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser
from web.crawled_site import LocalSite, crawl, engine_at, local_site, served_search

ATTACKS = [
    "<script>attack()</script>",
    '"><script>attack()</script>',
    "'><img src=x onerror=attack()>",
    "</title><script>attack()</script>",
    "</textarea></style></mark></bdi><svg onload=attack()>",
    "<iframe srcdoc='<script>parent.attack()</script>'></iframe>",
    "<a href=javascript:attack()>click</a>",
    "{{ attack() }} ${attack()} {% attack() %}",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=attack()>",
    "<details open ontoggle=attack()>",
    "<base href=http://127.0.0.9/><object data=javascript:attack()>",
    "\u202e<body onpageshow=attack()>\u2066",
    "<template><script>attack()</script></template><x-y onclick=attack() autofocus tabindex=0>",
]
LINKS = [
    "javascript:attack()",
    "JaVaScRiPt:attack()",
    "data:text/html,<script>parent.attack()</script>",
    "vbscript:attack()",
    "/page/<script>attack()</script>",
    '/page/"onmouseover="attack()',
]


def pages() -> dict[str, str]:
    """A page for each attack, which is in its title, heading, text, picture, link and script."""
    found = {
        f"/page/{place}": (
            f"<!doctype html><html><head><title>zebra {escape(attack)}</title>"
            f"<meta name=description content='{escape(attack)}'><script>attack()</script>"
            "<meta http-equiv=refresh content='1;url=javascript:attack()'></head>"
            f"<body onload=attack()><h1>zebra</h1><h2 id='{escape(attack)}'>zebra "
            f"{escape(attack)}</h2><p>zebra {escape(attack)} runs over the plain today</p>"
            f"<img src=/x.png alt='zebra {escape(attack)}' onerror=attack()>{attack}</body></html>"
        )
        for place, attack in enumerate(ATTACKS)
    }
    links = "".join(
        f"<a href='{escape(link)}'>zebra {escape(attack)}</a>"
        for link, attack in zip(LINKS * 3, ATTACKS, strict=False)
    )
    names = "".join(f"<a href={path}>zebra</a>" for path in found)
    odd = {quote(link): f"<title>zebra odd</title>{link}" for link in LINKS if link[0] == "/"}
    return {"/": f"<title>zebra</title>{names}{links}", **found, **odd}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, LocalSite]]:
    engine = engine_at(tmp_path_factory.mktemp("hostile"))
    with local_site(pages()) as site:
        crawl(engine, site)
        with served_search(engine) as served_at:
            yield served_at.url, site


def test_no_attack_runs(browser: Browser, place: tuple[str, LocalSite]) -> None:
    address, site = place
    context = browser.new_context()
    ran: list[str] = []
    context.expose_function("attack", lambda: ran.append(page.url))
    page = context.new_page()
    page.on("dialog", lambda dialog: ran.append(dialog.message))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    targets = [
        "search?q=zebra&limit=50",
        "images?q=zebra",
        "search?q=zebra&sort=date&include_duplicates=1",
    ]
    targets += [f"search?q={quote(attack)}&site={quote(attack)}" for attack in ATTACKS]
    kept = [quote(f"{site.url}/page/{number}") for number in range(len(ATTACKS))]
    kept += [quote(site.url)]
    for view in ("text", "html", "links"):
        targets += [f"cached?url={url}&view={view}&q=zebra" for url in kept]
    targets += [f"cached/original?url={url}" for url in kept]
    shown = 0
    for target in targets:
        reply = page.goto(address + target)
        assert reply and reply.status in (200, 400), target
        shown += page.get_by_text("attack()").count()
        for one in page.locator("summary").all()[:3]:
            one.click()
    assert shown > len(ATTACKS), "the attacks were there to be seen"
    assert not ran
    page.evaluate("attack()")
    assert ran, "an attack that runs would be noticed"
    assert [url for url in asked if not url.startswith((address, "about:", "data:"))] == []
    context.close()
