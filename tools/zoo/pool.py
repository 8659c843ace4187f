"""Runs each case in its own process, so that a crash or a hang fails only that case.

The limit is for CPU time, so that a busy machine causes no failures. A process that waits forever is killed after
PATIENCE times the limit in wall time.
"""
import json
import os
import resource
import signal
import sys
import tempfile
import time

PATIENCE = 10


def child(attempt, case, precision, out, limit):
    """The child process; never returns. Writes the outcome to the file `out` and prints to `out`.log."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (max(1, round(limit)), resource.RLIM_INFINITY))
    log = os.open(f"{out}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    result = attempt(case, precision)
    with open(out, "w") as file:
        json.dump(result, file)
    sys.stdout.flush()
    os._exit(0)


def outcome(case, precision, out, status, seconds):
    """The child's result, or the outcome that its exit status implies."""
    if os.path.exists(out) and status == 0:
        with open(out) as file:
            return {**json.load(file), "seconds": round(seconds, 1)}
    if status is None or status == -signal.SIGXCPU:
        ending = {"outcome": "hung", "detail": "no answer within the limit"}
    else:
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        with open(f"{out}.log", errors="replace") as file:
            ending = {"outcome": "crashed", "detail": how, "trace": file.read()[-2000:]}
    return {"case": case.name, "precision": precision, **ending, "seconds": round(seconds, 1)}


def run(attempt, pending, jobs, limit):
    """Yields `attempt(case, precision)` for each pair, as they finish.

    `jobs` processes run concurrently, each for at most `limit` seconds of CPU time.
    """
    pending, running = list(pending)[::-1], {}
    with tempfile.TemporaryDirectory() as folder:
        while pending or running:
            while pending and len(running) < jobs:
                case, precision = pending.pop()
                out = f"{folder}/{len(pending)}"
                pid = os.fork()
                if pid == 0:
                    try:
                        child(attempt, case, precision, out, limit)
                    finally:
                        os._exit(70)
                running[pid] = (case, precision, out, time.monotonic())
            for pid, (case, precision, out, began) in list(running.items()):
                seconds = time.monotonic() - began
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    status = os.waitstatus_to_exitcode(status)
                elif seconds > limit * PATIENCE:
                    os.killpg(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    status = None
                else:
                    continue
                del running[pid]
                yield outcome(case, precision, out, status, seconds)
            time.sleep(0.05)
