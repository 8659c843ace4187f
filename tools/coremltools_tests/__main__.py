#!/usr/bin/env python3
"""Runs coremltools' own tests, which its wheel contains, with a stock coremltools and coreml_runtime beside it: where they compare with Core ML on
macOS they compare with this runtime here.

    pip install dist/coreml_runtime-*.whl coremltools==9.0 pytest pytest-timeout parameterized mock pillow torch==2.7.0 scikit-learn==1.5.1 \\
        xgboost==1.7.6 pandas requests numpy==1.26.4
    python3 tools/coremltools_tests REPORT converters/mil/mil/ops/tests test/neural_network --minutes 60
    python3 tools/coremltools_tests REPORT converters optimize test --per-function 4 --seed 2
    python3 tools/coremltools_tests REPORT [REPORT...] --summary

Paths are folders and files below coremltools. All of their tests run, or with --per-function a few parametrisations of each test function, chosen by
the seed. A process runs each file. What REPORT (a line of JSON a test) has already is left out, so that a run of days is many short ones: --minutes
ends one after the test that is at work then, and --shard 2/5 takes the second fifth, on another machine or into another report. A test that ended
its process has failed, and the file goes on. --again runs those that failed once more; what is written last counts.

--summary writes the page of docs: a table by family, the failures with their reasons (reasons.json), and what has not run.
On a memory file system (TMPDIR) it is much faster. The tests would download one table of houses: one made like it is in its place.
"""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import time

import results

FOLDER = pathlib.Path(__file__).resolve().parent


def files_of(package, paths):
    """The files of tests below the paths, in the paths' order."""
    for path in paths:
        place = package / path
        if not place.exists():
            sys.exit(f"coremltools has no {path}")
        for file in sorted(place.rglob("test_*.py")) if place.is_dir() else [place]:
            yield str(file.relative_to(package))


def run(file, given, end):
    """pytest's for one file, begun again after a test that ended the process."""
    running = pathlib.Path(f"{given.report}.running")
    while True:
        running.unlink(missing_ok=True)
        status = subprocess.run([
            sys.executable, "-m", "pytest", "-p", "plugin", "-p", "no:cacheprovider", "--rootdir", ".", "-q", "--no-header", "--tb=short", "-W", "ignore",
            "--timeout", str(given.seconds), file], env={**os.environ, "CT_UNTIL": str(end)}).returncode
        if not running.exists():
            return
        results.write(given.report, {
            "id": running.read_text(), "outcome": "failed", "xfail": False, "strict": [], "events": {"predict": 1}, "refused": [], "seconds": 0,
            "error": f"the process ended with {status}"})


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("report", type=pathlib.Path)
    options.add_argument("paths", nargs="*")
    options.add_argument("--per-function", type=int, default=0, help="0: all")
    options.add_argument("--seed", default="1")
    options.add_argument("--shard", default="1/1")
    options.add_argument("--minutes", type=float, default=float("inf"), help="the longest the run may take")
    options.add_argument("--seconds", type=int, default=120, help="the longest a test may take")
    options.add_argument("--again", action="store_true", help="those that failed too")
    options.add_argument("--summary", action="store_true")
    given = options.parse_intermixed_args()
    if given.summary:
        return results.page([given.report, *given.paths])
    if not given.paths:
        options.error("no tests are named")
    given.report = given.report.resolve()
    package = pathlib.Path(importlib.util.find_spec("coremltools").origin).parent
    os.environ.update(
        CT_REPORT=str(given.report), CT_PER_FUNCTION=str(given.per_function), CT_SEED=given.seed, CT_SHARD=given.shard,
        CT_AGAIN="1" if given.again else "", OMP_NUM_THREADS="1", PYTHONPATH=os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")])))
    # The tests import one another by their place in the package.
    os.chdir(package)
    end = time.time() + 60 * given.minutes
    known, collected = results.read([given.report]) if given.report.exists() else ({}, {})
    done = results.by_file(test for test in known.values() if not (given.again and results.outcome(test) == "failed"))
    for file in files_of(package, given.paths):
        if time.time() >= end:
            break
        if file in collected and len(done[file]) >= collected[file]["collected"] and not collected[file]["error"]:
            continue
        print(f"== {file}", flush=True)
        run(file, given, end)


if __name__ == "__main__":
    sys.exit(main())
