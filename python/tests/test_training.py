"""Training of updatable models."""
import numpy as np
import pytest

import coreml_runtime
from conftest import MODELS
from coreml_runtime import Error, Model


@pytest.fixture
def line():
    return Model(MODELS / "line.mlmodel")


def rows():
    """y = 3 x0 - x1 + 1."""
    return [{"x": np.array([x0, x1], float), "y_true": [3.0 * x0 - x1 + 1]} for x0 in range(4) for x1 in range(4)]


def test_it_learns(line, tmp_path):
    told = []
    better = line.update(rows(), parameters={"epochs": 40, "learningRate": 0.05}, progress=told.append, destination=tmp_path / "new.mlmodelc")
    losses = [each.loss for each in told if each.event == "epoch_end"]
    assert len(losses) == 40 and losses[-1] < losses[0] / 4
    name = line.inputs[0].name
    x = np.array([1, 2], np.float64)
    again = Model(tmp_path / "new.mlmodelc").predict({name: x})
    assert better.predict({name: x})["y"][0] == again["y"][0] == pytest.approx(2, abs=0.5)


def test_what_progress_raises_comes_out(line):
    def progress(moment):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        line.update(rows(), progress=progress)
    with pytest.raises(Error) as caught:
        line.update(rows(), progress=lambda moment: True)
    assert caught.value.status == Error.CANCELLED


def test_what_cannot_be_trained(line, sums):
    with pytest.raises(Error, match="no training input 'q'"):
        line.update([{"q": 1}])
    with pytest.raises(Error):
        sums.update([])


def test_what_is_not_updatable():
    with pytest.raises(Error, match="sums.mlmodel: the model is not updatable"):
        Model(MODELS / "sums.mlmodel").update([{"a": [[1, 2, 3]]}])


def test_a_destination_that_is_no_model_stays(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/one").write_text("precious")
    model = Model(MODELS / "sums.mlmodel")
    with pytest.raises(Error, match="expected nothing or a compiled model to replace, found a folder"):
        coreml_runtime.compile(MODELS / "sums.mlmodel", tmp_path / "photos")
    assert (tmp_path / "photos/one").read_text() == "precious"
