"""Ray with two nodes on this machine."""
import os
import time

import numpy as np
import pyarrow.dataset
import pytest

pytest.importorskip("ray")
# Workers run with raised niceness by default and starve on a busy machine.
os.environ.setdefault("RAY_worker_niceness", "0")
import ray
from ray.cluster_utils import Cluster

from conftest import BAD, DIGITS, ROWS, SUMS, Killer, check, parts_are_there, told, workers_of
from coreml_runtime import Error
from coreml_runtime.batch import run
from coreml_runtime.ray import Predictor


@pytest.fixture(scope="module")
def cluster():
    some = {"num_cpus": 3, "object_store_memory": 400 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**some, "include_dashboard": False})
    cluster.add_node(**some)
    ray.init(address=cluster.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_actors(cluster, data):
    began = time.monotonic()
    made = ray.data.read_parquet(str(data)).map_batches(
        Predictor, fn_constructor_kwargs={"model": str(SUMS)}, concurrency=2, batch_size=2000, batch_format="pyarrow")
    columns = pyarrow.concat_tables(ray.get(made.to_arrow_refs()), promote_options="permissive").to_pydict()
    told("ray, actors on two nodes", time.monotonic() - began)
    check(columns)


def test_tensors(cluster):
    made = ray.data.range_tensor(100, shape=(2, 3)).map_batches(
        Predictor, fn_constructor_kwargs={"model": str(SUMS), "columns": {"a": "data"}}, concurrency=1, batch_size=20).take_all()
    assert len(made) == 100 and all(row["y"].shape == (2, 3) and row["error"] is None for row in made)
    np.testing.assert_allclose(sorted(row["y"][0, 0] for row in made), 2 * np.arange(100) + 0.5)


def test_pictures(cluster):
    rows = [{"image": str(DIGITS / "seven.png")}, {"image": "/nowhere.png"}]
    made = ray.data.from_items(rows).map_batches(
        Predictor, fn_constructor_kwargs={"model": str(DIGITS / "Digits.mlpackage")}, concurrency=1, batch_format="pyarrow").take_all()
    assert [row["classLabel"] for row in made] == ["seven", None] and "No such file" in made[1]["error"]


def test_what_is_wrong_is_one_error():
    with pytest.raises(Error, match="No such file"):
        Predictor("/nothing.mlmodel")
    with pytest.raises(Error, match="no column 'a' for the input 'a'; it has b"):
        Predictor(SUMS)({"b": np.ones(2)})


def test_a_worker_that_is_killed(cluster, data, tmp_path):
    with Killer(parts_are_there(tmp_path / "out"), lambda: workers_of("ray::coreml_runtime.batch")) as killer:
        assert run(SUMS, data, tmp_path / "out", engine="ray", part_rows=1000) == (ROWS, len(BAD))
    assert killer.killed is not None
    check(pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table().to_pydict())
