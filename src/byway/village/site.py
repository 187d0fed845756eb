"""What does a site answer to this path? Its files, and the exceptions its site.toml lists.

A path is answered by the file of that name, with `.html` left out where people would leave it
out. Files whose names begin with an underscore are only used by rules. In file names `%3A` stands
for a colon, which not every file system takes.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import quote, unquote

from byway.village.dynamic import DYNAMIC

TYPES = {
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
TEXTUAL = ("text/", "application/xml", "application/atom+xml", "image/svg")
RULES = "site.toml"


@dataclass(frozen=True, slots=True)
class Rule:
    """How a path is answered when not simply by its file."""

    status: int = 200
    to: str = ""
    """Where a redirect leads."""
    file: str = ""
    """The file to answer with, as a path; the path asked for, if nothing."""
    type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds the answer takes."""
    dynamic: str = ""
    """The function of `dynamic.py` that completes the file."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back, before compression and conditions."""

    status: int
    type: str = TYPES[".html"]
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    modified: float | None = None
    """When the file was last changed; None for what is made up on the spot."""

    @property
    def textual(self) -> bool:
        """Is it text, which may name other sites and is worth compressing?"""
        return self.type.startswith(TEXTUAL)


@dataclass(frozen=True, slots=True)
class Site:
    """One folder of `sites/`."""

    name: str
    title: str
    gzip: bool
    types: Mapping[str, str]
    files: Mapping[str, Path]
    rules: Mapping[str, Rule]

    def answer(self, path: str, query: Mapping[str, str]) -> Answer:
        """What this site says to someone who asks for `path`."""
        rule = self._rule(path)
        if rule.to:
            return Answer(rule.status, headers={"Location": rule.to, **rule.headers})
        name = rule.file or self._file(path)
        if name is None and path + "/index.html" in self.files:
            return Answer(301, headers={"Location": quote(path) + "/"})
        if name is None:
            return self._answer("/_404.html", Rule(404))
        return self._answer(name, rule, path, query)

    def _rule(self, path: str) -> Rule:
        if path in self.rules:
            return self.rules[path]
        patterns = (pattern for pattern in self.rules if "*" in pattern)
        found = next((pattern for pattern in patterns if fnmatchcase(path, pattern)), None)
        return self.rules[found] if found else Rule()

    def _file(self, path: str) -> str | None:
        names = (path + "index.html",) if path.endswith("/") else (path, path + ".html")
        return next((name for name in names if name in self.files and "/_" not in name), None)

    def _answer(
        self, name: str, rule: Rule, path: str = "", query: Mapping[str, str] | None = None
    ) -> Answer:
        file = self.files[name]
        body, modified = file.read_bytes(), file.stat().st_mtime
        if rule.dynamic:
            body = DYNAMIC[rule.dynamic](body.decode(), path, query or {}).encode()
        kind = rule.type or self.types.get(file.suffix, "application/octet-stream")
        static = rule.status == 200 and not rule.dynamic
        return Answer(
            rule.status, kind, body, rule.headers, rule.delay, modified if static else None
        )


def load_site(folder: Path) -> Site:
    """Read the site in `folder`: its rules and the names of its files."""
    toml = tomllib.loads((folder / RULES).read_text(encoding="utf-8"))
    files = {
        "/" + unquote(file.relative_to(folder).as_posix()): file
        for file in folder.rglob("*")
        if file.is_file() and file != folder / RULES
    }
    return Site(
        name=folder.name,
        title=toml["title"],
        gzip=toml.get("gzip", False),
        types=TYPES | toml.get("types", {}),
        files=files,
        rules={path: Rule(**rule) for path, rule in toml.get("paths", {}).items()},
    )
