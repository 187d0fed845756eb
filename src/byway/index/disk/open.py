"""How is an index opened? To be asked by anybody, to be filled by who has the folder's lock."""

from pathlib import Path

import tantivy

from byway.core.errors import DataError
from byway.core.settings.schema import IndexSettings
from byway.index.disk.checksums import PanicGuard, damaged_file_error, verify_checksums
from byway.index.disk.commit_marker import CommitMarker
from byway.index.forward.writer import ForwardWriter
from byway.index.language_bloom import LanguageBloomWriter
from byway.index.language_terms import LanguageTagPolicy
from byway.index.schema import register_tokenizers

REBUILD_HINT = "`byway index` builds another"


class IndexFiles:
    """The files of one index; each is opened when it is first needed."""

    def __init__(
        self,
        folder: Path,
        settings: IndexSettings,
        schema: tantivy.Schema,
        commit_marker: CommitMarker,
    ) -> None:
        self._folder = folder
        self.tantivy_path = folder / "tantivy"
        """Where tantivy's files are."""
        self._settings = settings
        self._schema = schema
        self._committed = commit_marker
        self._index: tantivy.Index | None = None
        self._writers: tuple[tantivy.IndexWriter, ForwardWriter, LanguageBloomWriter] | None = None
        self.tag_policy = LanguageTagPolicy(())
        """Which of the pages that are filled in are marked."""
        self.began_empty = False
        """Is all that it holds filled in by us, so that the forward file knows of all of it?"""

    def open_for_search(self) -> tantivy.Index | None:
        """The index; None as long as there is none."""
        if self._index is None and self._committed.committed_sequence():
            verify_checksums(self.tantivy_path)
            try:
                with PanicGuard(self.tantivy_path):
                    self._index = register_tokenizers(tantivy.Index.open(str(self.tantivy_path)))
            except ValueError as error:
                if self._committed.committed_sequence():
                    raise damaged_file_error(self.tantivy_path, str(error)) from error
                return None  # deleted in this very moment, since another took its place
        return self._index

    def open_for_writing(self) -> tuple[tantivy.IndexWriter, ForwardWriter, LanguageBloomWriter]:
        """Those who write."""
        if self._writers is None:
            if self._committed.is_incompatible():
                raise DataError(
                    f"{self._folder} was made by another version of byway; {REBUILD_HINT}"
                )
            self.tantivy_path.mkdir(parents=True, exist_ok=True)
            verify_checksums(self.tantivy_path, full=True)
            try:
                self._index = register_tokenizers(
                    tantivy.Index(self._schema, str(self.tantivy_path))
                )
            except ValueError as error:
                raise damaged_file_error(self.tantivy_path, str(error)) from error
            searcher = self._index.searcher()
            self.began_empty = not searcher.num_docs
            languages = dict(searcher.terms_with_prefix("language", ""))
            self.tag_policy = LanguageTagPolicy(languages.items())
            heap = self._settings.writer_memory_mb * 1_000_000
            writer = self._index.writer(heap, self._settings.threads)
            spoken = LanguageBloomWriter(self._folder, languages)
            self._writers = writer, ForwardWriter(self._folder), spoken
        return self._writers

    def refresh(self) -> None:
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
