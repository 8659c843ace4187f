"""Beam's direct runner with two worker processes."""
import os
import pathlib
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pyarrow.dataset
import pytest

pytest.importorskip("apache_beam")
import apache_beam as beam
from apache_beam.ml.inference.base import KeyedModelHandler, ModelMetadata, PredictionResult, RunInference
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that

from conftest import BAD, DIGITS, ROWS, SUMS, Killer, check, parts_are_there, told, workers_of
from coreml_runtime import Error, Model, _beam_parts
from coreml_runtime._digest import digest
from coreml_runtime._parts import Part
from coreml_runtime.batch import run
from coreml_runtime.beam import CoreMLModelHandler

ONE = ["--runner=DirectRunner", "--direct_running_mode=in_memory"]
TWO = ["--runner=DirectRunner", "--direct_running_mode=multi_processing", "--direct_num_workers=2"]


def array(number):
    return np.array([[number % 1000, 1, 2]], np.float32)


def row(number):
    return {"a": array(number)}


def right(results):
    assert len(results) == ROWS and len({key for key, _ in results}) == ROWS
    for key, result in results[::97]:
        np.testing.assert_allclose(result.inference["y"], 2 * array(key) + 0.5)
    assert {result.model_id for _, result in results} == {digest(SUMS)}


def test_keyed_in_two_processes():
    began = time.monotonic()
    with beam.Pipeline(options=PipelineOptions(TWO)) as pipeline:
        handler = KeyedModelHandler(CoreMLModelHandler(SUMS, min_batch_size=100, max_batch_size=1000))
        results = (
            pipeline | beam.Create(range(0, ROWS, 1000)) | beam.Reshuffle() | beam.FlatMap(lambda first: range(first, min(first + 1000, ROWS)))
            | beam.Map(lambda number: (number, row(number))) | RunInference(handler))
        assert_that(results, right)
    told("beam, two processes", time.monotonic() - began)


def test_rows_that_fail():
    examples = [row(1), {"a": np.ones((2, 2), np.float32)}, row(3)]
    with beam.Pipeline(options=PipelineOptions(ONE)) as pipeline:
        good, bad = pipeline | beam.Create(examples) | RunInference(
            CoreMLModelHandler(SUMS, max_batch_size=1)).with_exception_handling()
        assert_that(good, lambda results: assert_count(results, 2), label="good")
        assert_that(bad.failed_inferences, lambda results: assert_count(results, 1), label="bad")
    with beam.Pipeline(options=PipelineOptions(ONE)) as pipeline:
        recorded = pipeline | beam.Create(examples) | RunInference(CoreMLModelHandler(SUMS, on_error="record", min_batch_size=3, max_batch_size=3))
        assert_that(recorded, lambda results: assert_errors(results))


def assert_count(results, count):
    assert len(results) == count, results


def assert_errors(results):
    errors = [result.inference["error"] for result in results if "error" in result.inference]
    assert len(results) == 3 and len(errors) == 1 and "allowed range" in errors[0]


def test_handler(tmp_path):
    handler = CoreMLModelHandler(DIGITS / "Digits.mlpackage", max_batch_size=8)
    model = handler.load_model()
    assert isinstance(model, Model) and handler.batch_elements_kwargs() == {"max_batch_size": 8}
    results = handler.run_inference([str(DIGITS / "seven.png"), (DIGITS / "two.png").read_bytes()], model)
    assert [result.inference["classLabel"] for result in results] == ["seven", "two"] and isinstance(results[0], PredictionResult)
    assert handler.get_num_bytes([array(1), row(2), b"123"]) == 27
    with pytest.raises(ValueError):
        handler.validate_inference_args({"x": 1})
    # Replace the model, as WatchFilePattern and side inputs do.
    handler.update_model_path(str(SUMS))
    result = handler.run_inference([row(4), row(5)], handler.load_model())[1]
    np.testing.assert_allclose(result.inference["y"], 2 * array(5) + 0.5)
    assert result.model_id == digest(SUMS)
    with pytest.raises(Error, match="No such file"):
        CoreMLModelHandler("/nothing.mlmodel")


def test_a_new_model_while_it_runs(tmp_path):
    other = pathlib.Path(tmp_path / "other.mlmodel")
    other.write_bytes(SUMS.read_bytes())
    with beam.Pipeline(options=PipelineOptions(ONE)) as pipeline:
        updates = pipeline | "model" >> beam.Create([ModelMetadata(model_id=str(other), model_name="other")])
        results = pipeline | beam.Create([row(1), row(2)]) | RunInference(
            CoreMLModelHandler(SUMS), model_metadata_pcoll=updates)
        assert_that(results, lambda results: assert_count(results, 2))


