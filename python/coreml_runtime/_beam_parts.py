"""The parts of a batch in Beam.

Beam's direct runner waits for ever for a worker that was killed. So the pipeline runs in a process of its own, which ends when a worker does; the
parts that have no file then go into another one. All that it starts is in its process group, which is killed at the end.
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

#: pipelines in a row that bring no part, beside the first of them
RETRIES = 3
#: the status of a pipeline that a runner elsewhere did not take; it is not tried again
REFUSED = 69
#: how often the files are looked for
SECONDS = 0.1
MARK = "coreml_runtime.Error="


def options(address, workers):
    """Beam's options. Not DirectRunner: that one gives the pipeline to Prism where it can have it, which knows nothing of these workers."""
    if address is None:
        return ["--runner=FnApiRunner", "--direct_running_mode=multi_processing", f"--direct_num_workers={workers}"]
    if address.startswith("-"):
        return shlex.split(address)
    return ["--runner=PortableRunner", f"--job_endpoint={address}", "--environment_type=LOOPBACK"]


def parts(task, parts, address, workers, threads):
    """Has Beam do the parts of a batch: (name, rows, failed) of each, as their files come.

    address: a job service ("localhost:8099"; the work is done on this machine), or options of Beam's ("--runner=FlinkRunner ...").
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
                # Looked for after its end, so that no part is missed.
                for name in left.keys() & set(os.listdir(task.folder)):
                    yield task.written(left.pop(name))
                if not left and address is None:
                    return  # what is left to do is its own, and is no one's
                pipeline.check()
        if pipeline.status == 0:
            return  # the batch tells of parts that are not where it looks
        fruitless = fruitless + 1 if len(left) == before else 0
        if left and (pipeline.status == REFUSED or fruitless > RETRIES):
            where = f" ({address})" if address else ""
            raise Error(f"Beam{where} left {len(left)} of the parts undone: {pipeline.last()}", "python.engine", Error.FAILED)


class _Pipeline:
    """A process with a pipeline, and what it says."""

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
        # Before it is waited for: until then its number, which is the group's, is no other process's.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.status = self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self._hear()
        self.file.close()

    def wait(self):
        """A moment; whether it has ended."""
        time.sleep(SECONDS)
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _hear(self):
        # Workers write where this file's own place is, so that place stays theirs.
        while more := os.pread(self.file.fileno(), 1 << 20, self.read):
            self.read += len(more)
            self.said = (self.said + more)[-(1 << 20):]

    def check(self):
        """Raises the error that a part had."""
        self._hear()
        found = re.search(MARK.encode() + rb"([\w+/]+=*);", self.said)
        if found:
            raise Error(*json.loads(base64.b64decode(found[1])))

    def last(self):
        """The last error that it tells of."""
        lines = [line.strip() for line in self.said.decode(errors="replace").splitlines() if line.strip()]
        return next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception): ", line)), lines[-1] if lines else f"status {self.status}")


class Failed(Exception):
    """An error of the library's on its way through a runner, which passes texts on."""


def work(part, task, threads):
    try:
        return task(part, threads)
    except Error as error:
        told = base64.b64encode(json.dumps([error.message, error.code, error.status]).encode()).decode()
        # Said at once, too: the runner tells of it when the other workers have ended.
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
    """The process: runs a pipeline of what comes on its input, and ends when the one who started it does, or a worker."""
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
