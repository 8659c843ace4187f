"""The engine "beam": runs the parts of a batch in Beam pipelines.

Beam's direct runner waits forever for a killed worker. So the pipeline runs in a child process, which exits when a
worker dies. A new pipeline then runs the parts that have no file yet. The child and its workers share a process group,
which is killed at the end.
"""
import base64
import contextlib
import json
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

from ._library import Error

#: retries after a pipeline that finished no part
RETRIES = 3
#: exit status of a pipeline that a remote runner rejected; it is not retried
REFUSED = 69
#: polling interval for the files of parts, in seconds
SECONDS = 0.1
MARK = "coreml_runtime.Error="


def options(address, workers):
    """Beam's command-line options. Not DirectRunner: it prefers Prism, which ignores the options for workers."""
    if address is None:
        return ["--runner=FnApiRunner", "--direct_running_mode=multi_processing", f"--direct_num_workers={workers}"]
    if address.startswith("-"):
        return shlex.split(address)
    return ["--runner=PortableRunner", f"--job_endpoint={address}", "--environment_type=LOOPBACK"]


def parts(task, parts, address, workers, threads):
    """Runs the parts of a batch in Beam. Yields (name, rows, failed rows) of each part when its file appears.

    address: a job service ("localhost:8099"; this machine does the work), or Beam options ("--runner=FlinkRunner ...").
    """
    cores = len(os.sched_getaffinity(0))
    workers = workers or cores
    threads = threads or (max(1, cores // workers) if address is None else 1)
    left = {os.path.basename(task.path(part)): part for part in parts}
    fruitless = 0
    while left:
        before = len(left)
        with _Pipeline(task, list(left.values()), threads, options(address, workers), address is not None) as pipeline:
            has_ended = False
            while not has_ended:
                has_ended = pipeline.wait()
                # List the files after the check for its end, so that no part is missed.
                for name in left.keys() & set(os.listdir(task.folder)):
                    yield task.written(left.pop(name))
                if not left and address is None:
                    return  # the parts are done; the rest of the local pipeline is not needed
                pipeline.check()
        if pipeline.status == 0:
            return  # `batch.run` reports parts whose files it does not find
        fruitless = fruitless + 1 if len(left) == before else 0
        if left and (pipeline.status == REFUSED or fruitless > RETRIES):
            where = f" ({address})" if address else ""
            raise Error(f"Beam{where} left {len(left)} of the parts undone: {pipeline.last()}", "python.engine", Error.FAILED)


class _Pipeline:
    """A child process that runs a pipeline, and its output."""

    def __init__(self, *work):
        self.work, self.status, self.said, self.read = work, None, b"", 0

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main()"], stdin=subprocess.PIPE, stdout=self.file, stderr=self.file,
            start_new_session=True)
        try:
            with contextlib.suppress(BrokenPipeError):
                pickle.dump(self.work, self.process.stdin)
                self.process.stdin.flush()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Kill before the wait: until then no other process can get its id, which is also the group's id.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.status = self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self._hear()
        self.file.close()

    def wait(self):
        """Sleeps for SECONDS; returns whether the process has ended."""
        time.sleep(SECONDS)
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _hear(self):
        # Workers write at this descriptor's file offset, so pread must not move it.
        while more := os.pread(self.file.fileno(), 1 << 20, self.read):
            self.read += len(more)
            self.said = (self.said + more)[-(1 << 20):]

    def check(self):
        """Raises the ``Error`` that a part has printed, if any."""
        self._hear()
        found = re.search(MARK.encode() + rb"([\w+/]+=*);", self.said)
        if found:
            raise Error(*json.loads(base64.b64decode(found[1])))

    def last(self):
        """The last line of the output that is an error, else the last line."""
        lines = [line.strip() for line in self.said.decode(errors="replace").splitlines() if line.strip()]
        return next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception): ", line)), lines[-1] if lines else f"status {self.status}")


class Failed(Exception):
    """Carries an ``Error`` through a runner, encoded in its message, because runners pass on only text."""


def work(part, task, threads):
    try:
        return task(part, threads)
    except Error as error:
        told = base64.b64encode(json.dumps([error.message, error.code, error.status]).encode()).decode()
        # Print it at once, too: the runner reports the exception only after the other workers have ended.
        print(f"{MARK}{told};", file=sys.stderr, flush=True)
        raise Failed(f"{error} ({MARK}{told};)") from None


def _stop_without_parent():
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


def _stop_without_worker(told):
    threading.__excepthook__(told)
    if told.thread is not None and told.thread.name == "run_worker":
        os._exit(1)


def main():
    """The child process: unpickles its work from stdin and runs the pipeline. Exits if its parent or a worker does."""
    task, parts, threads, flags, is_elsewhere = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_stop_without_parent, daemon=True).start()
    threading.excepthook = _stop_without_worker
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions

    from coreml_runtime import _beam_parts

    status = REFUSED if is_elsewhere else 1
    try:
        pipeline = beam.Pipeline(options=PipelineOptions(flags))
        pipeline | beam.Create(parts) | beam.Reshuffle() | beam.Map(_beam_parts.work, task, threads)
        result = pipeline.run()
        status = 1
        result.wait_until_finish()
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)
