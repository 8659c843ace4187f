#!/usr/bin/env python3
"""Runs coremltools' own tests, which its wheel contains, with a stock coremltools and coreml_runtime beside it: where they compare with Core ML on
macOS they compare with this runtime here.

    pip install dist/coreml_runtime-*.whl coremltools==9.0 pytest pytest-timeout parameterized mock pillow torch==2.7.0 scikit-learn==1.5.1 xgboost
    python3 tools/coremltools_tests REPORT converters/mil/mil/ops/tests test/neural_network [--per-function 4] [--seed 1]
    python3 tools/coremltools_tests REPORT --summary

Paths are folders and files below coremltools. Of each test function a few parametrisations run, chosen by the seed, or all with --per-function 0;
what REPORT (a line of JSON a test) has already is left out, so another run goes on with others; a test that ended the process has failed, once
the next run is begun. On a memory file system (TMPDIR) it is much faster.
The tests would download one table of houses: one made like it is in its place.
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def family(name):
    """The folder of a test, two deep: `test/neural_network`, `converters/mil`."""
    return "/".join(name.split("::")[0].split("/")[:2])


def summary(path):
    counts, families = collections.Counter(), collections.defaultdict(collections.Counter)
    for line in open(path):
        test = json.loads(line)
        outcome = "expected to fail" if test["xfail"] else test["outcome"]
        counts[outcome] += 1
        row = families[family(test["id"])]
        row[outcome] += 1
        row["predicts"] += bool(test["events"].get("predict") or test["refused"])
        row["predicts and fails"] += bool(test["events"].get("predict") or test["refused"]) and outcome == "failed"
        if outcome == "failed" or test["strict"]:
            print(outcome, test["id"])
            for sentence in test["refused"][:2]:
                print("    refused:", sentence[:300])
            if test["strict"]:
                print("    differs by", max(test["strict"]), "of the largest number")
            if test["outcome"] == "failed":
                print("    ", " / ".join(test.get("error", "")[:400].split("\n")), test.get("where", [])[-1:])
    columns = ["passed", "failed", "skipped", "expected to fail", "predicts", "predicts and fails"]
    print("| family | " + " | ".join(columns) + " |\n| --- |" + " --- |" * len(columns))
    for name, row in sorted(families.items()):
        print(f"| {name} | " + " | ".join(str(row[column]) for column in columns) + " |")
    print(dict(counts))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("report", type=pathlib.Path)
    options.add_argument("paths", nargs="*")
    options.add_argument("--per-function", type=int, default=4, help="0: all")
    options.add_argument("--seed", default="1")
    options.add_argument("--seconds", type=int, default=120, help="the longest a test may take")
    options.add_argument("--summary", action="store_true")
    given = options.parse_intermixed_args()
    if given.summary:
        return summary(given.report)
    if not given.paths:
        options.error("no tests are named")
    os.environ.update(
        CT_REPORT=str(given.report.resolve()), CT_PER_FUNCTION=str(given.per_function or 1 << 30), CT_SEED=given.seed,
        OMP_NUM_THREADS="1")
    sys.path.insert(0, str(FOLDER))
    # The tests import one another by their place in the package.
    os.chdir(pathlib.Path(importlib.util.find_spec("coremltools").origin).parent)
    import pytest
    return pytest.main(["-p", "plugin", "-p", "no:cacheprovider", "-q", "--no-header", "--tb=short", "-W", "ignore", "--continue-on-collection-errors",
                        "--timeout", str(given.seconds), *given.paths])


if __name__ == "__main__":
    sys.exit(main())
