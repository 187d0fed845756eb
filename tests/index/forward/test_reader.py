"""Forward index reader, while another process writes."""

from pathlib import Path

import numpy as np

from byway.index.forward.reader import ROW_DTYPE, ForwardReader


def test_an_offsets_file_that_is_empty_for_a_moment_is_no_error(tmp_path: Path) -> None:
    terms, offsets = tmp_path / "forward.terms", tmp_path / "forward.offsets"
    terms.write_bytes(np.arange(4, dtype=np.uint32).tobytes())
    offsets.write_bytes(np.zeros(2, ROW_DTYPE).tobytes())
    forward = ForwardReader(tmp_path)
    forward.refresh()
    offsets.write_bytes(b"")
    forward.refresh()
