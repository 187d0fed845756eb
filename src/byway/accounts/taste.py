"""What is a host worth to this person? Numbers with a sentence each, out of what they did.

boosts(history) -> {"example.org": Boost(1.12, "+12 % because you opened 7 pages there")}
"""

from collections import defaultdict
from collections.abc import Mapping
from math import log2

from byway.model import Url
from byway.people import Boost, History, Wish
from byway.url import host_of

STEP, MOST = 0.04, 0.3
"""Each doubling of the pages opened adds 4 %, so that 7 pages give 12 %; never more than 30 %."""
WISHES = {
    Wish.MORE: Boost(1.5, "+50 % because you asked for more of it"),
    Wish.LESS: Boost(0.5, "−50 % because you asked for less of it"),
    Wish.NONE: Boost(0.0, "not shown because you blocked it"),
}


def boosts(history: History) -> Mapping[str, Boost]:
    """What each host is worth, those that count most first; a wish is stronger than a habit."""
    pages: dict[str, set[str]] = defaultdict(set)
    for opened in history.opened:
        pages[host_of(Url(opened.url))].add(opened.url)
    habits = {host: _habit(len(urls)) for host, urls in pages.items() if host}
    wishes = {host: WISHES[wish] for host, wish in history.wishes.items()}
    return dict(sorted((habits | wishes).items(), key=lambda item: -abs(item[1].factor - 1)))


def _habit(pages: int) -> Boost:
    more = min(MOST, STEP * log2(1 + pages))
    there = "1 page" if pages == 1 else f"{pages:,} pages"
    return Boost(1 + more, f"+{more * 100:.0f} % because you opened {there} there")
