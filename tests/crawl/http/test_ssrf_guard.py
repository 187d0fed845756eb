import asyncio
import socket
from typing import Any

import pytest

from byway.core.errors import AddressBlockedError
from byway.crawl.http.ssrf_guard import GuardedResolver, SsrfGuard, refusals

PRIVATE = (
    "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 "
    "127.0.0.1 127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 "
    "172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 "
    "192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 "
    "239.255.255.250 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::10.0.0.1 ::8.8.8.8 "
    "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 "
    "64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::10.1.2.3 64:ff9b:1::1 100::1 2001::1 "
    "2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe:: "
    "2002:c0a8:101:: 3fff::1 5f00::1 fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fe80::1 "
    "fe80::1%lo febf::1 fec0::1 ff02::1 ff0e::1 "
)

PUBLIC = (
    "1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 "
    "168.63.129.17 172.15.255.255 172.32.0.1 192.0.1.1 192.167.1.1 198.17.255.255 198.20.0.1 "
    "223.255.255.255 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2001:200::1 2001:4860:4860::8888 "
    "2002:808:808::1 2606:4700:4700::1111 2a00:1450:4001:80b::200e "
)


def test_which_addresses_may_not_be_visited_is_known_before_a_visit() -> None:
    hosts = ("10.0.0.1:8080", "[::1]:80", "intranet.example", "93.184.216.34", "10.0.0.1", "")
    said = refusals(hosts, ())
    assert [one.params["address"] for one in said] == ["10.0.0.1", "::1"]
    assert said[0].params["options"] == "--allow-private 10.0.0.1/32"
    assert refusals(hosts, ("10.0.0.0/8", "::1/128")) == []


@pytest.mark.parametrize("address", PRIVATE.split())
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    with pytest.raises(AddressBlockedError, match="is not public") as refusal:
        SsrfGuard().check(address)
    assert address in str(refusal.value)
    assert "--allow-private " in str(refusal.value)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_addresses_pass(address: str) -> None:
    SsrfGuard().check(address)


@pytest.mark.parametrize("address", PRIVATE.split())
def test_the_cure_that_a_refusal_names_is_one(address: str) -> None:
    with pytest.raises(AddressBlockedError) as refusal:
        SsrfGuard().check(address)
    SsrfGuard([str(refusal.value).rpartition(" ")[2]]).check(address)


def test_only_the_networks_named_are_opened() -> None:
    guard = SsrfGuard(["127.0.0.2/32"])
    guard.check("127.0.0.2")
    guard.check("::ffff:127.0.0.2")
    for address in ("127.0.0.1", "127.0.0.3", "::1", "10.0.0.1", "64:ff9b::127.0.0.2"):
        with pytest.raises(AddressBlockedError):
            guard.check(address)


def test_what_is_no_address_is_refused() -> None:
    for text in ("", "localhost", "/run/docker.sock", "0x7f.1"):
        with pytest.raises(AddressBlockedError, match="not an IP address"):
            SsrfGuard(["0.0.0.0/0"]).check(text)


def test_no_socket_is_made_for_a_private_address() -> None:
    with pytest.raises(AddressBlockedError):
        SsrfGuard().socket_factory((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80)))


def resolve(guard: SsrfGuard, *addresses: str) -> list[str]:
    """What the resolver makes of a name server that answers with these addresses."""

    def look_up(host: str, port: int, *_: int) -> list[tuple[Any, ...]]:
        return [(0, 0, 0, "", (address, port)) for address in addresses]

    async def ask() -> list[str]:
        resolver = GuardedResolver(guard, look_up)
        try:
            return [result["host"] for result in await resolver.resolve("a.example", 80)]
        finally:
            await resolver.close()

    return asyncio.run(ask())


def test_a_host_with_public_addresses_is_resolved() -> None:
    assert resolve(SsrfGuard(), "8.8.8.8", "2606:4700::1") == ["8.8.8.8", "2606:4700::1"]


def test_one_private_address_among_public_ones_rejects_the_host() -> None:
    with pytest.raises(AddressBlockedError, match=r"a\.example: 10\.0\.0\.1 is not public"):
        resolve(SsrfGuard(), "8.8.8.8", "10.0.0.1")


def test_the_refusal_of_a_host_names_all_it_takes_to_open_it() -> None:
    with pytest.raises(AddressBlockedError) as refusal:
        resolve(SsrfGuard(), "127.0.0.1", "::1")
    cure = "to allow it, use --allow-private 127.0.0.0/8 --allow-private ::1/128"
    assert str(refusal.value).endswith(cure)


def test_a_name_that_cannot_be_one_is_no_such_host() -> None:
    async def ask() -> None:
        resolver = GuardedResolver(SsrfGuard())
        try:
            await resolver.resolve("a" * 70 + ".example")
        finally:
            await resolver.close()

    with pytest.raises(socket.gaierror):
        asyncio.run(ask())
