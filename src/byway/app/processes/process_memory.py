"""Memory of a process, from /proc."""

import os
import resource
from pathlib import Path


def memory_bytes(pid: int) -> int:
    """Memory of a process, with shared pages counted proportionally (PSS), so that values add up.

    Without PSS, the resident memory; without /proc, the peak of this process and 0 for others.
    """
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except OSError:
        if pid != os.getpid():
            return 0
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
