"""Digits by Ray actors: python3 with_ray.py 'rows/*.parquet' out"""
import pathlib
import sys

import ray

from coreml_runtime.ray import Predictor

model = pathlib.Path(__file__).resolve().parent.parent / "digits/Digits.mlpackage"
rows = ray.data.read_parquet(sys.argv[1])
made = rows.map_batches(
    Predictor, fn_constructor_kwargs={"model": str(model)}, concurrency=(1, 2), num_cpus=1, batch_size=256, batch_format="pyarrow")
made.write_parquet(sys.argv[2])
