"""Predictions in Dask.

    from coreml_runtime import dask as coreml
    coreml.predict(dask.dataframe.read_parquet("data/"), "Digits.mlpackage")   # the frame's columns, the outputs, error, model
    coreml.predict_array(array, "Sums.mlmodel")                                # an array by rows into an array by rows
    client.register_plugin(coreml.Opened("Digits.mlpackage"))                  # workers open the model before they have work
"""
import os

import numpy as np

from ._library import Error
from ._rows import Rows


def cores():
    """The cores that a task of this worker has: those of the process, by its threads."""
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
    """A dask frame with the columns that are kept, the outputs, the errors and the digest; a partition for each. Options are those of ``Rows``."""
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
    """A dask array by rows through a model of one input: its only output, or the one named. A block has all of a row; a row that fails fails its
    block, as an array has no room for a sentence."""
    rows = _rows(model, options)
    told = rows.open(cores())
    if output is None and len(told.outputs) != 1:
        raise Error(f"the model has {len(told.outputs)} outputs: name one of {', '.join(each.name for each in told.outputs)}", "runtime.invalid-input")
    known = [each for each in told.outputs if output in (None, each.name)]
    if not known or known[0].kind not in ("tensor", "int64", "double"):
        raise Error(f"the model has no output '{output}' of numbers; it has {', '.join(each.name for each in told.outputs)}", "runtime.invalid-input")
    array = array.rechunk({axis: -1 for axis in range(1, array.ndim)})
    # The shape of a row is that of one row's results.
    row = _of_block(np.zeros((1, *array.shape[1:]), array.dtype), rows, known[0].name)
    chunks = (array.chunks[0], *((size,) for size in row.shape[1:]))
    fewer = {"drop_axis": list(range(row.ndim, array.ndim))} if row.ndim < array.ndim else {}
    more = {"new_axis": list(range(array.ndim, row.ndim))} if row.ndim > array.ndim else {}
    return array.map_blocks(_of_block, rows, known[0].name, dtype=row.dtype, chunks=chunks, meta=row[:0], **fewer, **more)


try:
    from distributed import WorkerPlugin
except ImportError:  # dask alone, without workers
    WorkerPlugin = object


class Opened(WorkerPlugin):
    """Has every worker open a model when it starts."""

    def __init__(self, model, **options):
        self.rows = _rows(model, options)
        self.name = f"coreml_runtime-{self.rows.digest[:12]}"

    def setup(self, worker):
        nthreads = worker.state.nthreads
        self.rows.open(max(1, len(os.sched_getaffinity(0)) // nthreads) if nthreads > 1 else 1)


def _do(part, task, threads):
    return task(part, threads or cores())


def parts(task, parts, address, workers, threads):
    """Has a cluster do the parts of a batch: (name, rows, failed) of each, as they end."""
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
