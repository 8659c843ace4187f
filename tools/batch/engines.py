"""Runs one Parquet job on an engine, with the runtime or with a typical ONNX Runtime script.

    engines.py ENGINE runtime|onnx FOLDER
"""
import pathlib
import shutil
import sys

import numpy as np

engine, side, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
rows, out, network = folder / "trees.parquet", folder / f"out-{engine}-{side}", str(folder / "trees.onnx")


class Predictor:
    """An ONNX Runtime session that each worker opens."""

    def __init__(self):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(network, options)
        self.name = self.session.get_inputs()[0].name

    def predict(self, frame):
        y = self.session.run(None, {self.name: frame.to_numpy(dtype=np.float32)})[0]
        return frame[[]].assign(y=y.ravel())


def frames(batches):
    """The function for Spark's mapInPandas: predicts an iterator of frames."""
    predictor = Predictor()
    for frame in batches:
        yield predictor.predict(frame)


def by_runtime():
    from coreml_runtime.batch import run

    run(str(folder / "trees.mlmodel"), [str(rows)], str(out), engine=engine, threads=1, keep=[])


def by_onnx():
    if engine == "local":
        import pyarrow as pa
        import pyarrow.parquet as pq

        out.mkdir()
        made = Predictor().predict(pq.read_table(rows).to_pandas())
        pq.write_table(pa.Table.from_pandas(made), out / "part.parquet")
    elif engine == "ray":
        import ray

        class Actor(Predictor):
            __call__ = Predictor.predict

        ray.init(log_to_driver=False, logging_level="error")
        data = ray.data.read_parquet(str(rows))
        data.map_batches(Actor, batch_format="pandas", batch_size=10_000, concurrency=1).write_parquet(str(out))
    elif engine == "dask":
        import dask.dataframe
        from distributed import Client

        with Client(n_workers=2, threads_per_worker=1):
            data = dask.dataframe.read_parquet(str(rows), split_row_groups=True)
            data.map_partitions(lambda frame: Predictor().predict(frame), meta={"y": "f4"}).to_parquet(str(out))
    elif engine == "spark":
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        spark.read.parquet(str(rows)).mapInPandas(frames, "y float").write.parquet(str(out))
    else:
        import apache_beam as beam
        import pyarrow as pa

        class Predict(beam.DoFn):
            def setup(self):
                self.predictor = Predictor()

            def process(self, table):
                yield pa.Table.from_pandas(self.predictor.predict(table.to_pandas()), preserve_index=False)

        with beam.Pipeline() as pipeline:
            read = pipeline | beam.io.ReadFromParquetBatched(str(rows))
            made = read | beam.ParDo(Predict())
            made | beam.io.WriteToParquetBatched(str(out / "part"), pa.schema([("y", pa.float32())]))


# Spawned workers import this file, too.
if __name__ == "__main__":
    shutil.rmtree(out, ignore_errors=True)
    by_runtime() if side == "runtime" else by_onnx()
