"""Prediction of Ray data sets.

    from coreml_runtime.ray import Predictor
    data = ray.data.read_parquet("data/")
    data.map_batches(Predictor, fn_constructor_kwargs={"model": "Digits.mlpackage"}, concurrency=4, num_cpus=1)
"""
import os

import ray

from ._rows import Rows


def cores(default=1):
    """The number of cores that Ray assigns to this task or actor, rounded down, at least 1."""
    try:
        given = ray.get_runtime_context().get_assigned_resources().get("CPU")
    except Exception:  # not in a Ray worker
        given = None
    return max(1, int(given if given is not None else default))


class Predictor:
    """A class for ``Dataset.map_batches``: an actor that opens the model once.

    model, options: the arguments of ``Rows``, or a ``Rows``. Each worker opens the model at its path. It raises
        ``Error`` if the files differ from those of the driver. Default threads: the cores that Ray assigns.

    A batch is a dictionary of arrays, an Arrow table or a pandas frame, and the result has the same type. It has the
    kept columns, the outputs, ``error`` and ``model``. In arrays, a failed row is NaN, 0 for integers, else None.
    """

    def __init__(self, model, **options):
        self.rows = model if isinstance(model, Rows) else Rows(model, **options)
        self.model = self.rows.open(cores())

    def __call__(self, batch):
        from ._batches import predict

        return predict(self.rows, self.model, batch)


def parts(task, parts, address, workers, threads):
    """The engine "ray": runs the parts of a batch on a cluster. Yields (name, rows, failed rows) as parts finish."""
    was_there = ray.is_initialized()
    if not was_there:
        ray.init(address=address, log_to_driver=False, logging_level="error")
    try:
        work = ray.remote(num_cpus=threads or 1, max_retries=-1)(_do).options(name="coreml_runtime.batch")
        task = ray.put(task)
        # Bounds the tasks in flight: enough that no worker idles, but not a million for the scheduler to hold.
        room = workers or max(16, 4 * int(ray.cluster_resources().get("CPU", 1)))
        left, running = iter(parts), []
        while True:
            for part in left:
                running.append(work.remote(task, part, threads or 1))
                if len(running) >= room:
                    break
            if not running:
                return
            ended, running = ray.wait(running, num_returns=1)
            for one in ended:
                yield _got(one)
    finally:
        if not was_there:
            ray.shutdown()


def _do(task, part, threads):
    return (*task(part, threads), os.getpid())


def _got(reference):
    try:
        return ray.get(reference)[:3]
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, Exception):
            raise error.cause from None
        raise
