"""What was counted since the vocabulary was written? Kept beside it, so that no crash takes it."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from byway.backends.embedded.damage import damaged
from byway.backends.embedded.durable import replacing


class Since:
    """A small file of counts that belong to a larger one, until that is written anew."""

    def __init__(self, path: Path, larger: Path) -> None:
        self._path = path
        self._larger = larger

    def read(self) -> Counter[str]:
        """What it says; nothing if the larger file has been written since."""
        try:
            said = json.loads(self._path.read_bytes())
            return Counter(said["counts"] if said["of"] == self._stamp() else {})
        except FileNotFoundError:
            return Counter()
        except (ValueError, KeyError, TypeError) as error:
            raise damaged(self._path, str(error)) from error

    def write(self, counts: Mapping[str, int]) -> None:
        """Keep these counts in place of those before."""
        with replacing(self._path) as file:
            file.write(json.dumps({"of": self._stamp(), "counts": counts}).encode())

    def clear(self) -> None:
        """Forget them: they are in the larger file now."""
        self._path.unlink(missing_ok=True)

    def _stamp(self) -> int:
        """Which larger file is meant; 0 if there is none."""
        return self._larger.stat().st_mtime_ns if self._larger.exists() else 0
