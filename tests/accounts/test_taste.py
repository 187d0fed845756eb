"""What habits and wishes make of hosts."""

from byway.accounts.taste import boosts
from byway.people import Boost, History, OpenedBefore, Wish


def opened(host: str, pages: int) -> tuple[OpenedBefore, ...]:
    return tuple(OpenedBefore(0, f"https://{host}/{number}") for number in range(pages))


def test_a_host_rises_with_the_pages_one_opened_there() -> None:
    found = boosts(History(opened=opened("a.example", 7)))
    assert found["a.example"].sentence == "+12 % because you opened 7 pages there"
    assert round(found["a.example"].factor, 3) == 1.12


def test_the_same_page_again_is_no_other_page() -> None:
    found = boosts(History(opened=opened("a.example", 1) * 9))
    assert found["a.example"].sentence == "+4 % because you opened 1 page there"


def test_a_habit_never_counts_for_too_much() -> None:
    found = boosts(History(opened=opened("a.example", 5000)))
    assert found["a.example"] == Boost(1.3, "+30 % because you opened 5,000 pages there")


def test_a_wish_is_stronger_than_a_habit() -> None:
    wishes = {"a.example": Wish.NONE, "b.example": Wish.MORE, "c.example": Wish.LESS}
    found = boosts(History(opened=opened("a.example", 7) + opened("d.example", 1), wishes=wishes))
    assert {host: boost.factor for host, boost in found.items()} == {
        "a.example": 0.0,
        "b.example": 1.5,
        "c.example": 0.5,
        "d.example": 1.04,
    }
    assert found["a.example"].sentence == "not shown because you blocked it"


def test_who_did_nothing_has_no_boosts() -> None:
    assert boosts(History()) == {}
