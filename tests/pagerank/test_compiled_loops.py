"""Compiled loops: compilation, and bounds checks."""

import subprocess
import sys

import numpy as np

from byway.core.numba import jit
from byway.pagerank.compiled_loops import (
    compact_rows,
    count_in_out_degrees,
    count_keys,
    place_in_rows,
)
from byway.pagerank.edge_buffer import Numbers, Pointers


def test_code_without_a_cache_location_is_compiled_each_time() -> None:
    # Code without a file has no cache location.
    made: dict[str, object] = {}
    exec("def double(number):\n    return 2 * number", made)
    double = made["double"]
    assert callable(double)
    assert jit(double)(21) == 42


def test_the_compiler_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, byway.app.engine, byway.cli.rank; print('numba' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert result.stdout == "False\n", result.stderr


def test_ids_out_of_range_are_skipped() -> None:
    high = np.array([1, 9, 0], np.uint32)
    counts = np.zeros(2, np.uint32)
    count_keys(high, counts)
    assert counts.tolist() == [1, 1]
    in_degrees, out_degrees = np.zeros((2, 2), np.uint32)
    sources = np.array([0, 1, 3], np.uint32)
    assert count_in_out_degrees(sources, high, 1, in_degrees, out_degrees) == (2, 9)
    assert (in_degrees.tolist(), out_degrees.tolist()) == ([0, 1], [1, 0])
    rows = np.full(2, 7, np.uint32)
    place_in_rows(np.array([5, 6, 8], np.uint32), high, np.array([0, 1], np.uint32), rows)
    assert rows.tolist() == [8, 5]
    # A row that is full takes no more.
    place_in_rows(np.array([5, 5], np.uint32), high[[0, 0]], np.array([0, 2], np.uint32), rows)
    assert rows.tolist() == [8, 5]


def test_sources_out_of_range_are_removed_from_rows() -> None:
    pointers = np.array([0, 2, 3])
    rows = np.array([9, 1, 0], np.uint32)
    compact(pointers, rows, out := np.array([1, 1], np.uint32))
    assert pointers.tolist() == [0, 1, 2]
    assert rows[:2].tolist() == [1, 0]
    assert out.tolist() == [1, 1]
    # In order, too: the last is the highest.
    compact(pointers := np.array([0, 2]), rows := np.array([1, 9], np.uint32), out)
    assert pointers.tolist() == [0, 1]


def test_removed_edges_are_subtracted_from_out_degrees() -> None:
    pointers = np.array([0, 3, 5, 8])
    rows = np.array([0, 1, 2, 2, 2, 1, 0, 1], np.uint32)
    out = np.array([2, 3, 3], np.uint32)
    compact(pointers, rows, out, keep_self=False)
    assert pointers.tolist() == [0, 2, 3, 5]
    assert rows[:5].tolist() == [1, 2, 2, 1, 0]
    assert out.tolist() == [1, 2, 2]


def compact(pointers: Pointers, rows: Numbers, out: Numbers, keep_self: bool = True) -> None:
    seen = np.zeros(len(out), np.uint32)
    compact_rows(pointers, rows, 0, 1, keep_self, False, seen, out)
