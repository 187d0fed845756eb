"""States that one process publishes to others."""

import signal
import subprocess
import sys
from pathlib import Path

from byway.core.model import ProcessState, RunState
from byway.storage.process_states import FileProcessStates

CRAWL = ProcessState("crawl", RunState.RUNNING, 12, 1.5, 3, -9)


PUBLISHER = """
import sys, time
from pathlib import Path
from byway.core.model import ProcessState
from byway.storage.process_states import FileProcessStates

with FileProcessStates(Path(sys.argv[1])).publisher() as publish:
    publish([ProcessState("web")])
    print("published", flush=True)
    time.sleep(60)
"""


def test_states_of_a_killed_publisher_are_void_and_deleted_by_the_next(tmp_path: Path) -> None:
    states, typed = FileProcessStates(tmp_path), [sys.executable, "-c", PUBLISHER, str(tmp_path)]
    with subprocess.Popen(typed, stdout=subprocess.PIPE) as publisher:
        assert publisher.stdout and publisher.stdout.readline()
        assert [state.name for state in states.read()] == ["web"]
        publisher.send_signal(signal.SIGKILL)
    assert list((tmp_path / "run").glob("*.json"))
    assert states.read() == ()
    with states.publisher():
        assert not list((tmp_path / "run").glob("*.json"))


def test_a_damaged_file_is_ignored(tmp_path: Path) -> None:
    states = FileProcessStates(tmp_path)
    with states.publisher() as publish:
        publish([CRAWL])
        for path in (tmp_path / "run").glob("*.json"):
            path.write_text('[{"name": 1}]')
        assert states.read() == ()


def test_who_may_not_write_publishes_nothing(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("in the way")
    with FileProcessStates(tmp_path).publisher() as publish:
        publish([CRAWL])
    assert FileProcessStates(tmp_path).read() == ()
