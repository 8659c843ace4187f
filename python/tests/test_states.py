"""States: which models and functions accept them, and predictions without one."""
import asyncio
import copy
import pickle

import numpy as np
import pytest

from conftest import CHECKOUT, MODELS
from coreml_runtime import Error, Model
from coreml_runtime._rows import Rows

SHARED = CHECKOUT / "Tests/Cases/models/states/shared.mlpackage"
X = np.array([1, 2], np.float32)


def test_states():
    model = Model(MODELS / "running-sum.mlmodel")
    x, state = np.array([1, 2, 3, 4], np.float32), model.make_state()
    for round in range(1, 5):
        np.testing.assert_array_equal(model.predict({"x": x}, state=state)["y"], round * x)
    np.testing.assert_array_equal(model.predict({"x": x}, state=model.make_state())["y"], x)
    np.testing.assert_array_equal(state["total"], 4 * x)
    assert state["total"].dtype == np.float16
    state["total"] = [10, 10, 10, 10]
    np.testing.assert_array_equal(model.predict({"x": x}, state=state)["y"], 10 + x)
    with pytest.raises(Error, match="no state 'sum'; it has total"):
        state["sum"]
    assert list(state) == ["total"]
    with pytest.raises(Error, match="input 'x' is missing"):
        model.predict(x=None, state=state)
    model.close()
    assert state["total"][0] == 11


def test_functions_and_models_share_a_state():
    prefill, decode, again = (Model(SHARED, function=name) for name in ("prefill", "decode", "prefill"))
    state = prefill.make_state()
    answers = [model.predict(x=X, state=state)["y"].tolist() for model in (prefill, decode, again, decode)]
    assert answers == [[1, 2], [11, 22], [12, 24], [22, 44]]
    assert asyncio.run(again.predict_async(x=X, state=state))["y"].tolist() == [23, 46]
    sums = Model(MODELS / "sums.mlmodel")
    assert sums.predict(a=np.ones((1, 3), np.float32), state=state)["z"] == 3  # a model without states accepts any state


@pytest.mark.parametrize("function, x, words", [
    ("wide", [1, 2, 3], r"the given state 's' is tensor<fp16, \[2\]>, the model keeps tensor<fp16, \[3\]>"),
    ("renamed", X, "the given state has no 't', which the model keeps; it has s")])
def test_other_states_are_refused(function, x, words):
    with pytest.raises(Error, match=words):
        Model(SHARED, function=function).predict(x=np.asarray(x, np.float32), state=Model(SHARED).make_state())


def test_without_a_state_every_way_to_predict_is_refused():
    model = Model(SHARED)
    for work in (
            lambda: model.predict(x=X), lambda: model(X), lambda: asyncio.run(model.predict_async(x=X)), lambda: model.predict_batch([{"x": X}]),
            lambda: model.predict_batch(x=np.stack([X, X])), lambda: model.predict_batch({"x": [X, X]})):
        with pytest.raises(Error, match=r"keeps 's' between predictions, and no state was given: make_state\(\)") as caught:
            work()
        assert caught.value.code == "runtime.invalid-input"
    assert model.profile({"x": X}, iterations=1) and model.plan({"x": X})
    with pytest.raises(Error, match="the state is of type int, expected one of make_state"):
        model.predict(x=X, state=5)


def test_rows_of_tables_begin_with_zeros_where_that_is_asked_for():
    with pytest.raises(Error, match="keeps 's' between predictions: fresh_state"):
        Rows(SHARED).open()
    rows = Rows(SHARED, fresh_state=True)
    results = rows.predict(rows.open(), {"x": np.stack([X, X, 2 * X])}, 3)
    assert [values.tolist() for values in results.values["y"]] == [[1, 2], [1, 2], [2, 4]] and not results.errors


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_state_is_its_own(copied):
    model = Model(MODELS / "running-sum.mlmodel")
    x, state = np.array([1, 2, 3, 4], np.float32), model.make_state()
    model.predict({"x": x}, state=state)
    branch = copied(state)
    np.testing.assert_array_equal(model.predict({"x": x}, state=branch)["y"], 2 * x)
    np.testing.assert_array_equal(state["total"], x)
    with pytest.raises(Error, match="cannot be pickled"):
        pickle.dumps(state)
    with pytest.raises(Error, match="cannot be copied or pickled"):
        copy.deepcopy(state._handle)