def workers():
    # Beam starts a worker through a shell, which may stay as its parent.
    return workers_of("python -m apache_beam.runners.worker.sdk_worker_main")[-1:]


def are_gone(pids):
    until = time.monotonic() + 10
    while any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < until:
        time.sleep(0.1)
    return not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize("which", ["worker", "pipeline"])
def test_a_worker_that_is_killed(data, tmp_path, which):
    began = time.monotonic()
    steps = []
    with Killer(parts_are_there(tmp_path / "out"), workers if which == "worker" else lambda: workers_of("_beam_parts")) as killer:
        done = run(SUMS, data, tmp_path / "out", engine="beam", workers=2, part_rows=1000, told=lambda *step: steps.append(step))
    told(f"beam, parts in two processes, a {which} killed", time.monotonic() - began)
    assert done == (ROWS, len(BAD)) and killer.killed is not None
    assert [step[0] for step in steps] == list(range(steps[-1][1] + 1))
    check(pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table().to_pydict())
    assert not workers_of("sdk_worker_main") and not workers_of("_beam_parts")


@dataclass(frozen=True)
class Task:
    """A task that kills its worker or raises an ``Error``."""

    folder: str
    how: str

    def __call__(self, part, threads):
        with open(pathlib.Path(self.folder) / "tries", "a") as file:
            file.write("x")
        if self.how == "raises":
            raise Error("it went wrong: ä", "test.code", Error.NO_MEMORY)
        os.kill(os.getpid(), signal.SIGKILL)

    def path(self, part):
        return pathlib.Path(self.folder) / part.name


PART = Part("part-00000-00000", "", 0, 0, 0, 0)


def test_what_is_wrong_is_one_error(data, tmp_path):
    with pytest.raises(Error, match="^the table has no column 'other' for the input 'a'; it has id, a$") as raised:
        run(SUMS, data, tmp_path / "out", engine="beam", columns={"a": "other"})
    assert type(raised.value) is Error and not list((tmp_path / "out").glob("part-*"))
    with pytest.raises(Error, match="^it went wrong: ä$") as raised:
        list(_beam_parts.parts(Task(str(tmp_path), "raises"), [PART], None, 1, None))
    assert (raised.value.code, raised.value.status) == ("test.code", Error.NO_MEMORY)
    assert (tmp_path / "tries").read_text() == "x" and not workers_of("_beam_parts")


def test_a_part_that_kills_every_worker(tmp_path):
    with pytest.raises(Error, match="^Beam left 1 of the parts undone: RuntimeError: Worker subprocess exited with return code"):
        list(_beam_parts.parts(Task(str(tmp_path), "kills"), [PART], None, 1, None))
    assert (tmp_path / "tries").read_text() == "x" * 4 and not workers_of("sdk_worker_main")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_of_a_batch_that_is_stopped(data, tmp_path, how):
    command = [
        sys.executable, "-m", "coreml_runtime.batch", str(SUMS), "--input", str(data), "--output", str(tmp_path / "out"), "--engine", "beam", "--workers", "2",
        "--rows", "100"]
    batch = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    there = parts_are_there(tmp_path / "out")
    while batch.poll() is None and not there():
        time.sleep(0.01)
    pids = workers_of("sdk_worker_main") + workers_of("_beam_parts")
    batch.send_signal(how)
    assert batch.wait(30) == {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -9}[how]
    assert len(pids) >= 3 and are_gone(pids)
    if how == signal.SIGKILL:
        assert subprocess.run([*command, "--resume"], stderr=subprocess.DEVNULL).returncode == 0
        check(pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table().to_pydict())


def test_a_job_service(data, tmp_path):
    with subprocess.Popen(
            [sys.executable, "-u", "-m", "apache_beam.runners.portability.local_job_service_main", "-p", "0", "--port_file", str(tmp_path / "port")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as service:
        try:
            port = tmp_path / "port"
            while service.poll() is None and not (port.exists() and port.read_text()):
                time.sleep(0.1)
            address = f"localhost:{port.read_text()}"
            assert run(SUMS, data, tmp_path / "out", engine="beam", address=address) == (ROWS, len(BAD))
        finally:
            service.kill()
    check(pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table().to_pydict())
    options = "--runner=FnApiRunner --direct_running_mode=in_memory"
    assert run(SUMS, data, tmp_path / "more", engine="beam", address=options) == (ROWS, len(BAD))
