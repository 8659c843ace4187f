"""Ray Serve on this machine: a deployment called from Python and over HTTP."""
import base64
import json
import os
import shutil
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

pytest.importorskip("ray.serve", exc_type=ImportError)
# Workers run with raised niceness by default and starve on a busy machine.
os.environ.setdefault("RAY_worker_niceness", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import ray
from ray import serve
from ray.serve.context import _get_global_client
from ray.serve.schema import ServeDeploySchema

from conftest import DIGITS, LINE, SUMS, workers_of
from coreml_runtime import Error
from coreml_runtime.ray_serve import app, deployment

PICTURE = (DIGITS / "seven.png").read_bytes()


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=16, object_store_memory=200 << 20, include_dashboard=False, log_to_driver=False)
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
    serve.run(deployment(DIGITS / "Digits.mlpackage", num_replicas=2), name="digits", route_prefix="/digits")
    url = f"{cluster}/digits"
    status, answer = post(url, PICTURE, "image/png")
    assert (status, answer["classLabel"]) == (200, "seven") and answer["classLabel_probs"]["seven"] > 0.9
    assert post(url, {"image": base64.b64encode(PICTURE).decode()}) == (200, answer)
    status, refusal = post(url, {"image": str(DIGITS / "seven.png")})
    assert status == 400 and "expected the base64 text" in refusal["error"]
    status, refusal = post(url, {"picture": "AAAA"})
    assert status == 400 and refusal["code"] == "runtime.invalid-input" and "no input 'picture'" in refusal["error"]
    assert post(url, b"{")[0] == 400
    serve.delete("digits")


A = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_arrays_and_errors(cluster):
    handle = serve.run(deployment(SUMS, {"threads": 1}), name="sums", route_prefix="/sums")
    np.testing.assert_allclose(handle.predict.remote({"a": A}).result(timeout_s=60)["y"], 2 * A + 0.5)
    with pytest.raises(ray.exceptions.RayTaskError) as caught:
        handle.predict.remote({"c": A}).result(timeout_s=60)
    assert isinstance(caught.value.cause, Error) and "no input 'c'" in caught.value.cause.message
    serve.delete("sums")


def test_an_update_of_the_configuration_fails_no_request(cluster, tmp_path):
    """What `serve deploy` does with a file: the replicas stay, and Serve calls `reconfigure`."""
    model = tmp_path / "model.mlmodel"
    shutil.copy(SUMS, model)

    def deploy(version):
        one = {"name": "ModelDeployment", "num_replicas": 2, "user_config": {"version": version}}
        built = {
            "name": "built", "route_prefix": "/built", "import_path": "coreml_runtime.ray_serve:app",
            "args": {"model": str(model), "threads": "1"}, "deployments": [one]}
        _get_global_client().deploy_apps(ServeDeploySchema(applications=[built]))
        end = time.monotonic() + 120
        while serve.status().applications["built"].status != "RUNNING" and time.monotonic() < end:
            time.sleep(0.2)
        assert serve.status().applications["built"].status == "RUNNING", serve.status()

    deploy(1)
    replicas = set(workers_of("ServeReplica:built"))
    assert len(replicas) == 2
    handle, failed, ended, count = serve.get_app_handle("built"), [], threading.Event(), [0]

    def ask():
        while not ended.is_set():
            try:
                np.testing.assert_allclose(handle.predict.remote({"a": A}).result(timeout_s=60)["y"], 2 * A + 0.5)
                count[0] += 1
            except Exception as error:
                failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    deploy(2)
    ended.set()
    for thread in threads:
        thread.join()
    assert not failed and count[0] > 0
    # Other files at the same path.
    shutil.copy(LINE, tmp_path / "new.mlmodel")
    (tmp_path / "new.mlmodel").rename(model)
    deploy(3)
    with pytest.raises(ray.exceptions.RayTaskError, match="no input 'a'"):
        handle.predict.remote({"a": A}).result(timeout_s=60)
    assert set(workers_of("ServeReplica:built")) == replicas
    serve.delete("built")


def test_a_model_that_is_missing(cluster):
    with pytest.raises(RuntimeError):
        serve.run(deployment("/nothing.mlmodel", max_constructor_retry_count=1), name="nothing", route_prefix="/nothing")
    serve.delete("nothing")


def test_the_builder():
    with pytest.raises(Error, match="model=PATH is missing"):
        app({})
