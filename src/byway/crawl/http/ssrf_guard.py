"""SSRF guard: blocks private addresses when a socket is opened.

Every connection, wherever its URL or address came from, passes through `SsrfGuard.socket_factory`,
which checks the address before connecting. Networks listed in the settings are allowed.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from aiohappyeyeballs import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult

from byway.core.errors import AddressBlockedError
from byway.core.messages import NO_REASON, Reason
from byway.core.url import bare_host

AddressLookup = Callable[..., list[tuple[Any, ...]]]

#: Networks without public web pages, and their kind. `ipaddress.is_global` is not enough:
#: it lets 14 of our 42 test addresses pass, NAT64 and 168.63.129.16 among them.
BLOCKED_IPV4_NETWORKS = tuple(
    (IPv4Network(network), Reason(f"network.{kind}"))
    for network, kind in {
        "0.0.0.0/8": "this_machine",
        "10.0.0.0/8": "private",
        "100.64.0.0/10": "provider",
        "127.0.0.0/8": "this_machine",
        "168.63.129.16/32": "cloud_service",
        "169.254.0.0/16": "link_local_metadata",
        "172.16.0.0/12": "private",
        "192.0.0.0/24": "protocol",
        "192.0.2.0/24": "documentation",
        "192.88.99.0/24": "relay",
        "192.168.0.0/16": "private",
        "198.18.0.0/15": "benchmark",
        "198.51.100.0/24": "documentation",
        "203.0.113.0/24": "documentation",
        "224.0.0.0/4": "multicast",
        "240.0.0.0/4": "reserved",
    }.items()
)
BLOCKED_IPV6_NETWORKS = tuple(
    (IPv6Network(network), Reason(f"network.{kind}"))
    for network, kind in {
        "::1/128": "this_machine",
        "::/128": "this_machine",
        "fc00::/7": "private",
        "fe80::/10": "link_local",
        "fec0::/10": "private",
        "ff00::/8": "multicast",
        "2001::/23": "protocol_or_teredo",
        "2001:db8::/32": "documentation",
        "3fff::/20": "documentation",
    }.items()
)
PUBLIC_IPV6_NETWORK = IPv6Network("2000::/3")
DNS_CACHE_SECONDS = 300.0
"""Seconds a host's addresses are cached."""
MAX_DNS_CACHE_HOSTS = 50_000
LOOPBACK_NETWORK = IPv4Network("127.0.0.0/8")
NAT64_NETWORK = IPv6Network("64:ff9b::/96")


class SsrfGuard:
    """Allows connections to public addresses and to the given networks."""

    def __init__(self, allow_private: Iterable[str] = ()) -> None:
        self._allowed = tuple(ip_network(network) for network in allow_private)

    def check(self, address: str) -> None:
        """Raise `AddressBlockedError` unless connections to this address are allowed."""
        if reason := self.refusal(address):
            raise AddressBlockedError(reason.code, **reason.params)

    def refusal(self, address: str) -> Reason:
        """The reason to block connections to this address; empty if they are allowed."""
        network = _blocked_network(address)
        if not network or self._allows(address):
            return NO_REASON
        options = _allow_options([address])
        return Reason("address_blocked", address=address, network=network, options=options)

    def _allows(self, address: str) -> bool:
        parsed = _parse_address(address)
        return any(parsed in network for network in self._allowed)

    def socket_factory(self, address: AddrInfoType) -> socket.socket:
        """Create the socket for one connection: the `socket_factory` of aiohttp's connector."""
        family, kind, protocol, _, target = address
        self.check(target[0])
        return socket.socket(family, kind, protocol)


def refusals(hosts: Iterable[str], allow_private: Sequence[str]) -> list[Reason]:
    """The reasons not to visit these hosts, given with or without a port.

    Only IP addresses are checked; names are not resolved.
    """
    guard, reasons = SsrfGuard(allow_private), list[Reason]()
    for host in dict.fromkeys(bare_host(one).strip("[]") for one in hosts):
        with suppress(AddressBlockedError):  # raised for a name
            if reason := guard.refusal(host):
                reasons.append(reason)
    return reasons


class GuardedResolver(AbstractResolver):
    """Resolves a host; rejects it if any of its addresses is blocked.

    A host with both a public and a private address is malicious or misconfigured.
    """

    def __init__(self, guard: SsrfGuard, lookup: AddressLookup = socket.getaddrinfo) -> None:
        self._guard = guard
        self._look_up = lookup
        # Name servers may be slow, and on two cores the loop's default pool has only six threads.
        self._threads = ThreadPoolExecutor(32, "resolver")
        self._cache: dict[str, tuple[float, list[str]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """All addresses of `host`."""
        addresses = await self._addresses(host, port, family)
        reasons = {address: self._guard.refusal(address) for address in addresses}
        refused = [address for address, reason in reasons.items() if reason]
        if refused:
            params = reasons[refused[0]].params | {"options": _allow_options(refused)}
            raise AddressBlockedError("host_blocked", host=host, **params)
        return [_result(host, port, address) for address in addresses]

    async def _addresses(self, host: str, port: int, family: int) -> list[str]:
        """The addresses of a host, from the cache or the name server."""
        cached = self._cache.get(host)
        if cached and cached[0] > time.monotonic():
            return cached[1]
        found = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._look_up_host, host, port, family
        )
        addresses = list(dict.fromkeys(str(target[0]) for *_, target in found))
        if len(self._cache) >= MAX_DNS_CACHE_HOSTS:
            self._cache.clear()
        self._cache[host] = time.monotonic() + DNS_CACHE_SECONDS, addresses
        return addresses

    def _look_up_host(self, host: str, port: int, family: int) -> list[tuple[Any, ...]]:
        try:
            return self._look_up(host, port, family, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)
        except UnicodeError as error:  # a label of more than 63 characters
            raise socket.gaierror(socket.EAI_NONAME, "not a host name") from error

    async def close(self) -> None:
        """Shut down the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _result(host: str, port: int, address: str) -> ResolveResult:
    return {
        "hostname": host,
        "host": address,
        "port": port,
        "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
        "proto": 0,
        "flags": socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    }


@lru_cache(maxsize=4096)
def _blocked_network(text: str) -> Reason:
    """The kind of network this address belongs to; empty if it is public."""
    address = _parse_address(text)
    if isinstance(address, IPv4Address):
        kinds = (kind for network, kind in BLOCKED_IPV4_NETWORKS if address in network)
        return next(kinds, NO_REASON)
    if inner := _embedded_ipv4(address):
        kind = _blocked_network(str(inner))
        return kind and Reason("network.embedded", address=str(inner), network=kind)
    kinds = (kind for network, kind in BLOCKED_IPV6_NETWORKS if address in network)
    return next(kinds, NO_REASON if address in PUBLIC_IPV6_NETWORK else Reason("network.reserved"))


def _parse_address(text: str) -> IPv4Address | IPv6Address:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError as error:
        raise AddressBlockedError("not_an_ip_address", text=text) from error
    # The kernel dials 127.0.0.1 for ::ffff:127.0.0.1.
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address embedded in a NAT64 or 6to4 address."""
    if address in NAT64_NETWORK:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.sixtofour


def _allow_options(addresses: Iterable[str]) -> str:
    """The command-line options that allow these addresses."""
    networks = dict.fromkeys(_network_around(address) for address in addresses)
    return " ".join(f"--allow-private {network}" for network in networks)


def _network_around(text: str) -> str:
    address = _parse_address(text)
    return str(LOOPBACK_NETWORK) if address in LOOPBACK_NETWORK else str(ip_network(address))
