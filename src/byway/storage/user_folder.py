"""The user-written files of a data folder; the same for every storage backend."""

import shutil
from pathlib import Path

from byway.core.model import DiskSpace


class UserFolder:
    """Paths of settings, site rules, judged queries and logs."""

    __slots__ = ()
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

    def disk_space(self) -> DiskSpace:
        folders = (self.path, *self.path.absolute().parents)
        usage = shutil.disk_usage(next(folder for folder in folders if folder.exists()))
        return DiskSpace(usage.free, usage.total)
