"""Real clients against a server: tritonclient (threads and asyncio), KServe's SDK, curl.

The server is at SERVING_URL, its model `add` adds 1 to an FP32 tensor, and `echo` returns its inputs.
"""
import asyncio
import json
import os
import subprocess
import urllib.request

import numpy as np
import pytest
import tritonclient.http
import tritonclient.http.aio

URL = os.environ["SERVING_URL"]
HOST = URL.removeprefix("http://")


@pytest.fixture
def client():
    with tritonclient.http.InferenceServerClient(HOST) as client:
        yield client


def tensor(array, kind="FP32", binary=True, name="x"):
    made = tritonclient.http.InferInput(name, list(array.shape), kind)
    made.set_data_from_numpy(array, binary_data=binary)
    return made


def test_health_and_documents(client):
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("add")
    assert not client.is_model_ready("none")
    assert "binary_tensor_data" in client.get_server_metadata()["extensions"]
    assert client.get_model_metadata("add")["inputs"][0]["datatype"] == "FP32"
    assert client.get_model_config("add")["max_batch_size"] == 0
    assert client.get_inference_statistics("add")["model_stats"][0]["name"] == "add"
    assert {"name": "add", "version": "1", "state": "READY", "reason": ""} in client.get_model_repository_index()
    assert client.get_system_shared_memory_status() == []


@pytest.mark.parametrize("binary_in", [True, False])
@pytest.mark.parametrize("binary_out", [True, False])
@pytest.mark.parametrize("coding", [None, "gzip", "deflate"])
def test_inference(client, binary_in, binary_out, coding):
    array = np.random.default_rng(1).standard_normal((1, 3, 64, 64)).astype(np.float32)
    outputs = [tritonclient.http.InferRequestedOutput("y", binary_data=binary_out)]
    result = client.infer(
        "add", [tensor(array, binary=binary_in)], outputs=outputs, request_id="r", priority=1, timeout=10_000_000,
        request_compression_algorithm=coding, response_compression_algorithm=coding)
    np.testing.assert_array_equal(result.as_numpy("y"), array + 1)
    assert result.get_response()["id"] == "r"


def test_inference_without_outputs(client):
    array = np.ones((2, 2), np.float32)
    np.testing.assert_array_equal(client.infer("add", [tensor(array)]).as_numpy("y"), array + 1)


@pytest.mark.parametrize("kind, dtype", [
    ("BOOL", bool), ("UINT8", np.uint8), ("UINT16", np.uint16), ("UINT32", np.uint32), ("UINT64", np.uint64),
    ("INT8", np.int8), ("INT16", np.int16), ("INT32", np.int32), ("INT64", np.int64), ("FP16", np.float16),
    ("FP32", np.float32), ("FP64", np.float64)])
@pytest.mark.parametrize("binary", [True, False])
def test_types(client, kind, dtype, binary):
    if kind == "FP16" and not binary:
        pytest.skip("the client refuses FP16 as JSON")
    if dtype is bool:
        array = np.array([[True, False]])
    elif np.issubdtype(dtype, np.integer):
        array = np.array([[np.iinfo(dtype).min, np.iinfo(dtype).max]], dtype)
    else:
        array = np.array([[np.finfo(dtype).min, np.finfo(dtype).tiny]], dtype)
    result = client.infer(
        "echo", [tensor(array, kind, binary)], outputs=[tritonclient.http.InferRequestedOutput("x", binary_data=binary)])
    np.testing.assert_array_equal(result.as_numpy("x"), array)


@pytest.mark.parametrize("binary", [True, False])
def test_bytes(client, binary):
    array = np.array([["a\nb", "grün"]], dtype=object)
    result = client.infer(
        "echo", [tensor(array, "BYTES", binary)],
        outputs=[tritonclient.http.InferRequestedOutput("x", binary_data=binary)])
    values = [v.decode() if isinstance(v, bytes) else v for v in result.as_numpy("x").ravel()]
    assert values == ["a\nb", "grün"]


def test_numbers_that_json_does_not_have(client):
    array = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    result = client.infer("add", [tensor(array)], outputs=[tritonclient.http.InferRequestedOutput("y", binary_data=False)])
    np.testing.assert_array_equal(result.as_numpy("y"), array + 1)


def test_errors(client):
    for model, status in [("none", "404"), ("full", "429")]:
        with pytest.raises(tritonclient.http.InferenceServerException) as error:
            client.infer(model, [tensor(np.ones(1, np.float32))])
        assert error.value.status() == status
    with pytest.raises(tritonclient.http.InferenceServerException, match="failed to load"):
        client.load_model("bad")
    client.load_model("new")
    client.unload_model("new")


def test_asyncio():
    async def run():
        async with tritonclient.http.aio.InferenceServerClient(HOST) as client:
            array = np.ones((1, 4), np.float32)
            results = await asyncio.gather(*[client.infer("add", [tensor(array)]) for _ in range(20)])
            return [result.as_numpy("y") for result in results]
    for result in asyncio.run(run()):
        np.testing.assert_array_equal(result, np.full((1, 4), 2, np.float32))


@pytest.mark.parametrize("binary", [True, False])
def test_kserve(binary):
    kserve = pytest.importorskip("kserve")
    from kserve.inference_client import RESTConfig

    async def run():
        client = kserve.InferenceRESTClient(RESTConfig(protocol="v2", timeout=30))
        assert await client.is_server_live(URL) and await client.is_server_ready(URL)
        assert await client.is_model_ready(URL, "add")
        made = kserve.InferInput("x", [1, 4], "FP32")
        made.set_data_from_numpy(np.ones((1, 4), np.float32), binary_data=binary)
        return await client.infer(URL, kserve.InferRequest(model_name="add", infer_inputs=[made]), model_name="add")
    answer = asyncio.run(run())
    np.testing.assert_array_equal(answer.outputs[0].as_numpy(), np.full((1, 4), 2, np.float32))


def curl(*arguments, body=None):
    return subprocess.run(["curl", "-sS", "--max-time", "20", *arguments], input=body, capture_output=True, check=True).stdout


def test_curl_waits_for_no_permission():
    """curl asks for permission above 1 MB, and sends the body after a second without an answer."""
    array = np.ones(400_000, np.float32)
    head = json.dumps({
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [400_000], "parameters": {"binary_data_size": 1_600_000}}],
        "parameters": {"binary_data_output": True}}).encode()
    out = curl(
        "-H", f"Inference-Header-Content-Length: {len(head)}", "-H", "Expect: 100-continue", "--data-binary", "@-",
        "-o", "/dev/null", "-w", "%{http_code} %{time_total}", f"{URL}/v2/models/add/infer",
        body=head + array.tobytes()).decode().split()
    assert out[0] == "200" and float(out[1]) < 0.9


def test_curl_json():
    body = b'{"inputs":[{"name":"x","datatype":"FP32","shape":[2],"data":[1,2]}]}'
    answer = json.loads(curl("-d", "@-", f"{URL}/v2/models/add/infer", body=body))
    assert answer["outputs"][0]["data"] == [2, 3]


def test_metrics_are_well_formed():
    text = urllib.request.urlopen(f"{URL}/metrics").read().decode()
    names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert {"coreml_serving_request_seconds", "coreml_serving_queue_depth", "nv_inference_count"} <= names
    for line in text.splitlines():
        if not line.startswith("#"):
            float(line.rsplit(" ", 1)[1])
