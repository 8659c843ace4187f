"""Every failure raises Error with a message."""
import asyncio
import os
import pathlib
import pickle
import threading

import numpy as np
import pytest

from conftest import DIGITS, MODELS
from coreml_runtime import Error, Model, _library
from test_values import GIVEN


class Odd:
    """An object that raises `error` from every conversion."""

    def __init__(self, error=RuntimeError):
        self.error = error

    def __array__(self, *_, **__):
        raise self.error("no array")

    def keys(self):
        raise self.error("no keys")

    items = values = __len__ = __iter__ = __float__ = __index__ = keys


@pytest.mark.parametrize("name, value, words", [
    ("words", {"a\ud800": 1}, "half of a surrogate pair"), ("texts", ["\udc80"], "half of a surrogate pair"), ("text", "\ud83d", "half of a surrogate pair"),
    ("numbers", {1 << 63: 1}, "9223372036854775808, expected integers of 64 bits"), ("integers", [-(1 << 70)], "expected integers of 64 bits"),
    ("words", Odd(), "which cannot be read"), ("texts", Odd(), "which cannot be read"), ("number", Odd(), "expected a number"),
    ("colour", Odd(), "which cannot be read"), ("colour", "a\0b", "zero byte|embedded null"), ("number", 10 ** 400, "cannot be read"),
    ("integer", np.zeros(0), "expected one number")])
def test_values_that_cannot_be_read(kinds, name, value, words):
    with pytest.raises(Error, match=f"input '{name}'.*({words})"):
        kinds.predict({**GIVEN, name: value})


@pytest.mark.parametrize("value, words", [
    ([[1, 2, 3], [1]], "rows of one length"), (Odd(), "which cannot be read"), (None, "'a' is missing"), (["a"], "expected numbers"), ({}, "array of numbers"),
    (object(), "array of numbers"), (np.array(["2020-01-01"], "M8[s]"), "datetime64")])
def test_tensors_that_cannot_be_read(sums, value, words):
    for given in ({"a": value}, {"a": value, "b": np.ones((1, 3), np.float32)}):
        with pytest.raises(Error, match=words):
            sums.predict(given)
        with pytest.raises(Error, match=words):
            asyncio.run(sums.predict_async(given))
        with pytest.raises(Error, match=f"row 0: .*({words})"):
            sums.predict_batch([given])


@pytest.mark.parametrize("columns, words", [
    ({"a": [[[1, 2, 3]], [[1, 2]]]}, "rows of one length"), ({"a": None}, "one input at least"), ({"a": 5}, "one number"), ({"a": {"x": 1}}, "array of numbers"),
    ({"a": "abc"}, "numbers|one number"), ({}, "one input at least")])
def test_batches_by_columns_that_cannot_be(sums, columns, words):
    with pytest.raises(Error, match=words):
        sums.predict_batch(columns)


@pytest.mark.parametrize("column", [5, "texts", {"a": 1}, Odd(), b"ab"])
def test_columns_of_values_that_are_no_lists(kinds, column):
    with pytest.raises(Error, match="input 'text'"):
        kinds.predict_batch({**{name: [value] for name, value in GIVEN.items()}, "text": column})


def test_a_row_that_fails_tells_its_place_and_its_file(digits, tmp_path):
    (tmp_path / "cut.jpg").write_bytes((DIGITS / "seven.png").read_bytes()[:200])
    rows = [DIGITS / "seven.png", DIGITS / "two.png", tmp_path / "cut.jpg"]
    for batch in (rows, [{"image": row} for row in rows], {"image": rows}):
        with pytest.raises(Error, match="row 2: input 'image': .*/cut.jpg: the PNG picture is damaged") as caught:
            digits.predict_batch(batch)
        assert caught.value.row == 2
    with pytest.raises(Error, match="row 0: input 'image': nothing.png: No such file"):
        digits.predict_batch(["nothing.png"])
    recorded = digits.predict_batch(rows, on_error="record")
    assert [isinstance(each, Error) for each in recorded] == [False, False, True] and "cut.jpg" in str(recorded[2])


@pytest.mark.parametrize("rows", ["pics/*.jpg", b"pics", DIGITS])
def test_a_text_is_no_list_of_rows(digits, rows):
    with pytest.raises(Error, match=f"of type {type(rows).__name__}; expected a list of rows"):
        digits.predict_batch(rows)


def test_a_zero_byte_cuts_nothing(kinds):
    given = {**GIVEN, "words": {"a\0b": 1, "a": 2, "": 3}, "texts": ["x\0", "", "\0y"], "text": "p\0q"}
    result = kinds.predict(given)
    assert all(result[name] == given[name] for name in ("words", "texts", "text"))


def test_names_are_refused_whole(sums):
    for name in ("a\0b", "a\ud800"):
        with pytest.raises(Error):
            sums.predict({name: np.ones((1, 3))})
        with pytest.raises(Error, match="zero byte|no Unicode"):
            _library.encoded(name)


@pytest.mark.parametrize("work", [
    lambda model: model.predict(a=np.ones((1, 3))), lambda model: model.predict_batch([{"a": np.ones((1, 3))}]), lambda model: model.predict_batch(a=np.ones((2, 1, 3))),
    lambda model: model.make_state(), lambda model: model.plan(), lambda model: model.profile({"a": np.ones((1, 3))}), lambda model: model.update([]),
    lambda model: asyncio.run(model.predict_async(a=np.ones((1, 3))))])
def test_a_closed_model(work):
    model = Model(MODELS / "sums.mlmodel")
    model.close()
    with pytest.raises(Error, match="the model is closed"):
        work(model)


