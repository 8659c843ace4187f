"""Beam's direct runner, in two processes."""
import pathlib
import time

import numpy as np
import pytest

pytest.importorskip("apache_beam")
import apache_beam as beam
from apache_beam.ml.inference.base import KeyedModelHandler, ModelMetadata, PredictionResult, RunInference
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that

from conftest import DIGITS, ROWS, SUMS, told
from coreml_runtime import Error, Model
from coreml_runtime._digest import digest
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
    # A new model in the place of the old one, as WatchFilePattern and side inputs bring it.
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
