"""Opening, description and closing of a model."""
import pickle

import numpy as np
import pytest

import coreml_runtime
from conftest import CHECKOUT, DIGITS, MODELS
from coreml_runtime import Error, Model


def test_what_it_says_of_itself(sums, digits):
    a, b = sums.inputs
    assert (a.name, a.kind, a.dtype, a.flexibility, a.ranges, a.optional) == ("a", "tensor", "float32", "range", ((1, 8), (3, 3)), False)
    assert b.optional and b.shape == (1, 3) and sums.inputs["b"] is b and sums.inputs[-1] is b and isinstance(sums.inputs, tuple)
    with pytest.raises(Error, match="no feature 'c'; there are a, b"):
        sums.inputs["c"]
    assert sums.metadata == coreml_runtime.Metadata("sums of arrays", "nobody", "any", "7", {"colour": "blue"})
    assert digits.labels[:2] == ["zero", "one"] and digits.description.predicted == "classLabel"
    assert "image" in repr(digits) and "GRAY8 image, 32 x 32" in repr(digits) and digits._repr_html_().startswith("<b>Digits.mlpackage</b><table>")
    assert coreml_runtime.__version__ in (CHECKOUT / "Sources/CInterface/include/coreml_runtime.h").read_text()


def test_bytes(a):
    data = (MODELS / "sums.mlmodel").read_bytes()
    model = Model(data)
    np.testing.assert_array_equal(model.predict(a=a)["y"], 2 * a + 0.5)
    weights = DIGITS / "Digits.mlpackage/Data/com.apple.CoreML"
    digits = Model(((weights / "model.mlmodel").read_bytes(), {"@model_path/weights/weight.bin": (weights / "weights/weight.bin").read_bytes()}))
    assert digits.predict(DIGITS / "seven.png")["classLabel"] == "seven"
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(a=a)["y"], 2 * a + 0.5)


@pytest.mark.parametrize("source, code", [
    ("/nothing/here.mlmodel", "unreadable"), (b"", None), (b"no model", None), (CHECKOUT / "README.md", None)])
def test_what_is_no_model(source, code):
    with pytest.raises(Error) as caught:
        Model(source)
    assert caught.value.status in (Error.IO, Error.INVALID_MODEL) and len(str(caught.value)) > 10
    assert code in (None, caught.value.code)
    assert caught.value.__context__ is None  # so that the traceback shows no other exception


@pytest.mark.parametrize("name", ["a\0b.mlmodel", "a\udc80.mlmodel"])
def test_names_that_no_file_has(name):
    for work in (Model, coreml_runtime.compile):
        with pytest.raises(Error, match="the path is .*(zero byte|no Unicode)"):
            work(f"/nothing/{name}")


@pytest.mark.parametrize("source", [None, 5, ("a", "b"), (b"", {}, 1), (b"", {"weight": 1}), (b"", {1: b""})])
def test_what_is_no_source(source):
    with pytest.raises(Error, match=f"the model is of type {type(source).__name__}, expected a path") as caught:
        Model(source)
    assert caught.value.status == Error.INVALID_ARGUMENT


@pytest.mark.parametrize("options, words", [
    ({"compute_units": "gpu"}, "'compute_units' is 'gpu', expected one of all, cpu_only, cpu_and_gpu"), ({"compute_units": ["all"]}, "expected one of all"), ({"threads": 0}, "1 to 1024"), ({"function": "nothing"}, "nothing"),
    ({"device": "nothing"}, "nothing"), ({"memory_limit": "much"}, "'memory_limit' is 'much'.*512M"),
    ({"parameters": {"speed": 1}}, "speed"), ({"parameters": {1: 1}}, "the name of the parameter 1 is of type int"),
    ({"parameters": {"epochs": "many"}}, "the parameter 'epochs' is 'many', expected a number"), ({"parameters": [1]}, "expected a dictionary of numbers"),
    ({"parameters": {("epochs", 5): 1}}, "the layer of the parameter"), ({"function": "a\ud800"}, "function is 'a.ud800', which is no Unicode"),
    ({"function": "a\0b"}, "zero byte"), ({"images": "jpeg"}, "images is 'jpeg', expected one of 'auto'"), ({"fit": 5}, "fit is 5, expected one of")])
def test_options_that_are_wrong(options, words):
    with pytest.raises(Error, match=words):
        Model(MODELS / "sums.mlmodel", **options)


