"""Forward index: rows, offsets, erasing, and reading while another process writes."""

from pathlib import Path
from zlib import crc32

import numpy as np

from byway.core.model import Document, UrlId
from byway.core.model.query import TermAnalysis, TermClause
from byway.core.url import normalize
from byway.index.analysis.document_analyzer import analyze_uncompiled
from byway.index.forward_index import ROW_DTYPE, ForwardReader, ForwardWriter
from byway.search.rank.position_features import BODY_FIELD, position_features

URL = normalize("http://a.org/")


def test_documents_with_gaps_between_their_ids_are_found(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    kept = (7, 3, 4, 12, 5)
    for id in kept:
        writer.add(UrlId(id), analyze_uncompiled(Document(URL, UrlId(id), text="word " * id)))
    assert [id for id in range(15) if writer.has(UrlId(id))] == sorted(kept)
    writer.apply(writer.sync_terms())
    writer.apply(writer.sync_terms())
    assert [id for id in range(15) if writer.has(UrlId(id))] == sorted(kept)
    writer.close()
    again = ForwardWriter(tmp_path)
    assert [id for id in range(15) if again.has(UrlId(id))] == sorted(kept)
    again.close()
    offsets = (tmp_path / "forward.offsets").read_bytes()
    assert [bool(any(offsets[16 * id : 16 * id + 16])) for id in range(13)] == [
        id in kept for id in range(13)
    ]
    reader = ForwardReader(tmp_path)
    reader.refresh()
    word = TermClause("word", (TermAnalysis(("word",)),))
    features = position_features(*reader.read(np.array(kept)), [word])
    assert features.field_lengths[:, BODY_FIELD].tolist() == list(kept)


def test_the_terms_of_a_removed_document_are_overwritten(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    for id, text in ((1, "first word"), (2, "second word"), (3, "third word")):
        writer.add(UrlId(id), analyze_uncompiled(Document(URL, UrlId(id), text=text)))
    writer.apply(writer.sync_terms())
    reader = ForwardReader(tmp_path)
    reader.refresh()
    writer.remove(UrlId(2))
    writer.remove(UrlId(99))
    writer.apply(writer.sync_terms())
    word = TermClause("word", (TermAnalysis(("word",)),))
    terms = np.fromfile(tmp_path / "forward.terms", np.uint32).tolist()
    assert crc32(b"second") not in terms
    assert {crc32(b"first"), crc32(b"third")} <= set(terms)
    features = position_features(*reader.read(np.array([1, 2, 3])), [word])
    assert features.term_counts[:, BODY_FIELD, 0].tolist() == [1, 0, 1]
    writer.add(UrlId(4), analyze_uncompiled(Document(URL, UrlId(4), text="fourth word")))
    writer.apply(writer.sync_terms())
    reader.refresh()
    features = position_features(*reader.read(np.array([1, 4])), [word])
    assert features.term_counts[:, BODY_FIELD, 0].tolist() == [1, 1]
    writer.close()


def test_a_row_out_of_range_overwrites_nothing(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    writer.add(UrlId(1), analyze_uncompiled(Document(URL, UrlId(1), text="first word")))
    writer.apply(writer.sync_terms())
    with (tmp_path / "forward.offsets").open("r+b") as offsets:
        offsets.write(np.array([5, 10**6], np.int64).tobytes())
    before = (tmp_path / "forward.terms").read_bytes()
    writer.remove(UrlId(0))
    writer.apply(writer.sync_terms())
    writer.close()
    assert (tmp_path / "forward.terms").read_bytes() == before


def test_an_offsets_file_that_is_empty_for_a_moment_is_no_error(tmp_path: Path) -> None:
    terms, offsets = tmp_path / "forward.terms", tmp_path / "forward.offsets"
    terms.write_bytes(np.arange(4, dtype=np.uint32).tobytes())
    offsets.write_bytes(np.zeros(2, ROW_DTYPE).tobytes())
    forward = ForwardReader(tmp_path)
    forward.refresh()
    offsets.write_bytes(b"")
    forward.refresh()


def test_a_term_that_is_half_written_is_no_error(tmp_path: Path) -> None:
    writer = ForwardWriter(tmp_path)
    writer.add(UrlId(1), analyze_uncompiled(Document(URL, UrlId(1), text="first word")))
    writer.apply(writer.sync_terms())
    with (tmp_path / "forward.terms").open("ab") as terms:
        terms.write(b"abc")  # the next document, whose writer was killed
    reader = ForwardReader(tmp_path)
    reader.refresh()
    assert reader.live_ids().tolist() == [1]
    assert len(reader.word_codes(1)) == 2
    writer.close()
