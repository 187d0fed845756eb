"""Sites of the village: files, and the path rules in `site.toml`.

A path is served from the file of that name, with or without `.html`. Only rules use files whose
names begin with an underscore. In file names `%3A` stands for a colon, which not every
file system allows.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import quote, unquote

from byway.village.dynamic import PAGE_GENERATORS

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".xml": "application/xml",
    ".atom": "application/atom+xml",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
    ".zip": "application/zip",
}
TEXT_MEDIA_TYPES = ("text/", "application/xml", "application/atom+xml", "image/svg")
RULES_FILE = "site.toml"


@dataclass(frozen=True, slots=True)
class PathRule:
    """A rule for a path that is not simply served from its file."""

    status: int = 200
    to: str = ""
    """The target of a redirect."""
    file: str = ""
    """The path of the file to serve; empty means the requested path."""
    type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the response."""
    dynamic: str = ""
    """The function in `dynamic.py` that fills in the file."""


@dataclass(frozen=True, slots=True)
class SiteResponse:
    """A response before compression and conditional request handling."""

    status: int
    content_type: str = MEDIA_TYPES[".html"]
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    modified_at: float | None = None
    """Modification time of the file; None for dynamic pages."""

    @property
    def is_text(self) -> bool:
        """Whether it is text, which is compressed and may contain site names."""
        return self.content_type.startswith(TEXT_MEDIA_TYPES)


@dataclass(frozen=True, slots=True)
class VillageSite:
    """One folder in `sites/`."""

    name: str
    title: str
    gzip: bool
    media_types: Mapping[str, str]
    files: Mapping[str, Path]
    rules: Mapping[str, PathRule]

    def respond(self, path: str, query: Mapping[str, str]) -> SiteResponse:
        """The response to a request for `path`."""
        rule = self._rule(path)
        if rule.to:
            return SiteResponse(rule.status, headers={"Location": rule.to, **rule.headers})
        name = rule.file or self._file(path)
        if name is None and path + "/index.html" in self.files:
            return SiteResponse(301, headers={"Location": quote(path) + "/"})
        if name is None:
            return self._file_response("/_404.html", PathRule(404))
        return self._file_response(name, rule, path, query)

    def _rule(self, path: str) -> PathRule:
        if path in self.rules:
            return self.rules[path]
        patterns = (pattern for pattern in self.rules if "*" in pattern)
        found = next((pattern for pattern in patterns if fnmatchcase(path, pattern)), None)
        return self.rules[found] if found else PathRule()

    def _file(self, path: str) -> str | None:
        names = (path + "index.html",) if path.endswith("/") else (path, path + ".html")
        return next((name for name in names if name in self.files and "/_" not in name), None)

    def _file_response(
        self, name: str, rule: PathRule, path: str = "", query: Mapping[str, str] | None = None
    ) -> SiteResponse:
        file = self.files[name]
        body, modified = file.read_bytes(), file.stat().st_mtime
        if rule.dynamic:
            body = PAGE_GENERATORS[rule.dynamic](body.decode(), path, query or {}).encode()
        kind = rule.type or self.media_types.get(file.suffix, "application/octet-stream")
        static = rule.status == 200 and not rule.dynamic
        return SiteResponse(
            rule.status, kind, body, rule.headers, rule.delay, modified if static else None
        )


def load_site(folder: Path) -> VillageSite:
    """Read the site in `folder`: its rules and the names of its files."""
    toml = tomllib.loads((folder / RULES_FILE).read_text(encoding="utf-8"))
    files = {
        "/" + unquote(file.relative_to(folder).as_posix()): file
        for file in folder.rglob("*")
        if file.is_file() and file != folder / RULES_FILE
    }
    return VillageSite(
        name=folder.name,
        title=toml["title"],
        gzip=toml.get("gzip", False),
        media_types=MEDIA_TYPES | toml.get("types", {}),
        files=files,
        rules={path: PathRule(**rule) for path, rule in toml.get("paths", {}).items()},
    )
