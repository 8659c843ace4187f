"""The pytest plugin: selects tests and records their results.

coremltools is unmodified; the finder of coreml_runtime provides the native module that it loads on a Mac.
"""
import collections
import hashlib
import os
import random
import sys
import time

import numpy as np
import pytest

import kept
import results

import coremltools
from coremltools import _deps, libcoremlpython

assert _deps._IS_MACOS, "coreml_runtime's finder is not at work: the tests would predict nothing"
assert libcoremlpython._MLModelProxy.__module__ == "coreml_runtime._coremltools", "coreml_runtime is not installed beside coremltools"


def housing():
    """A synthetic replacement for the Boston housing data, which the tests would download.

    506 rows of rates, flags, small and large integers, and a price computed from them.
    """
    random_numbers = np.random.RandomState(1978)
    n = 506
    columns = [
        random_numbers.lognormal(0, 2, n), random_numbers.choice([0, 0, 12.5, 25, 80], n), random_numbers.uniform(0.5, 27, n),
        random_numbers.randint(0, 2, n), random_numbers.uniform(0.38, 0.87, n), random_numbers.normal(6.3, 0.7, n),
        random_numbers.uniform(3, 100, n), random_numbers.uniform(1.1, 12, n), random_numbers.choice([1, 2, 3, 4, 5, 6, 7, 8, 24], n),
        random_numbers.randint(187, 712, n), random_numbers.uniform(12.6, 22, n), random_numbers.uniform(0.3, 397, n),
        random_numbers.uniform(1.7, 38, n)]
    data = np.ascontiguousarray(np.stack(columns, 1).round(4))
    target = np.clip(9 * data[:, 5] - 0.5 * data[:, 12] - 2 * data[:, 4] - 24 + random_numbers.normal(0, 3, n), 5, 50).round(1)
    names = "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT".split()
    return {"data": data, "target": target, "feature_names": np.array(names, dtype="<U7")}


try:
    from coremltools.test import utils

    utils.load_boston = housing
except ImportError:  # pandas or requests is missing; the tests that need them skip
    pass

try:
    import libsvm
    from libsvm import svm, svmutil

    # The module names of the libsvm version that the tests were written for.
    sys.modules.update(svm=svm, svmutil=svmutil)
    libsvm.__version__ = getattr(libsvm, "__version__", "3.32")
except ImportError:
    pass

REPORT = os.environ["CT_REPORT"]
RUNNING = REPORT + ".running"  # has the id of the running test; after a crash, of the test that crashed
COUNT = int(os.environ["CT_PER_FUNCTION"]) or None
PART, PARTS = map(int, os.environ["CT_PART"].split("/"))
UNTIL = float(os.environ["CT_UNTIL"])
EVENTS = []  # of the running test: ("load" | "predict" | "refused", message)
STRICT = []  # differences in the running test that only the wide fp16 tolerance accepts


def watched(actual, desired, rtol=1e-7, atol=0, *arguments, **options):
    __tracebackhide__ = True
    compare(actual, desired, rtol, atol, *arguments, **options)
    if atol < 0.5 and rtol < 0.05:
        return
    actual, desired = np.asarray(actual, np.float64), np.asarray(desired, np.float64)
    largest = np.max(np.abs(desired), where=np.isfinite(desired), initial=0)
    if not np.allclose(actual, desired, rtol=1e-2, atol=max(5e-3 * largest, 1e-6), equal_nan=True):
        STRICT.append(float(np.nanmax(np.abs(actual - desired)) / max(largest, 1e-12)))


compare, np.testing.assert_allclose = np.testing.assert_allclose, watched


def counted(kind, function):
    def call(*arguments, **options):
        try:
            result = function(*arguments, **options)
        except RuntimeError as error:
            EVENTS.append(("refused", f"{kind}: {error}"))
            raise
        EVENTS.append((kind, ""))
        return result

    return call


proxy = libcoremlpython._MLModelProxy
for kind, name in [("load", "__init__"), ("predict", "predict"), ("predict", "batchPredict")]:
    setattr(proxy, name, counted(kind, getattr(proxy, name)))


def digest(text):
    return hashlib.sha256((os.environ["CT_SEED"] + text).encode()).hexdigest()


def pytest_collectreport(report):
    if report.failed and report.nodeid.endswith(".py"):
        results.write(REPORT, {"file": report.nodeid, "collected": 0, "parts": {}, "error": str(report.longrepr).strip().split("\n")[-1]})


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    found = {item.nodeid: item for item in items}
    for file, names in results.by_file({"id": name} for name in found).items():
        ours = sum(kept.belongs(name["id"], PART, PARTS) for name in names)
        if os.environ.get("CT_RETRY"):
            continue
        results.write(REPORT, {"file": file, "collected": len(names), "parts": {f"{PART}/{PARTS}": ours}, "error": ""})
    known, _ = results.read([REPORT])
    functions = collections.defaultdict(list)
    for name in found:
        left = name not in known or os.environ["CT_AGAIN"] and results.outcome(known[name]) == "failed"
        if left and kept.belongs(name, PART, PARTS):
            functions[name.split("[")[0]].append(name)
    chosen = {name for names in functions.values() for name in sorted(names, key=digest)[:COUNT]}
    items[:] = [item for name, item in found.items() if name in chosen]


def pytest_runtest_logfinish():
    if time.time() >= UNTIL:
        pytest.exit("the time is over", 0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    EVENTS.clear()
    STRICT.clear()
    seed = int(digest(item.nodeid)[:8], 16)
    np.random.seed(seed)
    random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)
    with open(RUNNING, "w") as file:
        file.write(item.nodeid)
    yield
    os.remove(RUNNING)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" and (report.when != "setup" or report.outcome == "passed"):
        return
    events = EVENTS
    record = {
        "id": item.nodeid, "outcome": report.outcome, "xfail": hasattr(report, "wasxfail"), "strict": list(STRICT),
        "events": collections.Counter(kind for kind, _ in events), "refused": [text for kind, text in events if text],
        "seconds": round(report.duration, 2)}
    if report.outcome == "failed" and call.excinfo:
        record["error"] = f"{call.excinfo.typename}: {call.excinfo.value}"[:1500]
        record["where"] = [f"{entry.path}:{entry.lineno + 1}" for entry in call.excinfo.traceback][-4:]
    elif report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        record["error"] = report.longrepr[2]
    results.write(REPORT, record)
