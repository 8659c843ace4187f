"""Shared by the engine tests: a table with some bad rows, and the check of its results."""
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
#: workers of Beam and Dask import these files by name
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(pathlib.Path(__file__).resolve().parent), os.environ.get("PYTHONPATH")]))
ROWS = int(os.environ.get("COREML_ENGINE_ROWS", "100000"))
BAD = frozenset(range(17, ROWS, 5003))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Parquet files with `id` and `a`, a [1, 3] list computed from `id` and null in the rows BAD."""
    folder = tmp_path_factory.mktemp("data")
    for number in range(4):
        first, end = ROWS * number // 4, ROWS * (number + 1) // 4
        rows = [None if row in BAD else [[row % 1000, 1.0, 2.0]] for row in range(first, end)]
        pq.write_table(pa.table({"id": range(first, end), "a": pa.array(rows, pa.list_(pa.list_(pa.float32())))}), folder / f"{number}.parquet")
    return folder


def check(columns):
    """Asserts that each row is there once, with the right result and digest, and bad rows with an error message.

    columns: lists by name.
    """
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
    """Appends the throughput in rows per second to the file COREML_ENGINE_REPORT, if set."""
    path = os.environ.get("COREML_ENGINE_REPORT")
    if path:
        with open(path, "a") as file:
            file.write(f"{name}: {ROWS} rows in {seconds:.1f} s, {ROWS / seconds:.0f} rows/s\n")


def workers_of(words):
    """The ids of descendant processes whose command line contains `words`."""
    found = []
    for line in subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout.splitlines()[1:]:
        # A process that is starting or exiting may have no arguments.
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
    """Kills one worker once `ready` reports the first results."""

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
