"""Sites removed by hand: a host with all its subdomains."""

from collections.abc import Collection, Iterator

from byway.core.messages import Reason
from byway.core.model import Url
from byway.core.url import bare_host, host_of


def removed_site_of(removed_sites: Collection[str], url: Url) -> str:
    """The removed site that a URL belongs to; empty if there is none."""
    return next((name for name in site_names(host_of(url)) if name in removed_sites), "")


def removal_reason(site: str) -> Reason:
    """The reason recorded for a page that was removed by hand, alone or with its whole site."""
    return Reason("removed_site", site=site) if site else Reason("removed")


def site_names(host: str) -> Iterator[str]:
    """The sites a host belongs to, as for `site:` in a query: itself and its parent domains."""
    for name in (host, bare_host(host)):  # with and without port
        while name:
            yield name
            name = name.partition(".")[2]
