"""Input and output tensors: types, layouts, memory ownership."""
import gc

import numpy as np
import pytest

from coreml_runtime import Error, Model, _values
from coreml_runtime._rows import Rows
from conftest import MODELS


def expected(a, b=0.5):
    return 2 * np.asarray(a, np.float64) + b


def test_shapes_that_vary_and_inputs_that_are_left_out(sums):
    for rows in (1, 8, 2, 1, 8):
        a = np.random.rand(rows, 3).astype(np.float32)
        result = sums.predict({"a": a})
        np.testing.assert_allclose(result["y"], expected(a), rtol=1e-6)
        assert result["y"].dtype == np.float32 and result["z"].dtype == np.float16 and result["z"].shape == (1,)
        b = np.random.rand(1, 3).astype(np.float32)
        np.testing.assert_allclose(sums.predict({"a": a, "b": b})["y"], expected(a, b), rtol=1e-6)
        np.testing.assert_allclose(sums.predict({"b": b, "a": a})["y"], expected(a, b), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint16", "bool", ">f4", ">i8", ">f8"])
def test_types(sums, dtype):
    a = np.array([[0, 1, 2], [3, 1, 0]]).astype(dtype)
    for _ in range(2):  # the first prediction records the output shapes, the second uses the prepared call
        np.testing.assert_array_equal(sums.predict(a=a)["y"], expected(a))


def test_bfloat16(sums):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a = np.array([[1, 2, 3.140625]], bfloat16)
    np.testing.assert_array_equal(sums.predict(a=a)["y"], [[2.5, 4.5, 6.78125]])


def test_integers_that_do_not_fit(kinds, sums):
    from coreml_runtime._values import numeric

    with pytest.raises(Error, match="numbers that fit in int32"):
        numeric(np.array([1 << 40]), "int32", "a")
    assert sums.predict(a=[[1 << 40, 0, 0]])["y"][0, 0] == np.float32(2.0 ** 41)


LAYOUTS = {
    "transposed": lambda a: np.asfortranarray(a), "every other": lambda a: np.repeat(a, 2, axis=1)[:, ::2], "backwards": lambda a: a[::-1],
    "one row for all": lambda a: np.broadcast_to(a[0], a.shape), "within": lambda a: np.pad(a, 2)[2:-2, 2:-2],
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(sums, a, layout):
    given = LAYOUTS[layout](a)
    for _ in range(3):
        np.testing.assert_array_equal(sums.predict(a=given)["y"], expected(given))
    batch = np.stack([given, given + 1])
    np.testing.assert_array_equal(sums.predict_batch(a=batch)["y"], expected(batch))


def test_inputs_are_not_written_to_and_outputs_are_the_callers(sums, a):
    kept = a.copy()
    a.flags.writeable = False
    results = [sums.predict({"a": a}) for _ in range(3)]
    np.testing.assert_array_equal(a, kept)
    results[1]["y"][:] = 77
    np.testing.assert_array_equal(results[2]["y"], expected(kept))
    np.testing.assert_array_equal(results[0]["y"], expected(kept))


def test_results_live_on_and_inputs_are_given_back(kinds, sums, a):
    before = len(_values._borrowed)
    y = sums.predict({"a": a[:1]})["y"]
    many = [sums.predict({"a": np.random.rand(3, 3).astype(np.float32)}) for _ in range(20)]
    del many
    gc.collect()
    np.testing.assert_array_equal(y, expected(a[:1]))
    assert len(_values._borrowed) == before


class OfAnotherLibrary:
    """A tensor whose only interface is DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(sums, a):
    np.testing.assert_array_equal(sums.predict(a=OfAnotherLibrary(a))["y"], expected(a))
    assert _values.as_array(OfAnotherLibrary(a)).ctypes.data == a.ctypes.data
    np.testing.assert_array_equal(np.from_dlpack(sums.predict(a=a)["y"]), expected(a))


def test_torch(sums, a):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(a).requires_grad_()
    np.testing.assert_array_equal(sums.predict(a=tensor)["y"], expected(a))
    np.testing.assert_array_equal(sums.predict(a=tensor.to(torch.bfloat16))["y"], expected(a))
    assert torch.from_dlpack(sums.predict(a=tensor)["y"]).shape == (2, 3)


def test_numbers_in_lists(sums):
    np.testing.assert_array_equal(sums.predict(a=[[1, 2, 3]], b=[[1, 1, 1]])["y"], [[3, 5, 7]])


@pytest.mark.parametrize("given, words", [
    ({"a": np.zeros((9, 3), np.float32)}, r"Size \(9\) of dimension \(0\) is not in allowed range \(1..8\)"),
    ({"a": np.zeros((2, 4), np.float32)}, "input 'a'"), ({"a": "text"}, "input 'a'"), ({"a": [[1], [1, 2]]}, "rows of one length"),
    ({"a": None}, "input 'a' is missing"), ({}, "input 'a' is missing"), ({"a": [[1, 2, 3]], "c": 1}, "no input 'c'; it has a, b"),
    ({"a": np.zeros((1, 3), complex)}, "array of complex128"), ({"a": [[object()] * 3]}, "input 'a'"),
])
def test_what_does_not_fit(sums, given, words):
    for _ in range(2):
        with pytest.raises(Error, match=words) as caught:
            sums.predict(given)
        assert caught.value.code == "runtime.invalid-input" and caught.value.status == Error.INVALID_INPUT


def test_values_alone_and_in_order(sums, a):
    np.testing.assert_array_equal(sums.predict((a, [[1, 1, 1]]))["y"], expected(a, 1))
    # A value without a name is for the only required input.
    np.testing.assert_array_equal(sums.predict(a)["y"], expected(a))
    with pytest.raises(Error, match="one value is given for the 2 inputs a, b"):
        Model(MODELS / "plane.mlmodel").predict(1.0)
    with pytest.raises(Error, match="3 values are given"):
        sums.predict((a, a, a))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64", "uint8"])
def test_columns_of_numbers(dtype):
    """One call for columns of numbers and one call per row for columns of objects give equal results."""
    plane = Model(MODELS / "plane.mlmodel")
    a, b = np.arange(100).astype(dtype), np.arange(200)[::-2].astype(np.float32) / 4
    result = plane.predict_batch(a=a, b=b)["y"]
    np.testing.assert_array_equal(result, 2 * a.astype(float) + 3 * b + 0.5)
    assert result.dtype == np.float64
    slow = plane.predict_batch(a=list(a), b=list(b))["y"]
    np.testing.assert_array_equal(result, slow)
    assert slow.dtype == np.float64 and slow.shape == result.shape
    np.testing.assert_array_equal(plane.predict_batch(a=a[:1], b=b[:1])["y"], result[:1])
    with pytest.raises(Error, match="'b'"):
        plane.predict_batch(a=a)


@pytest.mark.parametrize("name", ["sorts", "signs"])
@pytest.mark.parametrize("rows", [1, 3, 40, 1300])
def test_columns_of_classes(name, rows):
    """The labels and probabilities of a batch of arrays equal those of single predictions."""
    model = Model(MODELS / f"{name}.mlmodel")
    x = np.random.default_rng(rows).standard_normal((rows, 2))
    result = model.predict_batch(x=x)
    single = [model.predict(x=row) for row in x]
    assert list(result["label"]) == [each["label"] for each in single]
    assert result["shares"] == [each["shares"] for each in single]
    assert list(result["shares"][0]) == model.labels
    assert isinstance(result["label"], np.ndarray) == (name == "signs")
    with pytest.raises(Error, match="row 0: input 'x'"):
        model.predict_batch(x=x[:, :1])


@pytest.mark.parametrize("name, output", [("plane", "y"), ("pair", "pair")])
def test_rows_of_numbers(name, output):
    """Rows of numbers give equal results on the path with one library call and on the general path."""
    model = Model(MODELS / f"{name}.mlmodel")
    wanted = model.predict(a=2.0, b=0.5)[output]
    for row in [{"a": 2.0, "b": 0.5}, {"b": 0.5, "a": 2}, {"a": np.float32(2), "b": np.float64(0.5)}, {"a": np.int64(2), "b": 0.5}]:
        found = model.predict(row)[output]
        assert type(found) is type(wanted)
        np.testing.assert_array_equal(found, wanted)
    columns = model.predict_batch(a=np.full(40, 2.0), b=np.full(40, 0.5))[output]
    np.testing.assert_array_equal(columns, np.broadcast_to(wanted, columns.shape))
    assert np.isnan(model.predict(a=float("nan"), b=1.0)[output]).any()
    with pytest.raises(Error, match="'b'"):
        model.predict(a=2.0)
    with pytest.raises(Error, match="input 'b'"):
        model.predict(a=2.0, b="x")


@pytest.mark.parametrize("shape", [(2 ** 60, 0), (3, 0), (2 ** 40, 0, 4)])
def test_rows_of_nothing_are_refused_at_once(shape):
    model = Model(MODELS / "sums.mlmodel")
    with pytest.raises(Error, match=f"{shape[0]} rows of no elements"):
        model.predict_batch(a=np.empty(shape, np.float32))
    with pytest.raises(Error, match=f"{shape[0]} rows of no elements"):
        Rows(MODELS / "sums.mlmodel").predict(model, {"a": np.empty(shape, np.float32)}, shape[0])
