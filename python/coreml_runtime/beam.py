"""Prediction in Beam pipelines.

    from coreml_runtime.beam import CoreMLModelHandler
    rows | RunInference(CoreMLModelHandler("Digits.mlpackage"))                  # PredictionResult(example, inference, model_id)
    keyed | RunInference(KeyedModelHandler(CoreMLModelHandler("Digits.mlpackage")))

For files of rows, use ``python -m coreml_runtime.batch --engine beam``.
"""
import os

import numpy as np
from apache_beam.ml.inference.base import ModelHandler, PredictionResult

from ._beam_parts import parts  # noqa: F401  coreml_runtime.batch imports it from here
from ._library import Error
from ._rows import Rows


class CoreMLModelHandler(ModelHandler):
    """A model handler for ``RunInference``.

    An example is a value that ``Model.predict`` accepts: an array, a dictionary by input name, the path or bytes of an
    image. An inference is a dictionary of the outputs. ``model_id`` is the model's digest.

    model: the path of a model. Each worker opens it there.
    on_error: "raise" fails the whole batch of a failed row; ``with_exception_handling`` moves its rows to its other
        output. "record" makes ``{"error": message}`` the inference of a failed row and continues.
    min_batch_size, max_batch_size, large_model, model_copies: as for Beam's other model handlers.
    threads: threads of one prediction.
    options: options of ``Model``.

    ``RunInference(..., model_metadata_pcoll=...)`` replaces the model while the pipeline runs.
    """

    def __init__(
        self, model, *, on_error="raise", min_batch_size=None, max_batch_size=None, large_model=False, model_copies=None, threads=1,
        **options,
    ):
        if on_error not in ("raise", "record"):
            raise Error(f"on_error is {on_error!r}, expected 'raise' or 'record'", "python.value", Error.INVALID_ARGUMENT)
        super().__init__()
        self.rows = Rows(model, threads=threads, **options)
        self.on_error = on_error
        self._sizes = {
            key: size for key, size in [("min_batch_size", min_batch_size), ("max_batch_size", max_batch_size)] if size is not None}
        self._large, self._copies = large_model, model_copies
        self._env_vars = {}

    def load_model(self):
        return self.rows.open()

    def update_model_path(self, model_path=None):
        """Replaces the model; computes the digest of the new path now."""
        if model_path:
            self.rows = Rows(model_path, threads=self.rows.threads, **self.rows.options)

    def run_inference(self, batch, model, inference_args=None):
        if inference_args:
            raise Error("a Core ML model takes no inference arguments", "python.value", Error.INVALID_ARGUMENT)
        return [PredictionResult(example, made, self.rows.digest) for example, made in zip(batch, self._made(list(batch), model))]

    def _made(self, batch, model):
        whole = _together(batch, model)
        if whole is not None:
            try:
                columns = model.predict_batch(whole)
                return [{name: values[row] for name, values in columns.items()} for row in range(len(batch))]
            except Error:
                if self.on_error == "raise":
                    raise
        made = model.predict_batch(batch, on_error=self.on_error)
        return [{"error": each.message} if isinstance(each, Error) else each for each in made]

    def validate_inference_args(self, inference_args):
        if inference_args:
            raise ValueError("a Core ML model takes no inference arguments")

    def get_num_bytes(self, batch):
        return sum(_size(example) for example in batch)

    def get_metrics_namespace(self):
        return "BeamML_CoreML"

    def batch_elements_kwargs(self):
        return self._sizes

    def share_model_across_processes(self):
        return self._large

    def model_copies(self):
        return self._copies or 1


def _together(batch, model):
    """The examples as columns with a row axis. None unless all are arrays of one shape and type per input."""
    names = [each.name for each in model.inputs]
    if any(each.kind != "tensor" for each in model.inputs) or len(batch) < 2:
        return None
    rows = [{names[0]: example} if isinstance(example, np.ndarray) and len(names) == 1 else example for example in batch]
    if not all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
        return None
    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        if not all(isinstance(value, np.ndarray) and value.shape == values[0].shape and value.dtype == values[0].dtype for value in values):
            return None
        columns[name] = np.stack(values)
    return columns


def _size(example):
    if isinstance(example, dict):
        return sum(map(_size, example.values()))
    if isinstance(example, (str, os.PathLike)):
        return len(os.fspath(example))
    return int(getattr(example, "nbytes", 0) or (len(example) if hasattr(example, "__len__") else 8))
