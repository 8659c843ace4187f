#!/usr/bin/env python3
"""Load test of coreml_runtime: threads and forked processes predict concurrently under a memory limit.

    python3 tools/python_load.py --minutes 60       200 threads, and 8 processes forked before a model is opened
    python3 tools/python_load.py --loads 10000      loads and unloads; memory must end within 5 MB of the 100th load

Needs the package: the wheel, or PYTHONPATH=python with COREML_RUNTIME_LIBRARY=.build/debug/libcoreml_runtime.so. The
exit status is 1 if a prediction was wrong, a thread raised, a process ended early, or memory grew.
"""
import argparse
import gc
import json
import os
import pathlib
import resource
import sys
import threading
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
DIGITS = CHECKOUT / "examples/digits"
SUMS = CHECKOUT / "Tests/Cases/interface/sums.mlmodel"
MARKS = 24  # number of memory samples per process


def resident():
    """Resident memory of this process in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def grows(marks, most):
    """Whether the median of the last third of the samples exceeds that of the second third by more than `most` MB."""
    third = len(marks) // 3
    before, last = sorted(marks[third:2 * third]), sorted(marks[2 * third:])
    return last[len(last) // 2] - before[len(before) // 2] > most


def predictions(threads, given):
    """Predicts with `threads` threads in this process; returns the results."""
    resource.setrlimit(resource.RLIMIT_AS, (given.address_space << 30, given.address_space << 30))
    import coreml_runtime
    import numpy as np

    digits = coreml_runtime.Model(DIGITS / "Digits.mlpackage", memory_limit=given.memory)
    sums = coreml_runtime.Model(SUMS, memory_limit=given.memory)
    pictures = {path.stem: path.read_bytes() for path in DIGITS.glob("*.png")}
    expected = {name: digits.predict(image=data) for name, data in pictures.items()}
    told = {"predictions": [0] * threads, "wrong": [], "marks": []}
    end = time.monotonic() + 60 * given.minutes

    def work(number):
        random = np.random.default_rng(number)
        try:
            while time.monotonic() < end:
                a = random.integers(-50, 50, (int(random.integers(1, 9)), 3)).astype(np.float32)
                made = sums.predict(a=a)
                if not np.array_equal(made["y"], 2 * a + 0.5) or made["z"] != a.sum():
                    told["wrong"].append(f"sums of {a.tolist()}: {made}")
                told["predictions"][number] += 1
                if told["predictions"][number] % 20 == 1:
                    name = list(pictures)[number % len(pictures)]
                    if digits.predict(image=pictures[name]) != expected[name]:
                        told["wrong"].append(f"the picture {name}")
        except Exception as error:  # noqa: BLE001  the report has it
            told["wrong"].append(f"{type(error).__name__}: {error}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for mark in range(MARKS):
        time.sleep(max(0, end - time.monotonic()) / (MARKS - mark))
        told["marks"].append(round(resident(), 1))
    for worker in workers:
        worker.join()
    return told


def forked(given):
    """Forks a process that predicts and writes its results to a pipe; returns (pid, read end of the pipe)."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        status = 1
        try:
            with os.fdopen(write, "w") as file:
                json.dump(predictions(given.threads_each, given), file)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    return pid, os.fdopen(read)


def predict(given):
    processes = [forked(given) for _ in range(given.processes)]
    results = [(f"{given.threads} threads", predictions(given.threads, given))]
    failed = False
    for number, (pid, file) in enumerate(processes):
        said = file.read()
        status = os.waitpid(pid, 0)[1]
        if status or not said:
            print(f"process {number} ended with {status}")
            failed = True
        else:
            results.append((f"process {number}", json.loads(said)))
    for name, told in results:
        marks, counts = told["marks"], told["predictions"]
        wrong = len(told["wrong"])
        grew = grows(marks, given.growth)
        print(f"{name}: {sum(counts):,} predictions, the slowest thread {min(counts):,}; {wrong} wrong; MB {marks[0]:.0f} at first, "
              f"{marks[len(marks) // 3]:.0f}, {marks[2 * len(marks) // 3]:.0f}, {marks[-1]:.0f} at last{'; it grew' if grew else ''}")
        for sentence in told["wrong"][:3]:
            print("   ", sentence)
        failed |= bool(wrong) or grew or min(counts) == 0
    return 1 if failed else 0


def load(given):
    import coreml_runtime

    first = 0
    for number in range(given.loads + 1):
        model = coreml_runtime.Model(DIGITS / "Digits.mlpackage" if number % 2 else SUMS)
        if number % 10 < 2:
            model.predict(DIGITS / "seven.png") if number % 2 else model.predict(a=[[1, 2, 3]])
        if number % 3:
            model.close()
        del model
        if number == 100 or number % 1000 == 0:
            gc.collect()
            first = resident() if number == 100 else first
            print(f"{number:,} loads: {resident():.1f} MB, {len(os.listdir('/proc/self/fd'))} files, {len(os.listdir('/proc/self/task'))} threads", flush=True)
    gc.collect()
    print(f"from the hundredth load on: {resident() - first:+.1f} MB")
    return 1 if resident() - first > 5 else 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--threads", type=int, default=200)
    options.add_argument("--processes", type=int, default=8)
    options.add_argument("--threads-each", type=int, default=8, help="of each forked process")
    options.add_argument("--memory", default="64M", help="memory limit of the models")
    options.add_argument("--address-space", type=int, default=6, help="limit of the address space of a process in GB")
    options.add_argument("--growth", type=float, default=10, help="allowed growth between the last two thirds of the run, in MB")
    options.add_argument("--loads", type=int)
    given = options.parse_args()
    return load(given) if given.loads else predict(given)


if __name__ == "__main__":
    sys.exit(main())
