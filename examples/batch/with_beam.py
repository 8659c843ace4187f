"""Digits by Beam: python3 with_beam.py 'rows/*.parquet' out"""
import json
import pathlib
import sys

import apache_beam as beam
from apache_beam.ml.inference.base import KeyedModelHandler, RunInference

from coreml_runtime.beam import CoreMLModelHandler

model = pathlib.Path(__file__).resolve().parent.parent / "digits/Digits.mlpackage"


def line(keyed):
    key, result = keyed
    return json.dumps({"id": key, "digit": result.inference.get("classLabel"), "error": result.inference.get("error"), "model": result.model_id})


if __name__ == "__main__":
    with beam.Pipeline() as pipeline:
        handler = KeyedModelHandler(CoreMLModelHandler(model, on_error="record", max_batch_size=256))
        (pipeline | beam.io.ReadFromParquet(sys.argv[1]) | beam.Map(lambda row: (row["id"], row["image"])) | RunInference(handler)
         | beam.Map(line) | beam.io.WriteToText(sys.argv[2], file_name_suffix=".jsonl"))
