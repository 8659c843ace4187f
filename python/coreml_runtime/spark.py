"""Prediction of Spark frames.

    from coreml_runtime import spark as coreml
    coreml.predict(frame, "Digits.mlpackage")              # kept columns, outputs, error, model
    frame.select("id", coreml.predict_batch_udf("Sums.mlmodel")("a", "b").alias("sums"))

Each Python worker opens the model once. The model must be at the same path on every machine, or be distributed with
``spark.sparkContext.addFile(path, recursive=True)``.
"""
import inspect

import numpy as np

from ._library import Error
from ._rows import Rows


def _place(name):
    from pyspark import SparkFiles

    return SparkFiles.get(name)


def cores():
    """The number of cores of the current task, 1 outside of a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return max(1, context.cpus()) if context is not None else 1


def _rows(model, options):
    return model if isinstance(model, Rows) else Rows(model, **options)


def output_schema(frame, model, **options):
    """The schema of the result of ``map_in_arrow`` for the columns of `frame`."""
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    from ._tables import schema

    rows = _rows(model, options)
    return from_arrow_schema(schema(rows, rows.open(), to_arrow_schema(frame.schema)))


def map_in_arrow(model, **options):
    """A function for ``DataFrame.mapInArrow``; its schema is ``output_schema``. `options` are those of ``Rows``."""
    rows = _rows(model, options)

    def work(batches):
        from ._tables import predict

        opened = rows.open(cores(), _place)
        for batch in batches:
            yield from predict(rows, opened, batch).to_batches()

    return work


def predict(frame, model, **options):
    """Predicts a Spark frame. Returns a frame of the kept columns, the outputs, the error and the digest.

    `options` are those of ``Rows``.
    """
    rows = _rows(model, options)
    return frame.mapInArrow(map_in_arrow(rows), output_schema(frame, rows))


def predict_batch_udf(model, *, batch_size=1024, **options):
    """A function of columns in the order of the model's inputs, made by ``pyspark.ml.functions.predict_batch_udf``.

    It returns a struct of the outputs, ``error`` and ``model``. Input tensors are flat lists and get the declared
    shape; output tensors are flat, too. In a failed row they are NaN, or 0 for integers. Spark accepts no null for a
    tensor here; ``map_in_arrow`` does. Raises ``Error`` for outputs other than tensors, numbers and strings.
    """
    import pyspark.ml.functions
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import ArrayType, StringType, StructField, StructType

    from ._tables import NUMBERS, fields_of

    rows = _rows(model, options)
    told = rows.open()
    fields, shapes = [], {}
    for each in told.outputs:
        if each.kind == "tensor":
            fields.append(StructField(rows.output(each), ArrayType(from_arrow_type(NUMBERS[each.dtype or "float32"]))))
        elif each.kind in ("int64", "double", "string"):
            fields.append(StructField(rows.output(each), from_arrow_type(fields_of(each, "")[0].type)))
        else:
            raise Error(
                f"the output '{each.name}' is a {each.kind}, which predict_batch_udf cannot give: use map_in_arrow", "runtime.invalid-input")
    fields += [StructField(rows.ERROR, StringType()), StructField(rows.MODEL, StringType())]
    for place, each in enumerate(told.inputs):
        if each.kind == "tensor" and each.shape and each.flexibility == "fixed":
            shapes[place] = list(each.shape)
    return pyspark.ml.functions.predict_batch_udf(
        make_predict_fn(rows), return_type=StructType(fields), batch_size=batch_size, input_tensor_shapes=shapes or None)


def make_predict_fn(model, **options):
    """A factory for ``pyspark.ml.functions.predict_batch_udf``. Each Python worker calls it once to open the model."""
    rows = _rows(model, options)

    def make():
        opened = rows.open(cores(), _place)
        names = [each.name for each in opened.inputs]

        def work(*columns):
            taken = {name: list(column) if column.dtype == object else column for name, column in zip(names, columns)}
            results = rows.predict(opened, taken, len(columns[0]))
            made = {rows.output(each): _flat(each, results) for each in opened.outputs}
            made[rows.ERROR] = np.array(results.sentences(), object)
            made[rows.MODEL] = np.full(results.count, rows.digest, object)
            return made

        # Spark counts the parameters to distinguish one input with several columns from several inputs.
        work.__signature__ = inspect.Signature([inspect.Parameter(f"column{place}", inspect.Parameter.POSITIONAL_ONLY) for place in range(len(names))])
        return work

    return make


def _flat(feature, results):
    array = results.array(feature)
    if feature.kind != "tensor":
        return array
    if array.dtype == object and len(results.errors) < results.count:
        raise Error(f"the output '{feature.name}' has another shape from row to row: use map_in_arrow", "runtime.failed", Error.FAILED)
    if array.dtype == object:
        return np.empty((results.count, 0), np.float32)
    return array.reshape(results.count, -1).astype(np.float32 if array.dtype == np.float16 else array.dtype, copy=False)


def parts(task, parts, address, workers, threads):
    """The engine "spark": runs the parts of a batch on a cluster. Yields (name, rows, failed rows) in their order."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    session = running or _session(address, threads)
    try:
        done = session.sparkContext.parallelize(parts, len(parts)).map(lambda part: task(part, threads or cores(), _place))
        yield from done.toLocalIterator(prefetchPartitions=True) if workers == 1 else done.collect()
    finally:
        if running is None:
            session.stop()


def _session(address, threads):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("coreml_runtime.batch").config("spark.task.cpus", str(threads or 1))
    return (builder.master(address) if address else builder).getOrCreate()
