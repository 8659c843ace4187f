"""Threads, forks, signals, the event loop."""
import asyncio
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from conftest import MODELS
from coreml_runtime import Error, Model, _library


def test_threads(sums):
    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(30):
            a = random.random((random.integers(1, 9), 3), np.float32)
            np.testing.assert_allclose(sums.predict({"a": a})["y"], 2 * a + 0.5, rtol=1e-6)
        return seed

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(32))) == list(range(32))


@pytest.fixture
def endless():
    """A model that loops while x / 2 + 1 is positive."""
    return Model(MODELS / "endless.mlmodel")


@pytest.fixture
def interruptible():
    """Restores Python's SIGINT handler: shells start background processes with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_other_threads_run_meanwhile_and_ctrl_c_is_heard(endless, interruptible):
    ticks = []

    def interrupt():
        for _ in range(5):
            time.sleep(0.05)
            ticks.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        endless.predict({endless.inputs[0].name: np.ones(endless.inputs[0].shape, np.float32)})
    thread.join()
    assert len(ticks) == 5 and time.monotonic() - began < 120
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        endless.predict_batch({endless.inputs[0].name: np.ones((3, *endless.inputs[0].shape), np.float32)})


@pytest.mark.parametrize("signals", [1, 3])
def test_nothing_runs_after_ctrl_c(endless, interruptible, signals):
    """The library reads the caller's memory, so a call waits for its end even after several interrupts."""
    interrupts = []

    def interrupt():
        for _ in range(signals):
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)

    def hearing(call):
        try:
            call()
        except KeyboardInterrupt:
            interrupts.append(call)

    thread = threading.Thread(target=interrupt)
    thread.start()
    hearing(lambda: endless.predict({endless.inputs[0].name: np.ones(endless.inputs[0].shape, np.float32)}))
    running = [each.name for each in threading.enumerate() if each.name == "coreml_runtime"]
    while thread.is_alive():
        hearing(lambda: time.sleep(0.05))
    hearing(lambda: time.sleep(0.05))
    assert interrupts and not running and not _library._at_work


def test_the_event_loop(sums, endless, a):
    async def work():
        results = await asyncio.gather(*(sums.predict_async({"a": a + number}) for number in range(8)))
        task = asyncio.ensure_future(endless.predict_async({endless.inputs[0].name: np.ones(endless.inputs[0].shape, np.float32)}))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(Error):
            await sums.predict_async({"a": "x"})
        return results

    for number, result in enumerate(asyncio.run(work())):
        np.testing.assert_array_equal(result["y"], 2 * (a + number) + 0.5)


def child(work):
    """Runs `work` in a forked child; returns the string that it returns."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, work().encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        said = file.read()
    assert os.waitpid(pid, 0)[1] == 0
    return said


def test_a_fork_after_use_says_so(sums, a):
    sums.predict({"a": a})

    def work():
        try:
            sums.predict({"a": a})
        except Error as error:
            return error.code
        return "predicted"

    assert child(work) == "python.forked"
    assert sums.predict({"a": a})["z"] == a.sum()


def run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_takes_long_is_not_imported():
    assert run("""
import sys, numpy
before = set(sys.modules)
import coreml_runtime
print(sorted({"asyncio", "html", "PIL", "pyarrow", "pandas", "ml_dtypes", "tqdm"} & (set(sys.modules) - before)))
""") == "[]\n"


def test_a_fork_before_use_predicts():
    assert run(f"""
import os, coreml_runtime, multiprocessing, numpy as np
def work(number):
    return float(coreml_runtime.Model({str(MODELS / 'sums.mlmodel')!r}).predict(a=np.full((1, 3), number, np.float32))["z"][0])
with multiprocessing.get_context("fork").Pool(4) as pool:
    print(pool.map(work, range(8)))
""") == "[0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0]\n"


def test_it_ends_with_models_open_and_predictions_running():
    run(f"""
import coreml_runtime, threading, numpy as np, time
model = coreml_runtime.Model({str(MODELS / 'endless.mlmodel')!r})
threading.Thread(target=lambda: model.predict({{model.inputs[0].name: np.ones(model.inputs[0].shape, np.float32)}}), daemon=True).start()
time.sleep(0.3)
""")


def test_another_openblas_keeps_its_threads(tmp_path):
    run(f"""
import numpy as np, coreml_runtime
a = np.random.rand(300, 300)
before = a @ a
coreml_runtime.Model({str(MODELS / 'sums.mlmodel')!r}).predict(a=np.ones((1, 3)))
np.testing.assert_array_equal(before, a @ a)
""")


def test_a_stop_ends_what_its_threads_do():
    """It cancels running calls and prevents new ones, and `except Exception` does not catch it."""
    import threading

    from coreml_runtime import _library

    stop, begun, cancelled = _library.Stop(), threading.Event(), threading.Event()
    found = []

    def work():
        stop.join()
        try:
            _library.interruptible(lambda: (begun.set(), cancelled.wait(10)), cancelled.set)
        except Exception as error:  # the handler for failed rows must not catch it
            found.append(error)
        except BaseException as ended:
            found.append(type(ended))
        try:
            _library.interruptible(lambda: found.append("went on"))
        except _library.Stopped:
            found.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    stop.set()
    thread.join(10)
    assert found == [_library.Stopped, "stopped"]
    # It does not affect other threads of the process.
    assert _library.interruptible(lambda: 3) == 3
