"""Prediction of Dask frames and arrays.

    from coreml_runtime import dask as coreml
    coreml.predict(dask.dataframe.read_parquet("data/"), "Digits.mlpackage")  # kept columns, outputs, error, model
    coreml.predict_array(array, "Sums.mlmodel")                               # one output, with the same row axis
    client.register_plugin(coreml.Opened("Digits.mlpackage"))                 # opens the model when a worker starts
"""
import os

import numpy as np

from ._library import Error
from ._rows import Rows


def cores():
    """The number of cores per task: the cores of the worker process, divided by its threads."""
    try:
        from distributed import get_worker

        worker = get_worker()
        return max(1, len(os.sched_getaffinity(0)) // max(worker.state.nthreads, 1)) if worker.state.nthreads > 1 else worker.state.nthreads
    except (ImportError, ValueError):
        return 1


def _rows(model, options):
    return model if isinstance(model, Rows) else Rows(model, **options)


def _of_partition(frame, rows):
    from ._batches import of_frame

    return of_frame(rows, rows.open(cores()), frame)


def predict(frame, model, **options):
    """Predicts a Dask frame. Returns a frame of the kept columns, the outputs, the error and the digest, lazily.

    The result has the same partitions. `options` are those of ``Rows``.
    """
    rows = _rows(model, options)
    return frame.map_partitions(_of_partition, rows, meta=_of_partition(frame._meta.iloc[:0], rows))


def _of_block(block, rows, name):
    model = rows.open(cores())
    results = rows.predict(model, {model.inputs[0].name: block}, len(block))
    if results.errors:
        row, sentence = next(iter(results.errors.items()))
        raise Error(f"row {row}: {sentence}", "runtime.invalid-input")
    return results.array(next(each for each in model.outputs if each.name == name))


def predict_array(array, model, *, output=None, **options):
    """Predicts a Dask array of shape (rows, ...) with a model that has one input. Returns one output as a Dask array.

    output: name of the output. Default: the only output. It must be a tensor or a number.
    The function rechunks the array so that no block splits a row. A failed row fails its block, because an array cannot
    hold an error message.
    """
    rows = _rows(model, options)
    told = rows.open(cores())
    if output is None and len(told.outputs) != 1:
        raise Error(f"the model has {len(told.outputs)} outputs: name one of {', '.join(each.name for each in told.outputs)}", "runtime.invalid-input")
    known = [each for each in told.outputs if output in (None, each.name)]
    if not known or known[0].kind not in ("tensor", "int64", "double"):
        raise Error(f"the model has no output '{output}' of numbers; it has {', '.join(each.name for each in told.outputs)}", "runtime.invalid-input")
    array = array.rechunk({axis: -1 for axis in range(1, array.ndim)})
    # Predict one row of zeros for the shape and the type of the result.
    row = _of_block(np.zeros((1, *array.shape[1:]), array.dtype), rows, known[0].name)
    chunks = (array.chunks[0], *((size,) for size in row.shape[1:]))
    fewer = {"drop_axis": list(range(row.ndim, array.ndim))} if row.ndim < array.ndim else {}
    more = {"new_axis": list(range(array.ndim, row.ndim))} if row.ndim > array.ndim else {}
    return array.map_blocks(_of_block, rows, known[0].name, dtype=row.dtype, chunks=chunks, meta=row[:0], **fewer, **more)


try:
    from distributed import WorkerPlugin
except ImportError:  # dask without distributed has no workers
    WorkerPlugin = object


class Opened(WorkerPlugin):
    """A worker plugin that opens a model when a worker starts."""

    def __init__(self, model, **options):
        self.rows = _rows(model, options)
        self.name = f"coreml_runtime-{self.rows.digest[:12]}"

    def setup(self, worker):
        nthreads = worker.state.nthreads
        self.rows.open(max(1, len(os.sched_getaffinity(0)) // nthreads) if nthreads > 1 else 1)


def _do(part, task, threads):
    return task(part, threads or cores())


def parts(task, parts, address, workers, threads):
    """The engine "dask": runs the parts of a batch on a cluster. Yields (name, rows, failed rows) as parts finish."""
    from distributed import Client, LocalCluster, as_completed, get_client

    try:
        client, ours, cluster = get_client(), False, None
    except ValueError:
        cluster = None if address else LocalCluster(n_workers=workers or len(os.sched_getaffinity(0)), threads_per_worker=1, dashboard_address=None)
        client, ours = Client(address or cluster), True
    try:
        for future in as_completed(client.map(_do, parts, task=task, threads=threads, pure=False, retries=3)):
            yield future.result()
    finally:
        if ours:
            client.close()
            if cluster is not None:
                cluster.close()
