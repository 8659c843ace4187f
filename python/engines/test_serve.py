"""Ray Serve on this machine: a deployment called from Python and over HTTP."""
import base64
import os
import threading
import urllib.error
import urllib.request

import json

import numpy as np
import pytest

pytest.importorskip("ray.serve", exc_type=ImportError)
# Workers run with raised niceness by default and starve on a busy machine.
os.environ.setdefault("RAY_worker_niceness", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray
from ray import serve

from conftest import DIGITS, LINE, SUMS
from coreml_runtime import Error
from coreml_runtime.ray_serve import app, deployment

PICTURE = (DIGITS / "seven.png").read_bytes()


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=4, object_store_memory=200 << 20, include_dashboard=False, log_to_driver=False)
    serve.start(http_options={"host": "127.0.0.1", "port": 18099})
    yield "http://127.0.0.1:18099"
    serve.shutdown()
    ray.shutdown()


def post(url, body, content_type="application/json"):
    """The status and the JSON of an answer."""
    request = urllib.request.Request(url, body if isinstance(body, bytes) else json.dumps(body).encode(), {"Content-Type": content_type})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_http(cluster):
    serve.run(deployment(DIGITS / "Digits.mlpackage"), name="digits", route_prefix="/digits")
    url = f"{cluster}/digits"
    status, answer = post(url, PICTURE, "image/png")
    assert (status, answer["classLabel"]) == (200, "seven") and answer["classLabel_probs"]["seven"] > 0.9
    assert post(url, {"image": base64.b64encode(PICTURE).decode()}) == (200, answer)
    status, refusal = post(url, {"image": str(DIGITS / "seven.png")})
    assert status == 400 and "expected the base64 text" in refusal["error"]
    status, refusal = post(url, {"picture": "AAAA"})
    assert status == 400 and refusal["code"] == "runtime.invalid-input" and "no input 'picture'" in refusal["error"]
    assert post(url, b"{")[0] == 400


def test_arrays_and_updates_without_a_failed_request(cluster):
    kind = deployment(SUMS, {"threads": 1}, num_replicas=2, user_config={"version": 1})
    handle = serve.run(kind, name="sums", route_prefix="/sums")
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_allclose(handle.predict.remote({"a": a}).result(timeout_s=60)["y"], 2 * a + 0.5)
    with pytest.raises(ray.exceptions.RayTaskError) as caught:
        handle.predict.remote({"c": a}).result(timeout_s=60)
    assert isinstance(caught.value.cause, Error) and "no input 'c'" in caught.value.cause.message

    failed, ended, count = [], threading.Event(), [0]

    def ask():
        while not ended.is_set():
            try:
                np.testing.assert_allclose(handle.predict.remote({"a": a}).result(timeout_s=60)["y"], 2 * a + 0.5)
                count[0] += 1
            except Exception as error:
                failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for version in (2, 3):
        serve.run(
            deployment(SUMS, {"threads": 1}, num_replicas=2, user_config={"version": version}), name="sums", route_prefix="/sums")
    ended.set()
    for thread in threads:
        thread.join()
    assert not failed and count[0] > 0


def test_a_configuration_with_another_model(cluster):
    handle = serve.run(deployment(SUMS, user_config={"model": str(LINE)}), name="line", route_prefix="/line")
    status, answer = post(f"{cluster}/line", {"a": [[1.0, 2.0, 3.0]]})
    assert status == 400 and "no input 'a'" in answer["error"]
    del handle


def test_a_model_that_is_missing(cluster):
    with pytest.raises(RuntimeError):
        serve.run(deployment("/nothing.mlmodel", max_constructor_retry_count=1), name="nothing", route_prefix="/nothing")
    serve.delete("nothing")


def test_the_builder(cluster):
    handle = serve.run(app({"model": str(SUMS), "threads": "1"}), name="built", route_prefix="/built")
    a = np.ones((1, 3), np.float32)
    np.testing.assert_allclose(handle.predict.remote({"a": a}).result(timeout_s=60)["y"], 2 * a + 0.5)
    with pytest.raises(Error, match="model=PATH is missing"):
        app({})
