"""tools/check-zoo: the cause of a difference, exit status 1, and cases that crash or hang.

Needs neither torch nor coremltools.
"""
import faulthandler
import json
import os
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest

from conftest import CHECKOUT

FOLDER = CHECKOUT / "tools/zoo"
NAMES = ("compare", "faults", "kept", "pool", "table")
RIGHT, WRONG = {"outcome": "right", "error": 1e-7, "predictions": 2}, {"outcome": "wrong", "error": 0.5, "predictions": 2}
CASE = types.SimpleNamespace(name="family/net")


@pytest.fixture
def zoo():
    sys.path.insert(0, str(FOLDER))
    try:
        yield types.SimpleNamespace(**{name: __import__(name) for name in NAMES})
    finally:
        sys.path.remove(str(FOLDER))
        for name in NAMES:
            sys.modules.pop(name, None)


def row(**more):
    return {"case": "family/net", "precision": "fp16", "seconds": 1.0, **RIGHT, **more}


@pytest.fixture
def listed(zoo, tmp_path, monkeypatch):
    """A faults.json with one case of each kind."""
    kinds = {"mask": {"reason": "", "masks": True}, "missing": {"reason": "", "sentence": "op 'zero_' not"}, "sine": {"reason": "", "single": ["sin"]}}
    file = tmp_path / "faults.json"
    file.write_text(json.dumps({"kinds": kinds, "cases": {"mask": ["family/net fp16"], "missing": ["family/other"], "sine": ["family/wave fp16"]}}))
    monkeypatch.setattr(zoo.faults, "FILE", file)
    return file


@pytest.mark.parametrize("expected, found, error", [
    ([[1.0, 2.0]], [[1.0, 2.0]], 0),
    ([[1.0, 2.0]], [[1.0, 2.5]], 0.25),
    ([[1.0, np.inf]], [[1.0, np.inf]], 0),
    ([[1.0, np.nan]], [[1.0, np.nan]], 0),
    ([[1.0, np.nan]], [[1.0, 2.0]], np.inf),
    ([[1.0, 2.0]], [[np.nan, 2.0]], np.inf),
    ([[1.0, np.inf]], [[1.0, -np.inf]], np.inf),
    ([[[1.0, 2.0]]], [[1.0, 2.0]], np.inf),
    ([3.0], [[3.0]], 0),
    ([[1.0]], [], np.inf),
    ([[0.0]], [[1e-7]], 0.1),
], ids=str)
def test_errors_are_a_part_of_the_largest_number(zoo, expected, found, error):
    assert zoo.compare.largest_error(expected, found) == pytest.approx(error)


def test_a_case_without_samples_is_not_right(zoo):
    assert zoo.compare.over_samples([], []) == np.inf
    with pytest.raises(ValueError):
        zoo.compare.over_samples([[[1.0]], [[1.0]]], [[[1.0]]])


def test_the_committed_list_is_sound(zoo):
    kinds, cases = zoo.faults.load()
    assert set(cases.values()) == set(kinds)
    for kind in kinds.values():
        means = kind.keys() & {"masks", "single", "sentence"}
        assert kind["reason"] and means and ("sentence" not in means or len(means) == 1)


def test_a_listed_fault_must_show_itself(zoo, listed):
    asked = []

    def run(case, precision, single=(), masks=False):
        asked.append((single, masks))
        return RIGHT if masks else WRONG

    judged = zoo.faults.judge(CASE, "fp16", WRONG, run)
    assert (judged["outcome"], judged["kind"], asked) == ("converter", "mask", [((), True)])
    assert zoo.faults.judge(CASE, "fp16", WRONG, lambda *_, **__: WRONG)["outcome"] == "wrong"
    refused = {"outcome": "refused", "detail": "no"}
    assert zoo.faults.judge(CASE, "fp16", refused, run)["outcome"] == "refused"


def test_what_is_not_listed_stays_wrong_and_says_what_would_explain_it(zoo, listed):
    def run(case, precision, single=(), masks=False):
        return RIGHT if "sin" in single else WRONG

    judged = zoo.faults.judge(types.SimpleNamespace(name="family/new"), "fp16", WRONG, run)
    assert (judged["outcome"], judged["hints"]) == ("wrong", ["sine"])
    assert zoo.faults.judge(CASE, "fp32", WRONG, run)["outcome"] == "wrong"


