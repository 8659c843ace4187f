"""Features other than tensors."""
import io
import pathlib

import numpy as np
import pytest

from conftest import DIGITS
from coreml_runtime import Error, Model, _values

GIVEN = {
    "integer": -3, "number": 0.5, "text": "café", "words": {"a": 1, "b": 2.5}, "numbers": {4: 8, 2: 4}, "texts": ["p", "q"],
    "integers": [3, 1, 2], "colour": np.arange(18, dtype=np.uint8).reshape(2, 3, 3), "gray": np.arange(6, dtype=np.uint8).reshape(2, 3),
    "gray16": np.arange(6, dtype=np.float32).reshape(2, 3) / 4}


def test_there_and_back(kinds):
    result = kinds.predict(GIVEN)
    for name in ("integer", "number", "text", "words", "numbers", "texts", "integers"):
        assert result[name] == GIVEN[name] and type(result[name]) is type(GIVEN[name])
    np.testing.assert_array_equal(np.asarray(result["colour"])[:, :, :3], GIVEN["colour"])
    np.testing.assert_array_equal(np.asarray(result["gray"]), GIVEN["gray"])
    np.testing.assert_array_equal(np.asarray(result["gray16"]), GIVEN["gray16"])


def test_probabilities_have_the_order_of_the_labels():
    """The first prediction reads a dictionary, later ones and batches read arrays."""
    data = (DIGITS.parents[1] / "Tests/Cases/rows/classes.mlmodel").read_bytes()
    model = Model(data.replace(b"\n\x01c", b"\n\x01z"))
    assert model.labels == ['a,"b"', "z", "d"]
    x = np.array([1.0, 2.0, 3.0])
    single = [model.predict(x=x)["p"] for _ in range(3)]
    for made in single + [model.predict_batch([{"x": x}])[0]["p"], model.predict_batch(x=np.stack([x, x]))["p"][1]]:
        assert list(made.items()) == list(single[0].items()) and list(made) == model.labels


def test_numpys_scalars_and_arrays_of_one(kinds):
    result = kinds.predict({**GIVEN, "integer": np.int32(7), "number": np.array([2.5]), "text": np.array("x"), "integers": np.array([5, 6])})
    assert (result["integer"], result["number"], result["text"], result["integers"]) == (7, 2.5, "x", [5, 6])


def test_empty_collections_are_of_the_declared_kind(kinds):
    nothing = {"words": {}, "numbers": {}, "texts": [], "integers": []}
    result = kinds.predict({**GIVEN, **nothing})
    assert {name: result[name] for name in nothing} == nothing


@pytest.mark.parametrize("name, value, words", [
    ("integer", "seven", "of type str, expected a number"), ("integer", [1, 2], "expected a number"), ("integer", 1 << 70, "64 bits"),
    ("text", 7, "expected a text"), ("words", ["a"], "expected a dictionary"), ("words", {"a": "b"}, "values that are no numbers"),
    ("words", {"a": 1, 2: 3}, "a mixture"), ("texts", "p", "list of texts"), ("integers", [1.5], "texts and integers"),
    ("texts", [1, 2], "texts"), ("colour", "/nothing.png", "/nothing.png: No such file"), ("colour", b"no picture", "PNG|JPEG|picture|image"),
    ("colour", b"no picture", "input 'colour'"), ("colour", None, "input 'colour' is missing"), ("integer", None, "input 'integer' is missing"),
    ("colour", np.zeros((2, 3, 3)), "uint8"), ("gray", np.zeros((2, 3), np.float32), "float32.*uint8"), ("gray", np.zeros((2, 3, 5), np.uint8), "height, width"),
])
def test_what_does_not_fit(kinds, name, value, words):
    with pytest.raises(Error, match=words):
        kinds.predict({**GIVEN, name: value})


def test_pictures(digits):
    path = DIGITS / "seven.png"
    Image = pytest.importorskip("PIL.Image")
    answers = [
        digits.predict(image=given)["classLabel_probs"]["seven"]
        for given in (path, str(path), path.read_bytes(), Image.open(path), np.asarray(Image.open(path)))]
    assert answers == [answers[0]] * 5 and answers[0] == pytest.approx(0.9884, abs=1e-3)
    assert digits.predict(Image.open(path).convert("RGB").resize((64, 64)))["classLabel"] == "seven"
    assert Model(DIGITS / "Digits.mlpackage", fit="crop").predict(path)["classLabel"] == "seven"
    with pytest.raises(Error, match="fit is 'wide', expected one of 'crop', 'fit', 'fill'"):
        Model(DIGITS / "Digits.mlpackage", fit="wide").predict(path)


@pytest.mark.parametrize("kind", ["webp", "tiff", "gif", "bmp"])
def test_files_of_other_formats(digits, kind):
    path = DIGITS.parent.parent / f"Tests/Cases/pictures/formats/seven.{kind}"
    expected = digits.predict(image=DIGITS / "seven.png")["classLabel_probs"]
    assert digits.predict(image=path)["classLabel_probs"] == digits.predict(image=path.read_bytes())["classLabel_probs"] == expected


def test_pictures_out(kinds):
    Image = pytest.importorskip("PIL.Image")
    pictures = {"colour": Image.new("RGB", (3, 2), (1, 2, 3)), "gray": Image.new("L", (3, 2), 9), "gray16": Image.new("F", (3, 2), 0.5)}
    result = kinds.predict({**GIVEN, **pictures})
    assert [result[name].mode for name in ("colour", "gray", "gray16")] == ["RGBA", "L", "F"]
    assert result["colour"].getpixel((2, 1)) == (1, 2, 3, 255) and result["gray"].getpixel((0, 0)) == 9 and result["gray16"].getpixel((1, 1)) == 0.5


def test_a_directory_is_no_picture(digits):
    with pytest.raises(Error, match="directory"):
        digits.predict(pathlib.Path("/"))


def test_lengths_that_no_memory_has():
    for length in (1 << 48, 1 << 62):
        with pytest.raises(Error, match="more than memory can hold"):
            _values.make("value_string", b"a", length)


def test_open_files(digits):
    data = (DIGITS / "seven.png").read_bytes()
    assert digits.predict(io.BytesIO(data))["classLabel"] == "seven"
    with (DIGITS / "seven.png").open("rb") as file:
        assert digits.predict(file)["classLabel"] == "seven"
