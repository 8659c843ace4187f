"""tools/coremltools_tests: the stored results of runs, and the page that it writes."""
import json
import sys

import pytest

from conftest import CHECKOUT

FOLDER = CHECKOUT / "tools/coremltools_tests"


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(FOLDER))
    try:
        import kept
        import page
        import results

        yield kept, page, results
    finally:
        sys.path.remove(str(FOLDER))
        for name in ("kept", "page", "results"):
            sys.modules.pop(name, None)


def test(number, outcome="passed", predicts=True, **more):
    return {"id": f"test/api/test_x.py::test[{number}]", "outcome": outcome, "xfail": False, "strict": [], "refused": [],
            "events": {"predict": 1} if predicts else {}, "seconds": 0, **more}


test.__test__ = False


def written(results, path, *records):
    for record in records:
        results.write(path, record)
    return path


def test_every_test_is_of_one_part(tool):
    kept, _, _ = tool
    for number in range(50):
        assert sum(kept.belongs(f"a::b[{number}]", part, 7) for part in range(1, 8)) == 1


def test_reports_become_kept_results_and_a_page(tool, tmp_path):
    kept, page, results = tool
    path = tmp_path / "results.json"
    first = written(
        results, tmp_path / "first", {"file": "test/api/test_x.py", "collected": 4, "parts": {"1/1": 4}, "error": ""}, test(0),
        test(1, "failed", error="AssertionError: 1 | 2 in /some/lib/site-packages/coremltools/a.py", where=["/some/lib/site-packages/coremltools/a.py:7"]))
    kept.fold(path, [first], "1.0")
    assert not kept.is_there("test/api/test_x.py", 1, 1, kept.read(path))
    assert "| `test/api` | 4 | 1 | 1 | 0 | 0 | 2 | 2 | 1 |" in page.page(kept.read(path))
    assert "/some/lib" not in path.read_text()

    # A second run of the remaining and the failed tests: the last result of a test counts.
    second = written(results, tmp_path / "second", test(1), test(2, "skipped", predicts=False, error="no GPU"), test(3, predicts=False))
    kept.fold(path, [first, second], "1.0")
    known = kept.read(path)
    assert kept.is_there("test/api/test_x.py", 1, 1, known) and known["parts"]["test/api/test_x.py 1/1"]["failures"] == []
    made = page.page(known)
    assert "| `test/api` | 4 | 3 | 0 | 1 | 0 | 0 | 2 | 2 |" in made and "100.00 % pass" in made and "| 1 | no GPU |" in made

    # A run of fewer tests keeps the other results.
    kept.fold(path, [written(results, tmp_path / "third", test(0, "failed", error="x", where=[]))], "1.0")
    assert kept.read(path)["parts"] == known["parts"]


def test_reasons_are_known_by_patterns(tool):
    _, page, _ = tool
    reasons = json.loads((FOLDER / "reasons.json").read_text())
    failure = {"id": "test/neural_network/t.py::NewLayersSimpleTest::test_topk_cpu", "error": "0.25 not less than or equal to 0.01", "where": []}
    assert "argsort" in page.reason_of(failure, reasons)
    assert page.reason_of({**failure, "error": "the process ended with -11"}, reasons) is None
