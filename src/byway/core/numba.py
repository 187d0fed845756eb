"""Numba compilation of inner loops on first call. Import this module lazily: Numba loads slowly."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

log = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile a function on its first call, and cache the result on disk if possible.

    The compiled function releases the GIL, so threads run in parallel.
    """
    try:
        compiled: Any = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError as error:  # no writable cache folder
        log.info("compilation is not cached: %s", error)
        compiled = numba.njit(nogil=True)(function)
    return cast(F, compiled)
