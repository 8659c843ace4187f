"""Drives a `serving-fake-server` with real clients. Called by tools/test-serving-grpc."""

import asyncio
import base64
import contextlib
import pathlib
import queue
import re
import signal
import subprocess
import sys
import tempfile
import time

import grpc
import numpy as np
import tritonclient.grpc as triton
import tritonclient.grpc.aio as triton_aio
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2  # noqa: F401 - registers the descriptors
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

ROOT = pathlib.Path(__file__).resolve().parent.parent
SERVER = sys.argv[1]


@contextlib.contextmanager
def server(**options):
    process = subprocess.Popen(
        [SERVER, *(f"{name}={value}" for name, value in options.items())], stdout=subprocess.PIPE, text=True
    )
    try:
        yield f"localhost:{int(process.stdout.readline())}", process
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0, "the server did not end in order"
    finally:
        process.kill()
        process.wait()


def refused(code, words, body):
    try:
        body()
    except InferenceServerException as error:
        assert error.status() == f"StatusCode.{code}", error
        assert words in error.message(), error
    except grpc.RpcError as error:
        assert error.code().name == code and words in error.details(), error
    else:
        raise AssertionError(f"expected {code}")


def tensor(name, array, datatype):
    value = triton.InferInput(name, list(array.shape), datatype)
    value.set_data_from_numpy(array)
    return value


def compare_descriptors():
    """Our messages have the fields, numbers and types of theirs."""
    text = (ROOT / "Sources/ServingMessages/Generated/Descriptors.swift").read_text()
    encoded = re.search(r'"""(.*)"""', text, re.S).group(1).replace("\\", "")
    files = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode("".join(encoded.split())))
    pool, theirs = descriptor_pool.DescriptorPool(), descriptor_pool.Default()
    for file in files.file:
        pool.Add(file)

    def key(field):
        kind = field.message_type or field.enum_type
        one = field.containing_oneof
        return field.name, field.number, field.type, field.is_repeated, kind and kind.full_name, one and one.name

    def check(message, is_part):
        ours = {key(field) for field in message.fields}
        other = {key(field) for field in theirs.FindMessageTypeByName(message.full_name).fields}
        assert ours <= other if is_part else ours == other, (message.full_name, ours ^ other)
        for inner in message.nested_types:
            check(inner, is_part)
        return len(ours)

    count = 0
    for file in files.file:
        if file.package == "grpc.reflection.v1":
            continue
        ours = pool.FindFileByName(file.name)
        count += sum(check(message, file.name == "model_config.proto") for message in ours.message_types_by_name.values())
        for enum in ours.enum_types_by_name.values():
            values = {(value.name, value.number) for value in enum.values}
            assert values == {(value.name, value.number) for value in theirs.FindEnumTypeByName(enum.full_name).values}
        for service in ours.services_by_name.values():
            other = theirs.FindServiceByName(service.full_name)
            assert {m.name for m in service.methods} == {m.name for m in other.methods}, service.full_name
    assert count > 200, count


def test_methods(address):
    client = triton.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("echo") and not client.is_model_ready("sleep")
    assert client.get_server_metadata().name == "coreml-runtime"
    assert client.get_model_metadata("echo", "1", as_json=True)["platform"] == "coreml"
    assert client.get_model_config("echo").config.max_batch_size == 8
    assert client.get_inference_statistics().model_stats[0].inference_count == 3
    assert [model.name for model in client.get_model_repository_index().models] == ["echo", "lost"]
    client.load_model("new", config="{}")
    assert client.is_model_ready("new")
    client.unload_model("new")
    refused("NOT_FOUND", "no model 'new'", lambda: client.is_model_ready("new"))
    refused("INVALID_ARGUMENT", "failed to load 'lost'", lambda: client.load_model("lost"))
    refused("UNIMPLEMENTED", "has a file", lambda: client.load_model("x", config="{}", files={"file:1/m": b"x"}))
    client.unregister_system_shared_memory()
    client.unregister_cuda_shared_memory()
    assert len(client.get_system_shared_memory_status().regions) == 0
    refused("UNIMPLEMENTED", "System shared", lambda: client.register_system_shared_memory("r", "/r", 4))
    refused("UNIMPLEMENTED", "CUDA shared", lambda: client.register_cuda_shared_memory("r", b"", 0, 4))
    assert not client.get_trace_settings().settings and not client.get_log_settings().settings
    refused("UNIMPLEMENTED", "trace settings", lambda: client.update_trace_settings(settings={"trace_rate": "1"}))
    refused("UNIMPLEMENTED", "log settings", lambda: client.update_log_settings({"log_info": True}))
    client.close()


