"""Serve only the village: `python -m byway.village --port 8700`."""

import argparse
import sys
import threading

from byway.core.errors import BywayError
from byway.village.server import Village


def main() -> int:
    """Print the address of every site and serve them until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m byway.village", description=__doc__)
    parser.add_argument(
        "--port", type=int, default=0, help="the port to listen on; 0 chooses a free one"
    )
    port = parser.parse_args().port
    try:
        with Village(port) as village:
            for name in village.site_names:
                print(f"{name:14} {village.url(name)}", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        return 0
    except BywayError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
