"""Modules written by `runtime generate --language python`."""
import asyncio
import dataclasses
import importlib
import pathlib
import sys

import numpy as np
import pytest
from conftest import CHECKOUT, DIGITS, MODELS

FOLDER = pathlib.Path(__file__).parent / "generated"


@pytest.fixture(autouse=True)
def place(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def module(name):
    sys.modules.pop(name, None)
    return importlib.import_module(name)


def test_a_classifier_of_images():
    digits = module("Digits")
    with digits.Digits(DIGITS / "Digits.mlpackage") as model:
        output = model.predict(digits.DigitsInput(image=str(DIGITS / "seven.png")))
        assert output.classLabel == "seven" and output.classLabel_probs["seven"] > 0.9
        rows = model.predict_batch([digits.DigitsInput(str(DIGITS / f"{name}.png")) for name in ("two", "zero")])
        assert [row.classLabel for row in rows] == ["two", "zero"]
        later = asyncio.run(model.predict_async(digits.DigitsInput(str(DIGITS / "two.png"))))
        assert later == rows[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        output.classLabel = "eight"


def test_inputs_that_are_left_out(a):
    sums = module("sums")
    model = sums.sums(MODELS / "sums.mlmodel")
    assert model.predict(sums.sumsInput(a=a)).y == pytest.approx(2 * a + 0.5)
    assert model.predict(sums.sumsInput(a=a, b=[[1, 1, 1]])).y == pytest.approx(2 * a + 1)


def test_states():
    running = module("running_sum")
    model = running.running_sum(MODELS / "running-sum.mlmodel")
    state, one = model.make_state(), running.running_sumInput(x=np.ones(4, np.float32))
    model.predict(one, state=state)
    assert list(model.predict(one, state=state).y) == [2, 2, 2, 2]


def test_functions_have_classes_of_their_own():
    functions, path = module("functions"), CHECKOUT / "Tests/Cases/generate/functions.mlpackage"
    x = np.float32([1, 2, 3])
    assert list(functions.functions(path).predict(functions.functionsInput(x)).y) == [2, 4, 6]
    half = functions.functions_half_life(path)
    assert list(half.predict(functions.functions_half_lifeInput(x)).y) == [0.5, 1, 1.5]


def test_every_kind_of_value():
    kinds = module("kinds")
    given = kinds.kindsInput(
        integer=3, number=0.5, text="t", words={"a": 1}, numbers={-2: 4}, texts=["x", "y"], integers=[7],
        colour=np.zeros((2, 3, 3), np.uint8), gray=np.zeros((2, 3), np.uint8), gray16=np.zeros((2, 3), np.float16))
    same = kinds.kinds(MODELS / "kinds.mlmodel", images="numpy").predict(given)
    assert (same.integer, same.number, same.text) == (3, 0.5, "t")
    assert (same.words, same.numbers, same.texts, same.integers) == ({"a": 1}, {-2: 4}, ["x", "y"], [7])


def test_names_that_mean_something_in_python():
    names = module("names")
    fields = [field.name for field in dataclasses.fields(names.namesInput)]
    assert len(set(fields)) == len(fields) and all(field.isidentifier() for field in fields)
    values = {field: index for index, field in enumerate(fields)}
    given = names.namesInput(**values).features()
    assert given["CO2 Emissions(g/km)"] == values["CO2_Emissions_g_km_"] and given["class"] == values["class_"]
    assert names.namesOutput.of(given) == names.namesOutput(**values)
    assert len(given) == len(fields)
