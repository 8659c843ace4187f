"""Predictions in Ray.

    from coreml_runtime.ray import Predictor
    data = ray.data.read_parquet("data/")
    data.map_batches(Predictor, fn_constructor_kwargs={"model": "Digits.mlpackage"}, concurrency=4, num_cpus=1)
"""
import os

import ray

from ._rows import Rows


def cores(default=1):
    """The whole cores that Ray gives a task or an actor; a part of one is one."""
    try:
        given = ray.get_runtime_context().get_assigned_resources().get("CPU")
    except Exception:  # outside of Ray
        given = None
    return max(1, int(given if given is not None else default))


class Predictor:
    """What ``Dataset.map_batches`` takes: an actor that opens the model once.

    It takes what ``Rows`` takes: the path of a model (a worker opens it where it is; files that are others than where the data set was made fail),
    columns, outputs, keep, threads (those that Ray gives the actor otherwise), options of ``Model``. A batch may be a dictionary of arrays, an
    Arrow table or a frame of pandas, and becomes one of its kind, with the columns ``error`` and ``model`` beside the outputs. Of
    arrays, a row that failed is NaN, 0 in integers and None in all else.
    """

    def __init__(self, model, **options):
        self.rows = model if isinstance(model, Rows) else Rows(model, **options)
        self.model = self.rows.open(cores())

    def __call__(self, batch):
        from ._batches import predict

        return predict(self.rows, self.model, batch)


def parts(task, parts, address, workers, threads):
    """Has a cluster do the parts of a batch: (name, rows, failed) of each, as they end."""
    was_there = ray.is_initialized()
    if not was_there:
        ray.init(address=address, log_to_driver=False, logging_level="error")
    try:
        work = ray.remote(num_cpus=threads or 1, max_retries=-1)(_do).options(name="coreml_runtime.batch")
        task = ray.put(task)
        # So many at once that no worker waits; what ended makes room, so that the scheduler never holds a million.
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
