"""What is a host worth to this person? Numbers with a sentence each, out of what they did.

boosts(taste) -> {"example.org": Boost(1.12, "+12 % because you opened 7 pages there")}
"""

from collections.abc import Callable, Mapping
from math import log2

from byway.core.model import Boost
from byway.core.model.account import HostPreference, Preferences

BOOST_PER_DOUBLING, MAX_BOOST = 0.04, 0.3
"""Each doubling of the pages opened adds 4 %, so that 7 pages give 12 %; never more than 30 %."""
BOOST_STRENGTHS = (0.0, 0.5, 1.0, 2.0)
"""What habits may be multiplied by: the most that they can ever do is add 60 %."""
HOST_PREFERENCE_FACTORS = {
    HostPreference.MORE: 1.5,
    HostPreference.LESS: 0.5,
    HostPreference.BLOCKED: 0.0,
}

BoostExplainer = Callable[[float, int, HostPreference | None], str]
"""From a share that is added, the pages opened and what was wished for to a sentence."""


def explain_in_english(added_share: float, pages: int, preference: HostPreference | None) -> str:
    """Why a host is worth more or less."""
    if preference is HostPreference.BLOCKED:
        return "not shown because you blocked it"
    if preference is not None:
        return f"{added_share * 100:+.0f} % because you asked for {preference} of it".replace(
            "-", "−"
        )
    there = "1 page" if pages == 1 else f"{pages:,} pages"
    return f"+{added_share * 100:.0f} % because you opened {there} there"


def personal_boosts(
    preferences: Preferences, explain: BoostExplainer = explain_in_english
) -> Mapping[str, Boost]:
    """What each host is worth, those that count most first; a wish is stronger than a habit."""
    if preferences.boost_strength <= 0:
        return {}
    habits = {
        host: Boost(1 + more, explain(more, pages, None))
        for host, pages in preferences.opened_pages.items()
        if (
            more := opened_pages_boost(pages) * min(preferences.boost_strength, BOOST_STRENGTHS[-1])
        )
    }
    wishes = {
        host: Boost(
            HOST_PREFERENCE_FACTORS[wish], explain(HOST_PREFERENCE_FACTORS[wish] - 1, 0, wish)
        )
        for host, wish in preferences.host_preferences.items()
    }
    return dict(sorted((habits | wishes).items(), key=lambda item: -abs(item[1].factor - 1)))


def opened_pages_boost(pages: int) -> float:
    """The share that so many pages opened add to a host's score."""
    return min(MAX_BOOST, BOOST_PER_DOUBLING * log2(1 + pages))
