"""What is a host worth to this person? Numbers with a sentence each, out of what they did.

boosts(taste) -> {"example.org": Boost(1.12, "+12 % because you opened 7 pages there")}
"""

from collections.abc import Callable, Mapping
from math import log2

from byway.core.model import Boost
from byway.core.model.account import Taste, Wish

STEP, MOST = 0.04, 0.3
"""Each doubling of the pages opened adds 4 %, so that 7 pages give 12 %; never more than 30 %."""
STRENGTHS = (0.0, 0.5, 1.0, 2.0)
"""What habits may be multiplied by: the most that they can ever do is add 60 %."""
WISHES = {Wish.MORE: 1.5, Wish.LESS: 0.5, Wish.NONE: 0.0}

Say = Callable[[float, int, Wish | None], str]
"""From a share that is added, the pages opened and what was wished for to a sentence."""


def in_english(more: float, pages: int, wish: Wish | None) -> str:
    """Why a host is worth more or less."""
    if wish is Wish.NONE:
        return "not shown because you blocked it"
    if wish is not None:
        return f"{more * 100:+.0f} % because you asked for {wish} of it".replace("-", "−")
    there = "1 page" if pages == 1 else f"{pages:,} pages"
    return f"+{more * 100:.0f} % because you opened {there} there"


def boosts(taste: Taste, say: Say = in_english) -> Mapping[str, Boost]:
    """What each host is worth, those that count most first; a wish is stronger than a habit."""
    if taste.strength <= 0:
        return {}
    habits = {
        host: Boost(1 + more, say(more, pages, None))
        for host, pages in taste.pages.items()
        if (more := habit(pages) * min(taste.strength, STRENGTHS[-1]))
    }
    wishes = {
        host: Boost(WISHES[wish], say(WISHES[wish] - 1, 0, wish))
        for host, wish in taste.wishes.items()
    }
    return dict(sorted((habits | wishes).items(), key=lambda item: -abs(item[1].factor - 1)))


def habit(pages: int) -> float:
    """The share that so many pages opened add to a host's score."""
    return min(MOST, STEP * log2(1 + pages))
