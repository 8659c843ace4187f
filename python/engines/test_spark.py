"""Spark's local-cluster with two workers and one executor each."""
import time

import pyarrow.dataset
import pytest

pytest.importorskip("pyspark")
from pyspark.sql import SparkSession

from conftest import BAD, DIGITS, LINE, ROWS, SUMS, Killer, check, parts_are_there, told, workers_of
from coreml_runtime import Error
from coreml_runtime import spark as coreml
from coreml_runtime.batch import run


@pytest.fixture(scope="module")
def session():
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.executor.memory", "600m").config("spark.log.level", "ERROR").getOrCreate())
    yield session
    session.stop()


def test_map_in_arrow(session, data):
    frame = session.read.parquet(str(data))
    made = coreml.predict(frame, SUMS)
    assert made.columns == ["id", "y", "y_shape", "z", "error", "model"]
    began = time.monotonic()
    table = made.toArrow()
    told("spark, mapInArrow on two executors", time.monotonic() - began)
    check(table.to_pydict())


def test_predict_batch_udf(session):
    frame = session.createDataFrame([(row, [float(row), 1.0]) for row in range(100)], "id long, x array<double>")
    line = coreml.predict_batch_udf(LINE, batch_size=16)
    rows = frame.select("id", line("x").alias("made")).select("id", "made.*").collect()
    assert len(rows) == 100 and all(len(row.y) == 1 and row.error is None and len(row.model) == 64 for row in rows)


def test_files_that_spark_sends(session, tmp_path):
    path, sent = tmp_path / "sums.mlmodel", tmp_path / "sent/sums.mlmodel"
    sent.parent.mkdir()
    path.write_bytes(SUMS.read_bytes())
    sent.write_bytes(SUMS.read_bytes())
    frame = session.createDataFrame([(0, [[1.0, 2.0, 3.0]])], "id long, a array<array<float>>")
    made = coreml.predict(frame, path)
    session.sparkContext.addFile(str(sent))
    path.unlink()
    assert made.collect()[0].y == [2.5, 4.5, 6.5]


def test_pictures(session):
    frame = session.createDataFrame([(str(DIGITS / "seven.png"),), ("/nowhere.png",)], "image string")
    seven, nowhere = coreml.predict(frame, DIGITS / "Digits.mlpackage").collect()
    assert seven.classLabel == "seven" and seven.classLabel_probs["seven"] > 0.9
    assert nowhere.classLabel is None and "No such file" in nowhere.error


def test_what_is_wrong_is_one_error(session):
    with pytest.raises(Error, match="no column 'a' for the input 'a'; it has b"):
        coreml.predict(session.createDataFrame([(1,)], "b long"), SUMS)


def test_a_worker_that_is_killed(session, data, tmp_path):
    find = lambda: workers_of("pyspark/daemon.py")[-1:] or workers_of("pyspark.daemon")[-1:]  # noqa: E731
    with Killer(parts_are_there(tmp_path / "out"), find) as killer:
        assert run(SUMS, data, tmp_path / "out", engine="spark", part_rows=1000) == (ROWS, len(BAD))
    assert killer.killed is not None
    check(pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table().to_pydict())
