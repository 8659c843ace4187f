"""What the engines' tests share: a table of rows, some of them bad, and what must come of it."""
import os
import pathlib
import signal
import subprocess
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
SUMS = CHECKOUT / "Tests/Cases/interface/sums.mlmodel"
LINE = CHECKOUT / "Tests/Cases/interface/line.mlmodel"
DIGITS = CHECKOUT / "examples/digits"
#: workers of Beam's and Dask's import these files by their names
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(pathlib.Path(__file__).resolve().parent), os.environ.get("PYTHONPATH")]))
ROWS = int(os.environ.get("COREML_ENGINE_ROWS", "100000"))
BAD = frozenset(range(17, ROWS, 5003))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Files of rows: `id`, and `a` of one row of three numbers that follow from it; null in the bad ones."""
    folder = tmp_path_factory.mktemp("data")
    for number in range(4):
        first, end = ROWS * number // 4, ROWS * (number + 1) // 4
        rows = [None if row in BAD else [[row % 1000, 1.0, 2.0]] for row in range(first, end)]
        pq.write_table(pa.table({"id": range(first, end), "a": pa.array(rows, pa.list_(pa.list_(pa.float32())))}), folder / f"{number}.parquet")
    return folder


def check(columns):
    """Each row once, right, with the model's digest; bad rows with their sentence. columns: lists by name."""
    from coreml_runtime._digest import digest

    order = np.argsort(np.asarray(columns["id"]))
    assert len(order) == ROWS and np.array_equal(np.asarray(columns["id"])[order], np.arange(ROWS))
    bad = {columns["id"][row] for row in range(ROWS) if isinstance(columns["error"][row], str)}
    assert bad == BAD and {columns["error"][row] for row in range(ROWS) if columns["id"][row] in bad} == {"input 'a' is missing"}
    for row in order[::7]:
        name = columns["id"][row]
        if name not in BAD:
            np.testing.assert_allclose(np.ravel(columns["y"][row]), [2 * (name % 1000) + 0.5, 2.5, 4.5], err_msg=str(name))
    assert set(columns["model"]) == {digest(SUMS)}


def told(name, seconds):
    """A line for the one who runs the tests: rows a second."""
    path = os.environ.get("COREML_ENGINE_REPORT")
    if path:
        with open(path, "a") as file:
            file.write(f"{name}: {ROWS} rows in {seconds:.1f} s, {ROWS / seconds:.0f} rows/s\n")


def workers_of(words):
    """Processes below this one with these words in their command line."""
    found = []
    for line in subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout.splitlines()[1:]:
        # A process that is just beginning, or ending, has no arguments.
        pid, parent, *arguments = line.split(None, 2)
        found.append((int(pid), int(parent), "".join(arguments)))
    below, wanted = {os.getpid()}, []
    while True:
        more = {pid for pid, parent, _ in found if parent in below} - below
        if not more:
            break
        below |= more
    return [pid for pid, _, arguments in found if pid in below and pid != os.getpid() and words in arguments]


class Killer:
    """Kills one worker, once there is something to be seen of the work."""

    def __init__(self, ready, find):
        self.ready, self.find, self.killed = ready, find, None
        self.ended = False
        self.thread = threading.Thread(target=self._work, daemon=True)

    def _work(self):
        while not self.ended and not self.ready():
            time.sleep(0.01)
        while not self.ended and self.killed is None:
            for pid in self.find():
                try:
                    os.kill(pid, signal.SIGKILL)
                    self.killed = pid
                    return
                except ProcessLookupError:
                    pass
            time.sleep(0.01)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()


def parts_are_there(folder, count=3):
    return lambda: folder.exists() and len(list(folder.glob("part-*"))) >= count