def test_a_conversion_fails_with_the_listed_sentence_alone(zoo, listed):
    other = types.SimpleNamespace(name="family/other")
    failed = {"outcome": "not converted", "detail": "NotImplementedError: op 'zero_' not implemented"}
    for precision in ("fp32", "fp16"):
        assert zoo.faults.judge(other, precision, failed, None)["outcome"] == "converter"
    assert zoo.faults.judge(other, "fp32", {**failed, "detail": "out of memory"}, None)["outcome"] == "not converted"


def test_a_case_is_listed_once(zoo, listed):
    found = json.loads(listed.read_text())
    found["cases"]["sine"].append("family/net")
    listed.write_text(json.dumps(found))
    with pytest.raises(ValueError, match="listed twice"):
        zoo.faults.load()


@pytest.mark.parametrize("outcome, status", [
    ("right", 0), ("converter", 0), ("wrong", 1), ("refused", 1), ("crashed", 1), ("hung", 1), ("failed", 1), ("not converted", 1)])
def test_anything_but_right_ends_with_1(zoo, capsys, outcome, status):
    assert zoo.table.report([row(), row(case="family/b", outcome=outcome, kind="mask", detail="so")], {}) == status
    printed = capsys.readouterr().out
    assert ("family/b fp16: " in printed) == (status == 1)
    assert printed.splitlines()[2].startswith("| family | 2 |")


def test_a_listed_fault_that_is_gone_is_told(zoo, capsys):
    assert zoo.table.report([row()], {"family/net fp16": "mask"}) == 0
    assert "family/net fp16: listed as mask in faults.json, and right" in capsys.readouterr().out


def test_a_crash_and_a_hang_are_failures_of_their_case_alone(zoo, monkeypatch):
    def attempt(case, precision):
        if case.name == "crash":
            faulthandler.disable()
            os.kill(os.getpid(), signal.SIGSEGV)
        if case.name == "hang":
            subprocess.Popen(["sleep", "60"])
            time.sleep(60)
        if case.name == "spin":
            while True:
                pass
        if case.name == "ends":
            os._exit(0)
        return {"case": case.name, "precision": precision, **RIGHT}

    def run(*names):
        pending = [(types.SimpleNamespace(name=name), "fp32") for name in names]
        return {each["case"]: each for each in zoo.pool.run(attempt, pending, 5, 1)}

    rows = run("crash", "spin", "ends", "good")
    # Wall time limits only cases that hang. On a busy machine it would stop others, too.
    monkeypatch.setattr(zoo.pool, "PATIENCE", 2)
    rows.update(run("hang"))
    assert {name: each["outcome"] for name, each in rows.items()} == {"crash": "crashed", "hang": "hung", "spin": "hung", "ends": "crashed", "good": "right"}
    assert rows["crash"]["detail"] == "SIGSEGV"


def test_finished_results_are_not_made_again(zoo, tmp_path):
    library, file = tmp_path / "library.so", tmp_path / "results.jsonl"
    library.write_bytes(b"one")
    first = zoo.kept.Results(file, library)
    for name, outcome in [("a", "right"), ("b", "wrong"), ("c", "converter"), ("d", "converter"), ("a", "right")]:
        first.add(row(case=name, outcome=outcome, kind="mask"))
    with file.open("a") as end:
        end.write('{"case": "e", "outco')
    again = zoo.kept.Results(file, library)
    assert set(again.finished({"c fp16": "mask", "d fp16": "sine"})) == {("a", "fp16"), ("c", "fp16")}
    library.write_bytes(b"two")
    assert zoo.kept.Results(file, library).finished({}) == {}


QUICK = [
    "detectors/yolo-v8", "diffusers/timesteps", "diffusers/vae-tiny-decoder", "flexible/gpt2", "flexible/lstm", "stateful/llama", "stateful/stream",
    "torchvision/squeezenet1-1", "torchvision/vgg", "transformers/bert", "transformers/llama", "transformers/vit"]


def test_a_dozen_cases():
    """Runs only if the packages of tools/check-zoo are installed."""
    library = os.environ["COREML_RUNTIME_LIBRARY"]
    run = subprocess.run(
        [CHECKOUT / "tools/check-zoo", "--library", library, "--installed", "--precision", "fp16", "--jobs", "2", *QUICK], capture_output=True, text=True)
    if run.stdout.startswith("skipped: "):
        pytest.skip(run.stdout.strip())
    assert run.returncode == 0, run.stdout + run.stderr
