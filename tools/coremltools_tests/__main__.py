#!/usr/bin/env python3
"""Runs coremltools' own tests, which its wheel contains, with a stock coremltools and coreml_runtime.

Tests that compare with Core ML on macOS compare with this runtime.

    pip install dist/coreml_runtime-*.whl coremltools==9.0 pytest pytest-timeout pytest-asyncio parameterized mock pillow torch==2.7.0 scikit-learn==1.5.1 \\
        xgboost==1.4.2 libsvm-official==3.32.0 pandas requests numpy==1.26.4
    python3 tools/coremltools_tests REPORT converters/mil/mil/ops/tests test/neural_network --minutes 60
    python3 tools/coremltools_tests REPORT converters optimize test --per-function 4 --seed 2
    python3 tools/coremltools_tests REPORT converters optimize test --collect
    python3 tools/coremltools_tests REPORT --retry Timeout --seconds 900
    python3 tools/coremltools_tests REPORT [REPORT...] --fold
    python3 tools/coremltools_tests --page

Paths are folders and files in the package coremltools. All of their tests run, or with --per-function a few
parametrizations of each test function, selected by the seed. One process runs each file, or each part of a file with
many tests. A test that crashes its process has failed, and a new process runs the rest of the file.

REPORT has one line of JSON per test. A run skips tests that REPORT has and parts that results.json has completely, so
that many short runs can replace a run of days:
- --minutes ends the run after the current test.
- --fold merges reports into results.json.
- --page prints the page for docs: a table by family, the failures with their reasons (reasons.json), what has not run.
- --again reruns failed tests, including those of parts in results.json. The last result counts.
- --retry runs only the failures in results.json whose message contains the word (all, for an empty one), each
  separately. --fold of such a report replaces their results.
- --collect only records the number of tests.

A memory file system (TMPDIR) makes runs much faster. The tests would download the Boston housing table; the plugin
replaces it by a synthetic one.
"""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import time

import kept
import results
from page import page

FOLDER = pathlib.Path(__file__).resolve().parent
KEPT = FOLDER / "results.json"


def files_of(package, paths):
    """Yields the test files below the paths, in the order of the paths."""
    for path in paths:
        place = package / path
        if not place.exists():
            sys.exit(f"coremltools has no {path}")
        for file in sorted(place.rglob("test_*.py")) if place.is_dir() else [place]:
            yield str(file.relative_to(package))


def pytest(*options, until):
    return subprocess.run([
        sys.executable, "-m", "pytest", "-p", "plugin", "-p", "no:cacheprovider", "--rootdir", ".", "-q", "--no-header", "--tb=short", "-W", "ignore",
        *options], env={**os.environ, "CT_UNTIL": str(until)}).returncode


def run(file, part, parts, given, end):
    """Runs one part of a file in a process. Starts another one for the rest if a test crashes it."""
    running = pathlib.Path(f"{given.report}.running")
    while True:
        running.unlink(missing_ok=True)
        os.environ["CT_PART"] = f"{part}/{parts}"
        status = pytest("--timeout", str(given.seconds), file, until=end)
        if not running.exists():
            return
        results.write(given.report, {
            "id": running.read_text(), "outcome": "failed", "xfail": False, "strict": [], "events": {"predict": 1}, "refused": [], "seconds": 0,
            "error": f"the process ended with {status}"})


def library():
    """The version of the library under test."""
    import coreml_runtime

    return coreml_runtime.__version__


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("report", nargs="?", type=pathlib.Path)
    options.add_argument("paths", nargs="*")
    options.add_argument("--per-function", type=int, default=0, help="0: all")
    options.add_argument("--seed", default="1")
    options.add_argument("--minutes", type=float, default=float("inf"), help="time limit of the run")
    options.add_argument("--seconds", type=int, default=120, help="time limit of a test")
    options.add_argument("--again", action="store_true", help="also run failed tests again")
    options.add_argument("--retry", metavar="WORD", help="run only the failures in results.json whose message contains WORD")
    options.add_argument("--collect", action="store_true")
    options.add_argument("--fold", action="store_true")
    options.add_argument("--page", action="store_true")
    given = options.parse_intermixed_args()
    if given.page:
        print(page(kept.read(KEPT)))
        return 0
    if given.fold:
        kept.fold(KEPT, [given.report, *given.paths], library())
        return 0
    if not given.paths and given.retry is None:
        options.error("no tests are named")
    given.report = given.report.resolve()
    package = pathlib.Path(importlib.util.find_spec("coremltools").origin).parent
    os.environ.update(
        CT_REPORT=str(given.report), CT_PER_FUNCTION=str(given.per_function), CT_SEED=given.seed, CT_PART="1/1",
        CT_AGAIN="1" if given.again else "", OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")])))
    # The tests import each other relative to the package folder.
    os.chdir(package)
    if given.collect:
        return pytest("--collect-only", "-qq", *files_of(package, given.paths), until=0)
    end = time.time() + 60 * given.minutes
    known = kept.read(KEPT)
    if given.retry is not None:
        os.environ["CT_RETRY"] = "1"
        given.report.touch()
        for name in kept.failures(known, given.retry):
            if time.time() < end:
                print(f"== {name}", flush=True)
                pytest("--timeout", str(given.seconds), name, until=end)
        return 0
    for file in files_of(package, given.paths):
        parts = kept.parts_of(file, known)
        for part in range(1, parts + 1):
            if time.time() < end and (given.again or not kept.is_there(file, part, parts, known)):
                print(f"== {file} {part}/{parts}", flush=True)
                run(file, part, parts, given, end)


if __name__ == "__main__":
    sys.exit(main())