def test_options(a):
    model = Model(
        MODELS / "sums.mlmodel", compute_units="cpu_only", threads=2, memory_limit="64M", reshape_frequency="infrequent",
        specialization="fastPrediction", low_precision_accumulation=False, precision="low")
    np.testing.assert_array_equal(model.predict(a=a)["y"], 2 * a + 0.5)
    assert Model(MODELS / "sums.mlmodel", device="cpu").predict(a=a)["z"] == a.sum()
    with pytest.raises(Error) as caught:
        Model(DIGITS / "Digits.mlpackage", memory_limit=1000).predict(DIGITS / "seven.png")
    assert caught.value.status == Error.NO_MEMORY


def test_it_closes(a):
    with Model(MODELS / "sums.mlmodel") as model:
        y = model.predict(a=a)["y"]
    with pytest.raises(Error, match="the model is closed"):
        model.predict(a=a)
    np.testing.assert_array_equal(y, 2 * a + 0.5)
    assert repr(model) == "<sums.mlmodel, closed>"


def test_pickling_goes_by_path_and_digest(tmp_path, a):
    path = tmp_path / "model.mlmodel"
    path.write_bytes((MODELS / "sums.mlmodel").read_bytes())
    pickled = pickle.dumps(Model(path, threads=1, fit="crop"))
    assert len(pickled) < 1000
    again = pickle.loads(pickled)
    assert again._settings["threads"] == 1 and again.fit == "crop" and again.predict(a=a)["z"] == a.sum()
    path.write_bytes((MODELS / "running-sum.mlmodel").read_bytes())
    with pytest.raises(Error, match="was pickled with the digest"):
        pickle.loads(pickled)
    path.unlink()
    with pytest.raises(Error, match="nothing is there"):
        pickle.loads(pickled)
    error = pickle.loads(pickle.dumps(Error("a sentence", "a.code", 5)))
    assert (error.message, error.code, error.status) == ("a sentence", "a.code", 5)


def test_digests_do_not_know_where(tmp_path, digits):
    import shutil

    shutil.copytree(DIGITS / "Digits.mlpackage", tmp_path / "other.mlpackage")
    assert Model(tmp_path / "other.mlpackage").digest == digits.digest
    weights = tmp_path / "other.mlpackage/Data/com.apple.CoreML/weights/weight.bin"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    assert coreml_runtime._digest.digest(tmp_path / "other.mlpackage") != digits.digest


def test_plan_profile_and_devices(sums, a):
    plan = sums.plan()
    assert {"operation", "device", "kernel", "cost"} <= plan[0].keys() and "OPERATION" in repr(plan).upper()
    assert "[4, 3]" in str(list(sums.plan({"a": np.zeros((4, 3), np.float32)})))
    profile = sums.profile({"a": a}, iterations=3)
    assert len(profile) >= 1 and all(step["seconds"] >= 0 for step in profile)
    assert coreml_runtime.devices()[0]["kind"] == "cpu" and "<table>" in coreml_runtime.devices()._repr_html_()


def test_compile(tmp_path, a):
    compiled = coreml_runtime.compile(MODELS / "sums.mlmodel", tmp_path / "out.mlmodelc")
    np.testing.assert_array_equal(Model(compiled).predict(a=a)["y"], 2 * a + 0.5)
    with pytest.raises(Error):
        coreml_runtime.compile("/nothing.mlmodel", tmp_path / "other.mlmodelc")
    with pytest.raises(Error, match="a path is of type NoneType"):
        coreml_runtime.compile(None)
    assert not (tmp_path / "other.mlmodelc").exists()


def test_batches(sums, kinds, a):
    rows = [{"a": a + number} for number in range(4)]
    for row, result in zip(rows, sums.predict_batch(rows)):
        np.testing.assert_array_equal(result["y"], 2 * row["a"] + 0.5)
    columns = sums.predict_batch({"a": np.stack([row["a"] for row in rows])})
    assert columns["y"].shape == (4, 2, 3) and columns["z"].shape == (4, 1)
    np.testing.assert_array_equal(columns["y"][3], 2 * rows[3]["a"] + 0.5)
    with pytest.raises(Error, match="different numbers of rows: 4 in 'a' and 3 in 'b'"):
        sums.predict_batch(a=np.zeros((4, 2, 3)), b=np.zeros((3, 1, 3)))
    with pytest.raises(Error, match="input 'a'"):
        sums.predict_batch([{"a": a}, {"a": "x"}])
    good, bad = sums.predict_batch([{"a": a}, {"a": "x"}], on_error="record")
    assert isinstance(bad, Error) and good["z"] == a.sum()
    assert sums.predict_batch([]) == []


def test_batches_by_columns_of_other_kinds(digits):
    result = digits.predict_batch(image=[DIGITS / "seven.png", DIGITS / "two.png"])
    assert result["classLabel"] == ["seven", "two"] and result["classLabel_probs"][1]["two"] > 0.9
