"""May we connect there? Private addresses are refused where the socket is made.

Whatever a page, a redirect or a name server says, every connection passes through
`SsrfGuard.socket_factory`, which the very address that is about to be dialled. Networks that
are named may be visited.
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
from byway.core.model.message import NO_REASON, Reason
from byway.core.url import bare_host

AddressLookup = Callable[..., list[tuple[Any, ...]]]

#: Where no public web page is, and what is there instead. `ipaddress.is_global` is not enough:
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
"""Seconds that a host's addresses are remembered."""
MAX_DNS_CACHE_HOSTS = 50_000
LOOPBACK_NETWORK = IPv4Network("127.0.0.0/8")
NAT64_NETWORK = IPv6Network("64:ff9b::/96")


class SsrfGuard:
    """Lets connections out to public addresses, and to the networks it was given."""

    def __init__(self, allow_private: Iterable[str] = ()) -> None:
        self._allowed = tuple(ip_network(network) for network in allow_private)

    def check(self, address: str) -> None:
        """Raise `AddressBlockedError` unless this address may be dialled."""
        if reason := self.refusal(address):
            raise AddressBlockedError(reason.code, **reason.params)

    def refusal(self, address: str) -> Reason:
        """Why this address may not be dialled; empty if it may."""
        network = _refused(address)
        if not network or self._allows(address):
            return NO_REASON
        options = _options([address])
        return Reason("address_blocked", address=address, network=network, options=options)

    def _allows(self, address: str) -> bool:
        parsed = _parsed(address)
        return any(parsed in network for network in self._allowed)

    def socket_factory(self, address: AddrInfoType) -> socket.socket:
        """Make the socket for one connection: the `socket_factory` of aiohttp's connector."""
        family, kind, protocol, _, target = address
        self.check(target[0])
        return socket.socket(family, kind, protocol)


def refusals(hosts: Iterable[str], allow_private: Sequence[str]) -> list[Reason]:
    """Why these may not be visited; for a name nothing, as no name server is asked.

    A host may have its port behind it.
    """
    guard, told = SsrfGuard(allow_private), list[Reason]()
    for host in dict.fromkeys(bare_host(one).strip("[]") for one in hosts):
        with suppress(AddressBlockedError):  # a name is no address
            if reason := guard.refusal(host):
                told.append(reason)
    return told


class GuardedResolver(AbstractResolver):
    """Finds the addresses of a host, and takes none of them if any may not be dialled.

    A host with both a public and a private address is up to no good, or set up wrongly.
    """

    def __init__(self, guard: SsrfGuard, lookup: AddressLookup = socket.getaddrinfo) -> None:
        self._guard = guard
        self._look_up = lookup
        # Name servers may be slow, and the loop's own pool has six threads on two cores.
        self._threads = ThreadPoolExecutor(32, "resolver")
        self._kept: dict[str, tuple[float, list[str]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Every address of `host`."""
        addresses = await self._addresses(host, port, family)
        reasons = {address: self._guard.refusal(address) for address in addresses}
        refused = [address for address, reason in reasons.items() if reason]
        if refused:
            params = reasons[refused[0]].params | {"options": _options(refused)}
            raise AddressBlockedError("host_blocked", host=host, **params)
        return [_result(host, port, address) for address in addresses]

    async def _addresses(self, host: str, port: int, family: int) -> list[str]:
        """What name servers say, or said a moment ago."""
        kept = self._kept.get(host)
        if kept and kept[0] > time.monotonic():
            return kept[1]
        found = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._ask, host, port, family
        )
        addresses = list(dict.fromkeys(str(target[0]) for *_, target in found))
        if len(self._kept) >= MAX_DNS_CACHE_HOSTS:
            self._kept.clear()
        self._kept[host] = time.monotonic() + DNS_CACHE_SECONDS, addresses
        return addresses

    def _ask(self, host: str, port: int, family: int) -> list[tuple[Any, ...]]:
        try:
            return self._look_up(host, port, family, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)
        except UnicodeError as error:  # a label of more than 63 letters
            raise socket.gaierror(socket.EAI_NONAME, "not a host name") from error

    async def close(self) -> None:
        """Let the threads go."""
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
def _refused(text: str) -> Reason:
    """The kind of network this address belongs to; empty if it is public."""
    address = _parsed(text)
    if isinstance(address, IPv4Address):
        kinds = (kind for network, kind in BLOCKED_IPV4_NETWORKS if address in network)
        return next(kinds, NO_REASON)
    if inner := _inside(address):
        kind = _refused(str(inner))
        return kind and Reason("network.embedded", address=str(inner), network=kind)
    kinds = (kind for network, kind in BLOCKED_IPV6_NETWORKS if address in network)
    return next(kinds, NO_REASON if address in PUBLIC_IPV6_NETWORK else Reason("network.reserved"))


def _parsed(text: str) -> IPv4Address | IPv6Address:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError as error:
        raise AddressBlockedError("not_an_ip_address", text=text) from error
    # ::ffff:127.0.0.1 is but another spelling of 127.0.0.1: the kernel dials the latter.
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _inside(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address at the end of a tunnel that begins at this address."""
    if address in NAT64_NETWORK:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.sixtofour


def _options(addresses: Iterable[str]) -> str:
    """The options that let a crawl visit these addresses, and not many more."""
    networks = dict.fromkeys(_network_around(address) for address in addresses)
    return " ".join(f"--allow-private {network}" for network in networks)


def _network_around(text: str) -> str:
    address = _parsed(text)
    return str(LOOPBACK_NETWORK) if address in LOOPBACK_NETWORK else str(ip_network(address))