@pytest.mark.parametrize("name", ["sums.mlmodel", "plane.mlmodel", "sorts.mlmodel"])
def test_predictions_that_race_with_closing(name):
    """Each prediction either succeeds or raises an Error with the code python.closed."""
    odd = []
    for _ in range(20):
        model = Model(MODELS / name)
        row = {each.name: 1.0 if each.kind == "double" else np.ones(each.shape, each.dtype) for each in model.inputs if not each.optional}
        model.predict(row)
        ready = threading.Barrier(4)

        def work():
            ready.wait()
            for _ in range(20):
                try:
                    model.predict(row)
                    model.predict_batch({name: [value] * 2 for name, value in row.items()})
                except Error as error:
                    if error.code != "python.closed":
                        odd.append(error)
                except BaseException as error:  # noqa: BLE001
                    odd.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        ready.wait()
        model.close()
        for thread in threads:
            thread.join()
    assert not odd, odd[:3]


@pytest.mark.parametrize("arguments, words", [
    (([],), "runtime|update|examples|not updatable"), (("examples",), "not updatable|a list of dictionaries")])
def test_what_cannot_be_trained(sums, arguments, words):
    with pytest.raises(Error, match=words):
        sums.update(*arguments)


@pytest.mark.parametrize("iterations", ["many", -1, 1 << 64, 1 << 70, 1.5, None])
def test_iterations(sums, iterations):
    with pytest.raises(Error, match="iterations are .*, expected a number up to 1000000"):
        sums.profile({"a": np.ones((1, 3))}, iterations=iterations)


class Frame:
    """The part of pandas' data frame that the package uses: columns by name, each with an array."""

    dtypes = ()

    def __init__(self, **columns):
        self.data, self.columns = columns, list(columns)

    def __getitem__(self, name):
        made = Frame()
        made.array = np.asarray(self.data[name])
        return made

    def to_numpy(self):
        return self.array

    def mode(self):
        """PIL images have an attribute of this name, too."""


def test_frames(digits):
    plane = Model(MODELS / "plane.mlmodel")
    given = {"a": np.array([1.0, 2.0]), "b": np.array([3, 4])}
    made, expected = plane.predict_batch(Frame(**given)), plane.predict_batch(given)
    assert {name: list(values) for name, values in made.items()} == {name: list(values) for name, values in expected.items()}
    with pytest.raises(Error, match=r"a table \(Frame\) is given for one row: predict_batch takes it"):
        plane.predict(Frame(**given))
    with pytest.raises(Error, match="has no input 'c'"):
        plane.predict_batch(Frame(c=[1, 2], b=[1, 2]))
    with pytest.raises(Error, match="row 1: input 'a' is missing"):
        plane.predict_batch(Frame(a=np.array([1, float("nan")], object), b=[1, 2]))
    assert digits.predict_batch(Frame(image=np.array([str(DIGITS / "seven.png")], object)))["classLabel"] == ["seven"]


def test_an_input_given_twice(sums, a):
    with pytest.raises(Error, match="input 'a' is given twice"):
        sums.predict({"a": a}, a=a)
    with pytest.raises(Error, match="input 'a' is given twice"):
        sums.predict_batch({"a": a[None]}, a=a[None])


@pytest.mark.parametrize("rows", [{"b": np.zeros((0, 5))}, {"b": np.zeros((0, 1, 3, 2))}])
def test_no_rows_of_a_wrong_shape(sums, rows):
    with pytest.raises(Error, match=r"input 'b' is an array of the shape .*, expected a row axis before the shape \(1, 3\)"):
        sums.predict_batch({"a": np.zeros((0, 2, 3)), **rows})


def test_a_sentence_can_always_be_written(sums):
    with pytest.raises(Error) as caught:
        sums.predict({"\ud800": 1})
    assert "'\\ud800'" in str(caught.value).encode().decode()


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_pictures_that_may_have_no_end(digits, tmp_path, kind):
    path = "/dev/zero" if kind == "device" else tmp_path / "pipe"
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(Error, match="expected a file, found a pipe or a device") as caught:
        digits.predict(path)
    assert caught.value.status == Error.IO


@pytest.mark.skipif(pathlib.Path("/proc/sys/vm/overcommit_memory").read_text().strip() == "1", reason="this system promises all memory that is asked for")
def test_a_picture_larger_than_memory(digits, tmp_path):
    with (tmp_path / "large.png").open("wb") as file:
        os.truncate(file.fileno(), 1 << 42)
    with pytest.raises(Error, match="no memory for the file") as caught:
        digits.predict(tmp_path / "large.png")
    assert caught.value.status == Error.NO_MEMORY


def test_an_error_keeps_its_row_when_it_travels(digits):
    with pytest.raises(Error) as caught:
        digits.predict_batch([DIGITS / "seven.png", "/nothing.png"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.row, again.code, again.status, str(again)) == (1, caught.value.code, caught.value.status, str(caught.value))


def test_names_beside_a_list_of_rows(sums, a):
    with pytest.raises(Error, match="inputs are given by name .b. beside a list of rows"):
        sums.predict_batch([{"a": a}], b=np.zeros((1, 3)))


@pytest.mark.parametrize("number", [3 + 4j, np.complex128(3 + 4j), np.timedelta64(5, "ns"), np.datetime64("2020-01-01")])
def test_numbers_of_other_kinds(kinds, number):
    for name in ("number", "integer"):
        with pytest.raises(Error, match=f"input '{name}' is"):
            kinds.predict({**GIVEN, name: number})
