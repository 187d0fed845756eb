"""What habits and wishes make of hosts."""

from byway.accounts.personal_boosts import personal_boosts
from byway.core.messages import text
from byway.core.model.account import HostPreference, Preferences


def test_a_host_rises_with_the_pages_one_opened_there() -> None:
    found = personal_boosts(Preferences({"a.example": 7}))
    assert text(found["a.example"].reason) == "+12% because you opened 7 pages there"
    assert round(found["a.example"].factor, 3) == 1.12


def test_one_page_is_a_small_habit() -> None:
    found = personal_boosts(Preferences({"a.example": 1}))
    assert text(found["a.example"].reason) == "+4% because you opened 1 page there"


def test_a_habit_never_counts_for_too_much() -> None:
    found = personal_boosts(Preferences({"a.example": 5000}))
    assert found["a.example"].factor == 1.3
    assert text(found["a.example"].reason) == "+30% because you opened 5,000 pages there"
    assert (
        personal_boosts(Preferences({"a.example": 5000}, boost_strength=99.0))["a.example"].factor
        == 1.6
    )


def test_habits_count_as_much_as_one_likes() -> None:
    half = personal_boosts(Preferences({"a.example": 7}, boost_strength=0.5))["a.example"]
    assert text(half.reason) == "+6% because you opened 7 pages there"
    assert (
        personal_boosts(
            Preferences({"a.example": 7}, {"b.example": HostPreference.BLOCKED}, boost_strength=0)
        )
        == {}
    )


def test_a_wish_is_stronger_than_a_habit() -> None:
    wishes = {
        "a.example": HostPreference.BLOCKED,
        "b.example": HostPreference.MORE,
        "c.example": HostPreference.LESS,
    }
    found = personal_boosts(Preferences({"a.example": 7, "d.example": 1}, wishes))
    assert {host: boost.factor for host, boost in found.items()} == {
        "a.example": 0.0,
        "b.example": 1.5,
        "c.example": 0.5,
        "d.example": 1.04,
    }
    assert text(found["a.example"].reason) == "not shown because you blocked it"
    assert text(found["b.example"].reason) == "+50% because you asked for more results from it"
    assert text(found["c.example"].reason) == "−50% because you asked for fewer results from it"


def test_who_did_nothing_has_no_boosts() -> None:
    assert personal_boosts(Preferences()) == {}
