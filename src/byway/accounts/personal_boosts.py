"""Personal boosts: score factors of hosts, from opened pages and host preferences."""

from collections.abc import Mapping
from math import log2

from byway.core.messages import Message
from byway.core.model import Boost
from byway.core.model.account import BOOST_STRENGTHS, HostPreference, Preferences

BOOST_PER_DOUBLING, MAX_BOOST = 0.04, 0.3
"""Each doubling of the pages opened adds 4 %, so that 7 pages give 12 %; never more than 30 %."""
HOST_PREFERENCE_FACTORS = {
    HostPreference.MORE: 1.5,
    HostPreference.LESS: 0.5,
    HostPreference.BLOCKED: 0.0,
}

PREFERENCE_REASONS = {
    HostPreference.MORE: Message("signals.personal_more", share="+50"),
    HostPreference.LESS: Message("signals.personal_less", share="−50"),
    HostPreference.BLOCKED: Message("signals.personal_blocked"),
}


def personal_boosts(preferences: Preferences) -> Mapping[str, Boost]:
    """The boost of each host, largest first; a preference overrides opened pages."""
    if preferences.boost_strength <= 0:
        return {}
    from_opened_pages = {
        host: Boost(1 + more, _opened_reason(more, pages))
        for host, pages in preferences.opened_pages.items()
        if (
            more := opened_pages_boost(pages) * min(preferences.boost_strength, BOOST_STRENGTHS[-1])
        )
    }
    from_preferences = {
        host: Boost(HOST_PREFERENCE_FACTORS[preference], PREFERENCE_REASONS[preference])
        for host, preference in preferences.host_preferences.items()
    }
    boosts = (from_opened_pages | from_preferences).items()
    return dict(sorted(boosts, key=lambda item: -abs(item[1].factor - 1)))


def _opened_reason(added_share: float, pages: int) -> Message:
    return Message("signals.personal_opened", share=f"{added_share * 100:+.0f}", count=pages)


def opened_pages_boost(pages: int) -> float:
    """The share that this number of opened pages adds to a host's score."""
    return min(MAX_BOOST, BOOST_PER_DOUBLING * log2(1 + pages))
