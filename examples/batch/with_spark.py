"""Digits by Spark: spark-submit with_spark.py 'rows/*.parquet' out"""
import pathlib
import sys

from pyspark.sql import SparkSession

from coreml_runtime import spark as coreml

model = pathlib.Path(__file__).resolve().parent.parent / "digits/Digits.mlpackage"
session = SparkSession.builder.appName("digits").getOrCreate()
coreml.predict(session.read.parquet(sys.argv[1]), model).write.mode("overwrite").parquet(sys.argv[2])
