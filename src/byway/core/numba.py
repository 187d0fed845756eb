"""How are inner loops compiled? By Numba, when first called. Import it late: it takes a while."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

log = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compiled when it is first called; kept for the next process where there is room for it.

    It gives up Python's lock, so that threads really run side by side.
    """
    try:
        made: Any = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError as error:  # no folder that can be written to
        log.info("compiled anew each time: %s", error)
        made = numba.njit(nogil=True)(function)
    return cast(F, made)