def test_infer(address):
    client = triton.InferenceServerClient(address)
    arrays = {
        "FP32": np.arange(32, dtype=np.float32).reshape(2, 16),
        "FP16": np.array([[1.5, -2]], np.float16),
        "FP64": np.array([0.1]),
        "INT64": np.array([-(2**63), 5]),
        "UINT8": np.arange(256, dtype=np.uint8).reshape(4, 64),
        "BOOL": np.array([True, False]),
        "BYTES": np.array([b"ab", b"", "grüße".encode()], dtype=object),
    }
    for compression in (None, "gzip", "deflate"):
        inputs = [tensor(datatype.lower(), array, datatype) for datatype, array in arrays.items()]
        result = client.infer("echo", inputs, request_id="r", compression_algorithm=compression)
        assert result.get_response().id == "r"
        for datatype, array in arrays.items():
            found = result.as_numpy(datatype.lower())
            assert found.dtype == array.dtype and (found == array).all(), (datatype, found)
    one = [tensor("x", np.zeros((1, 4), np.float32), "FP32")]
    wanted = triton.InferRequestedOutput("top", class_count=2)
    assert list(client.infer("echo", one, outputs=[wanted]).as_numpy("top")[0]) == [b"0.500000:0:label0", b"0.500000:1:label1"]
    client.infer("echo", one, sequence_id=2**64 - 1, sequence_start=True, sequence_end=True, priority=1, timeout=10**6)
    refused("NOT_FOUND", "no model 'nobody'", lambda: client.infer("nobody", one))
    refused("NOT_FOUND", "no version '7'", lambda: client.infer("echo", one, model_version="7"))
    refused("RESOURCE_EXHAUSTED", "This is", lambda: client.infer("fail.serving.exhausted", one))
    refused("INTERNAL", "This is", lambda: client.infer("fail.serving.failed", one))
    slow = [tensor("x", np.array([60_000], np.int32), "INT32")]
    begin = time.monotonic()
    refused("DEADLINE_EXCEEDED", "", lambda: client.infer("sleep", slow, client_timeout=0.3))
    assert time.monotonic() - begin < 10
    answers = queue.Queue()
    call = client.async_infer("sleep", slow, lambda result, error: answers.put(error))
    time.sleep(0.2)
    call.cancel()
    assert "CANCELLED" in answers.get(timeout=10).status()
    client.close()


def test_limits(address):
    """A large tensor passes; a message that grows beyond the limit when it is decompressed does not."""
    client = triton.InferenceServerClient(address)
    large = np.random.default_rng(1).random((1, 3, 1024, 1024), np.float32)
    assert (client.infer("echo", [tensor("x", large, "FP32")]).as_numpy("x") == large).all()
    bomb = [tensor("x", np.zeros(100 << 20, np.uint8), "UINT8")]
    refused("RESOURCE_EXHAUSTED", "", lambda: client.infer("echo", bomb, compression_algorithm="gzip"))
    client.close()
    # Bytes that are no message.
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
        refused("INVALID_ARGUMENT", "announces 5 bytes", lambda: call(b"\x0a\x05"))
        refused("UNIMPLEMENTED", "", lambda: channel.unary_unary("/inference.GRPCInferenceService/Nothing")(b""))


def test_stream(address):
    client = triton.InferenceServerClient(address)
    answers = queue.Queue()
    client.start_stream(lambda result, error: answers.put((result, error)))
    for index in range(40):
        model = "nobody" if index % 10 == 9 else "echo"
        client.async_stream_infer(
            model, [tensor("x", np.full((1, 2), index, np.float32), "FP32")], request_id=str(index),
            enable_empty_final_response=True,
        )
    for index in range(40):
        result, error = answers.get(timeout=20)
        if index % 10 == 9:
            assert "no model 'nobody'" in error.message()
        else:
            assert error is None and result.get_response().id == str(index) and result.as_numpy("x")[0][0] == index
            assert result.get_response().parameters["triton_final_response"].bool_param
    client.stop_stream()
    client.close()


async def test_aio(address):
    async with triton_aio.InferenceServerClient(address) as client:
        assert await client.is_server_ready()
        values = await asyncio.gather(
            *(client.infer("echo", [tensor("x", np.array([index], np.int32), "INT32")]) for index in range(50))
        )
        assert [int(value.as_numpy("x")[0]) for value in values] == list(range(50))

        async def requests():
            for index in range(10):
                yield {"model_name": "echo", "inputs": [tensor("x", np.array([index], np.int32), "INT32")]}

        found = [int(result.as_numpy("x")[0]) async for result, error in client.stream_infer(requests()) if not error]
        assert found == list(range(10)), found


