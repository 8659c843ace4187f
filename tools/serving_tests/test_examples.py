"""The clients of examples/serving against the server with the digits model.

SERVING_PROGRAM: the server; default: that of the debug build. Without one, the tests are skipped.
"""
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("SERVING_PROGRAM", CHECKOUT / ".build/debug/runtime-serve"))
CLIENTS = CHECKOUT / "examples/serving/clients"
PICTURES = sorted((CHECKOUT / "examples/digits").glob("*.png"))

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"{PROGRAM} is missing: 'swift build --product runtime-serve' makes it")


def free_ports(count):
    with_port = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in with_port]
    for one in with_port:
        one.close()
    return ports


@pytest.fixture(scope="module")
def ports():
    """The ports for HTTP and gRPC of a server that is ready. It must end in order."""
    http, grpc = free_ports(2)
    words = ["--http-port", str(http), "--grpc-port", str(grpc), "--compute-units", "cpuOnly", "--lame-duck", "0"]
    with subprocess.Popen([PROGRAM, CHECKOUT / "examples/digits/Digits.mlpackage", *words], stderr=subprocess.PIPE, text=True) as server:
        try:
            end = time.monotonic() + 60
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{http}/v2/health/ready", timeout=5):
                        break
                except OSError:
                    assert server.poll() is None and time.monotonic() < end, "the server does not become ready"
                    time.sleep(0.1)
            yield http, grpc
        finally:
            server.terminate()
            server.wait(60)
        assert server.returncode == 0


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(lines):
    """Each picture has the name of its digit."""
    assert len(lines) == len(PICTURES) > 0
    for path, line in zip(PICTURES, lines):
        label, probability = line.split()[-2:]
        assert label == path.stem and float(probability) > 0.9


def test_curl(ports):
    answers = run("bash", CLIENTS / "curl.sh", f"http://127.0.0.1:{ports[0]}")
    assert '{"ready":true}' in answers and '"FP64"' in answers and answers.count('"seven"') >= 2
    assert ":seven" in answers


def test_tritonclient_http(ports):
    pytest.importorskip("tritonclient.http")
    check(run(sys.executable, CLIENTS / "predict_http.py", f"127.0.0.1:{ports[0]}", *PICTURES).splitlines())


def test_tritonclient_grpc(ports):
    pytest.importorskip("tritonclient.grpc")
    check(run(sys.executable, CLIENTS / "predict_grpc.py", f"127.0.0.1:{ports[1]}", *PICTURES).splitlines())
