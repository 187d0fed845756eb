"""What every icon store must do."""

from byway.core.ports import Storage


def test_an_icon_is_returned_as_stored(storage: Storage) -> None:
    storage.icons().put("a.org", b"\x89PNG\0")
    icons = storage.icons()
    assert icons.get("a.org") == b"\x89PNG\0"
    assert icons.has("a.org") and icons.has_image("a.org")


def test_a_host_without_an_icon_is_not_an_unknown_host(storage: Storage) -> None:
    icons = storage.icons()
    icons.put("a.org", b"")
    assert (icons.has("a.org"), icons.has_image("a.org"), icons.get("a.org")) == (True, False, b"")
    assert (icons.has("b.org"), icons.has_image("b.org"), icons.get("b.org")) == (False, False, b"")


def test_a_new_icon_replaces_the_old_one(storage: Storage) -> None:
    icons = storage.icons()
    icons.put("a.org", b"old")
    icons.put("a.org", b"new")
    assert icons.get("a.org") == b"new"
    icons.put("a.org", b"")
    assert not icons.has_image("a.org")


def test_hosts_that_are_no_file_names_have_icons(storage: Storage) -> None:
    icons = storage.icons()
    hosts = ["[::1]:8000", "../a.org", "a" * 300, "пример.рф", "a.org:80", "A.org", "a\udc80.org"]
    for host in hosts:
        icons.put(host, host.encode("utf-8", "replace"))
    assert [icons.get(host) for host in hosts] == [
        host.encode("utf-8", "replace") for host in hosts
    ]
