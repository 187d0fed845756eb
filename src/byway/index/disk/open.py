"""How is an index opened? To be asked by anybody, to be filled by who has the folder's lock."""

from pathlib import Path

import tantivy

from byway.core.errors import DataError
from byway.core.settings.schema import IndexSettings
from byway.index.disk.checksums import Sound, check, damaged
from byway.index.disk.commit_marker import Committed
from byway.index.forward.writer import ForwardWriter
from byway.index.language_bloom import SpokenWriter
from byway.index.language_terms import Marking
from byway.index.schema import registered

CURE = "`byway index` builds another"


class IndexFiles:
    """The files of one index; each is opened when it is first needed."""

    def __init__(
        self, folder: Path, settings: IndexSettings, schema: tantivy.Schema, committed: Committed
    ) -> None:
        self._folder = folder
        self.path = folder / "tantivy"
        """Where tantivy's files are."""
        self._settings = settings
        self._schema = schema
        self._committed = committed
        self._index: tantivy.Index | None = None
        self._writers: tuple[tantivy.IndexWriter, ForwardWriter, SpokenWriter] | None = None
        self.marking = Marking(())
        """Which of the pages that are filled in are marked."""
        self.began_empty = False
        """Is all that it holds filled in by us, so that the forward file knows of all of it?"""

    def to_ask(self) -> tantivy.Index | None:
        """The index; None as long as there is none."""
        if self._index is None and self._committed.last():
            check(self.path)
            try:
                with Sound(self.path):
                    self._index = registered(tantivy.Index.open(str(self.path)))
            except ValueError as error:
                if self._committed.last():
                    raise damaged(self.path, str(error)) from error
                return None  # deleted in this very moment, since another took its place
        return self._index

    def to_fill(self) -> tuple[tantivy.IndexWriter, ForwardWriter, SpokenWriter]:
        """Those who write."""
        if self._writers is None:
            if self._committed.is_of_another_version():
                raise DataError(f"{self._folder} was made by another version of byway; {CURE}")
            self.path.mkdir(parents=True, exist_ok=True)
            check(self.path, whole=True)
            try:
                self._index = registered(tantivy.Index(self._schema, str(self.path)))
            except ValueError as error:
                raise damaged(self.path, str(error)) from error
            searcher = self._index.searcher()
            self.began_empty = not searcher.num_docs
            languages = dict(searcher.terms_with_prefix("language", ""))
            self.marking = Marking(languages.items())
            heap = self._settings.memory * 1_000_000
            writer = self._index.writer(heap, self._settings.threads)
            spoken = SpokenWriter(self._folder, languages)
            self._writers = writer, ForwardWriter(self._folder), spoken
        return self._writers

    def renew(self) -> None:
        """Show what was committed meanwhile."""
        if self._index:
            self._index.reload()

    def close(self) -> None:
        """Let go of them; what was not committed is forgotten."""
        if self._writers is not None:
            writer, forward, _ = self._writers
            writer.rollback()
            forward.close()
        self._index = self._writers = None
