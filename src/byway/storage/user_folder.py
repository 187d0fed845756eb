"""The files of a data folder that users write; the same whatever stores the data."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from byway.core.errors import SettingsError
from byway.core.model import DiskSpace

MAX_VOCABULARY_BYTES = 1_000_000
"""Maximum size of a vocabulary file."""


@dataclass(frozen=True, slots=True)
class UserFolder:
    """Paths of settings, site rules, vocabulary, judged queries and logs."""

    path: Path

    @property
    def settings_file(self) -> Path:
        return self.path / "byway.toml"

    @property
    def site_rules(self) -> Path | None:
        folder = self.path / "sites"
        return folder if folder.is_dir() else None

    @property
    def judged_queries(self) -> Path:
        return self.path / "judged"

    def log_file(self, command: str) -> Path:
        return self.path / f"{command}.log"

    def read_vocabulary(self) -> dict[str, str]:
        texts = {}
        for path in sorted((self.path / "vocabulary").glob("*.toml")):
            try:
                if path.stat().st_size > MAX_VOCABULARY_BYTES:
                    raise SettingsError(
                        "storage.vocabulary_too_large", path=path, max_bytes=MAX_VOCABULARY_BYTES
                    )
                texts[str(path)] = path.read_text("utf-8")
            except UnicodeDecodeError as error:
                raise SettingsError("storage.not_utf8", path=path) from error
            except OSError as error:
                raise SettingsError(
                    "storage.cannot_read", path=path, detail=error.strerror
                ) from error
        return texts

    def disk_space(self) -> DiskSpace:
        folders = (self.path, *self.path.absolute().parents)
        usage = shutil.disk_usage(next(folder for folder in folders if folder.exists()))
        return DiskSpace(usage.free, usage.total)
