"""The deployment for Ray Serve, without Ray. python/engines/test_serve.py runs it in Ray."""
import asyncio
import base64
import importlib.util
import json
import shutil
import sys

import numpy as np
import pytest

from conftest import CHECKOUT, DIGITS, MODELS
from coreml_runtime import Error, ray_serve
from coreml_runtime.ray_serve import ModelDeployment


def test_the_module_needs_no_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(Error, match=r"needs Ray Serve: .*pip install 'coreml_runtime\[serve\]'") as caught:
        ray_serve.deployment(DIGITS / "Digits.mlpackage")
    assert caught.value.code == "python.missing-package"


def test_arrays_in_and_out(a):
    outputs = asyncio.run(ModelDeployment(MODELS / "sums.mlmodel").predict({"a": a}))
    np.testing.assert_allclose(outputs["y"], 2 * a + 0.5)


def test_a_new_configuration_opens_another_model(a, tmp_path):
    one = ModelDeployment(MODELS / "sums.mlmodel", threads=1)
    old = one.model
    asyncio.run(one.reconfigure({"model": str(MODELS / "line.mlmodel"), "version": 2}))
    assert one.model is not old and [each.name for each in one.model.inputs] != [each.name for each in old.inputs]
    # A prediction that began before still has its model.
    np.testing.assert_allclose(old.predict(a=a)["y"], 2 * a + 0.5)
    new = one.model
    with pytest.raises(Error, match="no such file"):
        asyncio.run(one.reconfigure({"model": str(tmp_path / "none.mlmodel")}))
    with pytest.raises(Error, match="options of the model are wrong.*'speed'"):
        asyncio.run(one.reconfigure({"speed": 2}))
    assert one.model is new


def test_files_that_were_replaced_at_the_same_path(a, tmp_path):
    path = tmp_path / "model.mlmodel"
    shutil.copy(MODELS / "sums.mlmodel", path)
    one = ModelDeployment(path)
    shutil.copy(MODELS / "line.mlmodel", tmp_path / "new.mlmodel")
    (tmp_path / "new.mlmodel").rename(path)
    asyncio.run(one.reconfigure({"version": 2}))
    assert [each.name for each in one.model.inputs] != ["a", "b"]


def test_health(monkeypatch, a):
    one = ModelDeployment(MODELS / "sums.mlmodel")
    for _ in range(ray_serve.FAILURES):
        with pytest.raises(Error):
            asyncio.run(one.predict({"a": "text"}))
    one.check_health()

    async def fails(_):
        raise Error("the device is lost", "runtime.device", Error.DEVICE)

    with monkeypatch.context() as patch:
        patch.setattr(one.model, "predict_async", fails)
        for count in range(ray_serve.FAILURES):
            one.check_health()
            with pytest.raises(Error, match="device is lost"):
                asyncio.run(one.predict({"a": a}))
        with pytest.raises(Error, match="the last 3 predictions failed: the device is lost"):
            one.check_health()
    asyncio.run(one.predict({"a": a}))
    one.check_health()


def test_a_stateful_model_is_refused():
    with pytest.raises(Error, match="keeps states between predictions"):
        ModelDeployment(CHECKOUT / "Tests/Cases/models/states/shared.mlpackage")


def test_bodies():
    one = ModelDeployment(DIGITS / "Digits.mlpackage")
    picture = (DIGITS / "seven.png").read_bytes()
    assert one._inputs("image/png", picture) == {"image": picture}
    assert one._inputs("", b'{"image": "%s"}' % base64.b64encode(picture)) == {"image": picture}
    # A request names no file of this machine.
    for value in (str(DIGITS / "seven.png"), 7, None, ["a"], {"path": "a.png"}):
        with pytest.raises(Error, match="expected the base64 text"):
            one._inputs("", json.dumps({"image": value}).encode())
    # Text that happens to be base64 is bytes, too.
    assert one._inputs("", b'{"image": "/etc/hostname123"}') == {"image": base64.b64decode("/etc/hostname123")}
    with pytest.raises(Error, match="the body is no JSON"):
        one._inputs("application/json", b"{")
    with pytest.raises(Error, match="expected an object"):
        one._inputs("application/json", b"[1]")
    with pytest.raises(Error, match="needs a model with one input, an image"):
        ModelDeployment(MODELS / "sums.mlmodel")._inputs("image/png", picture)


def test_numbers_that_json_lacks():
    values = {"x": np.array([1.5, np.nan, np.inf, -np.inf], np.float16), 7: 0.25, "n": float("nan")}
    assert ray_serve._json(values) == {"x": [1.5, "NaN", "Infinity", "-Infinity"], "7": 0.25, "n": "NaN"}
    assert ray_serve._json(np.arange(2, dtype=np.int32)) == [0, 1]


@pytest.mark.skipif(importlib.util.find_spec("PIL") is None, reason="pillow is not installed")
def test_pictures_are_png():
    from PIL import Image

    assert base64.b64decode(ray_serve._json(Image.new("L", (2, 2)))).startswith(b"\x89PNG")
