"""Documentation sites on loopback hosts, served by one nginx worker.

Pages are compressed beforehand, so that nginx uses as little CPU as possible. Its access log shows
when a crawl began and what was requested.
"""

import getpass
import gzip
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.speed.measure import process_cpu_seconds, process_tree

SITES_PATH = Path(__file__).with_name("sites.toml")
FIRST_HOST_OCTET = 31
"""The first site is 127.0.0.31; the host before it serves all sites in folders, for wrk."""

NGINX_CONFIG = """
{user}worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
    types {{ text/html html htm; text/plain txt; }}
    default_type application/octet-stream;
    charset utf-8;
    gzip_static on;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    keepalive_timeout 60s;
    log_format brief "$msec $status $server_addr$request_uri";
    access_log {folder}/access.log brief buffer=256k flush=1s;
    client_body_temp_path {folder}/t; proxy_temp_path {folder}/t; fastcgi_temp_path {folder}/t;
    uwsgi_temp_path {folder}/t; scgi_temp_path {folder}/t;
{servers}
}}
"""
NGINX_SERVER = "    server {{ listen {address}:{port}; root {root}; index index.html; {more} }}"


@dataclass(frozen=True, slots=True)
class BenchSite:
    """One documentation package, as a web site."""

    name: str
    package: str
    root: Path
    seeds: tuple[str, ...]
    robots: tuple[str, ...]
    address: str
    quick: bool

    @property
    def robots_txt(self) -> str:
        """Its robots.txt."""
        return "\n".join(["User-agent: *", *self.robots, ""])


@dataclass(frozen=True, slots=True)
class AccessLogSummary:
    """The access log of one crawl, summarized."""

    first_request_at: float
    """The time of day of the first request."""
    last_request_at: float
    requests: int
    statuses: Mapping[str, int]
    cpu_seconds: float
    """CPU seconds of nginx."""


def load_sites(quick: bool) -> list[BenchSite]:
    """The sites to crawl; with `quick`, a few small ones."""
    table = tomllib.loads(SITES_PATH.read_text())
    found = [
        BenchSite(
            name=name,
            package=site["package"],
            root=Path(site["root"]),
            seeds=tuple(site["seeds"]),
            robots=tuple(site["robots"]),
            address=f"127.0.0.{FIRST_HOST_OCTET + number}",
            quick=site.get("quick", False),
        )
        for number, (name, site) in enumerate(table.items())
    ]
    return [site for site in found if site.quick or not quick]


class ServedSites:
    """The running server of the sites."""

    def __init__(self, folder: Path, served: Sequence[BenchSite], port: int, pid: int) -> None:
        self._log = folder / "access.log"
        self._pid = pid
        self._folder = folder
        self.sites = served
        self.port = port

    def seeds(self, site: BenchSite) -> list[str]:
        """The seed URLs of a site."""
        root = self._folder / site.name
        paths = sorted(path for seed in site.seeds for path in root.glob(seed))
        return [f"http://{site.address}:{self.port}/{path.relative_to(root)}" for path in paths]

    @property
    def all_seeds(self) -> list[str]:
        """The seed URLs of all sites."""
        return [seed for site in self.sites for seed in self.seeds(site)]

    @contextmanager
    def summarize_access(self) -> Iterator[list[AccessLogSummary]]:
        """Summarize the access log of the block; the list has the summary afterwards."""
        summaries: list[AccessLogSummary] = []
        start, cpu = self._log.stat().st_size, self._cpu()
        yield summaries
        used = self._cpu() - cpu
        time.sleep(1.5)  # nginx flushes its log once a second
        with self._log.open() as log:
            log.seek(start)
            lines = [line.split(" ", 2) for line in log]
        times = [float(line[0]) for line in lines] or [0.0]
        statuses = Counter(line[1] for line in lines)
        summaries.append(
            AccessLogSummary(
                first_request_at=min(times),
                last_request_at=max(times),
                requests=len(lines),
                statuses=statuses,
                cpu_seconds=used,
            )
        )

    def wrk(self, urls: Sequence[str], script: Path, seconds: int) -> str:
        """The output of wrk for these pages: the highest rate without processing them."""
        by_host = {f"http://{site.address}:{self.port}": f"/{site.name}" for site in self.sites}
        paths = [by_host[url[: url.index("/", 7)]] + url[url.index("/", 7) :] for url in urls]
        quoted = ",\n".join(f'"{path}"' for path in paths if '"' not in path and "\\" not in path)
        script.write_text(
            f"local paths = {{\n{quoted}\n}}\nlocal n = 0\n"
            'request = function() n = n % #paths + 1; return wrk.format("GET", paths[n]) end\n'
        )
        command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "-H", "Accept-Encoding: gzip"]
        command += ["-s", str(script), f"http://127.0.0.{FIRST_HOST_OCTET - 1}:{self.port}/"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def _cpu(self) -> float:
        return sum(process_cpu_seconds(pid) for pid in process_tree(self._pid))


@contextmanager
def serve_sites(folder: Path, served: Sequence[BenchSite]) -> Iterator[ServedSites]:
    """Serve these sites during the block."""
    for site in served:
        _build_site(site, folder / site.name)
    port = _free_port()
    config = folder / "nginx.conf"
    config.write_text(_config(folder, served, port))
    process = subprocess.Popen(["nginx", "-p", folder, "-c", config], stderr=subprocess.DEVNULL)
    try:
        _wait_for(served[-1].address, port, folder)
        yield ServedSites(folder, served, port, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _build_site(site: BenchSite, folder: Path) -> None:
    """Build the folder of a site: links to its pages, and each page compressed."""
    root = site.root.resolve()
    pages = [
        Path(parent, name)
        for parent, _, names in os.walk(root)
        for name in names
        if name.endswith((".html", ".htm"))
    ]
    if not pages:
        sys.exit(
            f"no pages in {site.root}: install {site.package}; if it is installed, your dpkg "
            "leaves /usr/share/doc out (see path-exclude in /etc/dpkg/dpkg.cfg.d)"
        )
    folder.mkdir()
    (folder / "robots.txt").write_text(site.robots_txt)
    targets = [folder / page.relative_to(root) for page in pages]
    for target in targets:
        target.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        list(pool.map(_add_page, pages, targets, chunksize=100))


def _add_page(page: Path, target: Path) -> None:
    target.symlink_to(page.resolve())
    target.with_name(target.name + ".gz").write_bytes(gzip.compress(page.read_bytes(), 6, mtime=0))


def _config(folder: Path, served: Sequence[BenchSite], port: int) -> str:
    servers = [
        NGINX_SERVER.format(address=site.address, port=port, root=folder / site.name, more="")
        for site in served
    ]
    all_sites = NGINX_SERVER.format(
        address=f"127.0.0.{FIRST_HOST_OCTET - 1}", port=port, root=folder, more="access_log off;"
    )
    user = f"user {getpass.getuser()};\n" if os.geteuid() == 0 else ""
    return NGINX_CONFIG.format(user=user, folder=folder, servers="\n".join([*servers, all_sites]))


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def _wait_for(address: str, port: int, folder: Path) -> None:
    for _ in range(100):
        try:
            socket.create_connection((address, port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    log = (folder / "nginx.log").read_text() if (folder / "nginx.log").exists() else "no log"
    sys.exit(f"nginx does not answer on {address}:{port}: {log.strip()[-300:]}")
