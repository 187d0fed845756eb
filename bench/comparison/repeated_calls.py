"""Many calls of the byway command line in one process: `python repeated_calls.py <calls`.

Each line of stdin is a JSON list of arguments; each line of stdout is what that call printed, as a
JSON string, or "" if it failed. To start byway anew for each page of a crawl would take minutes.
This file runs with the Python of another checkout, so it imports nothing of this one.
"""

import contextlib
import io
import json
import runpy
import sys


def printed_by(arguments: list[str]) -> str:
    """What `byway ARGUMENTS` prints on stdout; "" if it fails."""
    sys.argv = ["byway", *arguments]
    out, code = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_module("byway", run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    return "" if code else out.getvalue()


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(printed_by(json.loads(line))), flush=True)