def test_health(address):
    with grpc.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)

        def status(name):
            return stub.Check(health_pb2.HealthCheckRequest(service=name)).status

        assert status("") == status("echo") == health_pb2.HealthCheckResponse.SERVING
        assert status("sleep") == health_pb2.HealthCheckResponse.NOT_SERVING
        refused("NOT_FOUND", "no model 'nobody'", lambda: status("nobody"))
        watch = stub.Watch(health_pb2.HealthCheckRequest())
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        watch.cancel()
        database = ProtoReflectionDescriptorDatabase(channel)
        assert "inference.GRPCInferenceService" in database.get_services()
        pool = descriptor_pool.DescriptorPool(database)
        assert len(pool.FindServiceByName("inference.GRPCInferenceService").methods) == 20


def test_tokens():
    with server(token="secret") as (address, _):
        client = triton.InferenceServerClient(address)
        one = [tensor("x", np.zeros((1, 4), np.float32), "FP32")]
        assert client.is_server_ready()
        refused("UNAUTHENTICATED", "bearer token", lambda: client.infer("echo", one))
        refused("PERMISSION_DENIED", "", lambda: client.infer("echo", one, headers={"authorization": "Bearer x"}))
        headers = {"authorization": "Bearer secret"}
        client.infer("echo", one, headers=headers)
        refused("PERMISSION_DENIED", "'admin'", lambda: client.load_model("x", headers=headers))
        client.close()


def test_tls():
    with tempfile.TemporaryDirectory() as folder:

        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, cwd=folder, capture_output=True)

        new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-addext", "subjectAltName=DNS:localhost"]
        for name in ("server", "client", "stranger"):
            openssl(*new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        files = pathlib.Path(folder)

        def ready(address, name=None):
            key, chain = (files / f"{name}.{kind}" if name else None for kind in ("key", "pem"))
            client = triton.InferenceServerClient(
                address, ssl=True, root_certificates=str(files / "server.pem"),
                private_key=key and str(key), certificate_chain=chain and str(chain),
            )
            with contextlib.closing(client):
                return client.is_server_ready(client_timeout=5)

        with server(chain=files / "server.pem", key=files / "server.key") as (address, _):
            assert ready(address)
        with server(
            chain=files / "server.pem", key=files / "server.key", authorities=files / "client.pem"
        ) as (address, _):
            assert ready(address, "client")
            for name in (None, "stranger"):
                refused("UNAVAILABLE", "", lambda name=name: ready(address, name))


def test_drain():
    """A request that runs when the server is told to end is answered."""
    with server() as (address, process):
        client = triton.InferenceServerClient(address)
        answers = queue.Queue()
        slow = [tensor("x", np.array([1000], np.int32), "INT32")]
        client.async_infer("sleep", slow, lambda result, error: answers.put(error))
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        assert answers.get(timeout=20) is None
        assert process.wait(20) == 0
        client.close()


def measure(address, process):
    """Processor time of the server for each small call, and for a call of 602 kB there and back."""

    def seconds():
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    for name, shape, count in (("64 bytes", (1, 16), 20_000), ("602 kB", (1, 3, 224, 224), 400)):
        message = service_pb2.ModelInferRequest(model_name="echo")
        message.inputs.add(name="x", datatype="FP32", shape=shape)
        message.raw_input_contents.append(np.zeros(shape, np.float32).tobytes())
        with tempfile.NamedTemporaryFile() as file:
            body = message.SerializeToString()
            file.write(b"\0" + len(body).to_bytes(4, "big") + body)
            file.flush()
            for clients in (1, 8):
                begin = seconds()
                subprocess.run(
                    ["h2load", "-n", str(count), "-c", str(clients), "-m", "1", "-d", file.name,
                     "-H", "content-type: application/grpc", "-H", "te: trailers",
                     f"http://{address}/inference.GRPCInferenceService/ModelInfer"],
                    check=True, stdout=subprocess.DEVNULL,
                )
                print(f"{name}, {clients} clients: {(seconds() - begin) / count * 1e6:.0f} us of processor a call")


compare_descriptors()
with server() as (address, process):
    for test in (test_methods, test_infer, test_stream, test_health, test_limits):
        test(address)
        print(test.__name__, "passed", flush=True)
    asyncio.run(test_aio(address))
    print("test_aio passed")
    if "--measure" in sys.argv:
        measure(address, process)
for test in (test_tokens, test_tls, test_drain):
    test()
    print(test.__name__, "passed", flush=True)
