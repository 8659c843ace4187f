#!/usr/bin/env python3
"""Runs coremltools' own tests, which its wheel contains, with this runtime as the predictor: where they compare with Core ML on
macOS they compare with the `conformance` executable here.

    pip install coremltools==9.0 pytest pytest-timeout parameterized mock pillow torch==2.7.0 scikit-learn==1.5.1 numpy==1.26.4
    swift build -c release --static-swift-stdlib --product conformance
    python3 tools/coremltools_tests REPORT converters/mil/mil/ops/tests test/neural_network [--per-function 4] [--seed 1]
    python3 tools/coremltools_tests REPORT --summary

Paths are folders and files below coremltools. Of each test function a few parametrisations run, chosen by the seed; what REPORT (a line
of JSON a test) has already is left out, so another run goes on with others. Of every test that fails, is refused or is close only within
half precision's wide tolerance, the cases are kept in REPORT.cases. Needs room in TMPDIR; on a memory file system it is much faster.
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def summary(path):
    counts = collections.Counter()
    for line in open(path):
        test = json.loads(line)
        counts[test["outcome"] + (", expected to fail" if test["xfail"] else "")] += 1
        counts["with a prediction"] += bool(test["events"].get("predict"))
        if test["outcome"] == "failed" or test["refused"] or test["strict"]:
            print(test["outcome"], test["id"], test.get("kept", ""))
            for sentence in test["refused"][:2]:
                print("    refused:", sentence[:300])
            if test["strict"]:
                print("    differs by", max(test["strict"]), "of the largest number")
            if test["outcome"] == "failed":
                print("    ", " / ".join(test["error"][:400].split("\n")), test["where"][-1:])
    print(dict(counts))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("report", type=pathlib.Path)
    options.add_argument("paths", nargs="*")
    options.add_argument("--per-function", type=int, default=4)
    options.add_argument("--seed", default="1")
    options.add_argument("--seconds", type=int, default=120, help="the longest a test may take")
    options.add_argument("--executable", type=pathlib.Path, default=FOLDER.parent.parent / ".build/release/conformance")
    options.add_argument("--summary", action="store_true")
    given = options.parse_intermixed_args()
    if given.summary:
        return summary(given.report)
    if not given.paths:
        options.error("no tests are named")
    if not given.executable.exists():
        sys.exit(f"{given.executable} is missing: swift build -c release --static-swift-stdlib --product conformance")
    os.environ.update(
        CT_REPORT=str(given.report.resolve()), CT_PER_FUNCTION=str(given.per_function), CT_SEED=given.seed,
        CT_EXECUTABLE=str(given.executable.resolve()), OMP_NUM_THREADS="1")
    sys.path.insert(0, str(FOLDER))
    # The tests import one another by their place in the package.
    os.chdir(pathlib.Path(importlib.util.find_spec("coremltools").origin).parent)
    import pytest
    return pytest.main(["-p", "plugin", "-p", "no:cacheprovider", "-q", "--no-header", "--tb=short", "-W", "ignore", "--continue-on-collection-errors",
                        "--timeout", str(given.seconds), *given.paths])


if __name__ == "__main__":
    sys.exit(main())
