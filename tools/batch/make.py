"""Makes the models and inputs of tools/bench-batch: make.py FOLDER ROWS PICTURES"""
import json
import pathlib
import sys

import coremltools as ct
import joblib
import numpy as np
import pandas as pd
from coremltools.converters.mil import Builder as mb
from PIL import Image
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

folder, rows, pictures = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
convert = ct.converters.sklearn.convert


def table(values, names, name):
    pd.DataFrame(values, columns=names).to_csv(folder / name, index=False)


# A linear pipeline.
x = rng.normal(size=(rows, 25))
names = [f"c{column}" for column in range(25)]
linear = Pipeline([("scale", StandardScaler()), ("linear", LinearRegression())]).fit(x[:1000], x[:1000] @ rng.normal(size=25))
joblib.dump(linear, folder / "linear.joblib")
convert(linear, names, "y").save(str(folder / "linear.mlmodel"))
convert(linear, "x", "y").save(str(folder / "vector.mlmodel"))
table(x, names, "linear.csv")
pd.DataFrame(x, columns=names).to_parquet(folder / "linear.parquet")
with open(folder / "lines.jsonl", "w") as lines, open(folder / "vector.jsonl", "w") as vectors:
    for row in x[: rows // 5].tolist():
        lines.write(json.dumps(dict(zip(names, row))) + "\n")
        vectors.write(json.dumps({"x": row}) + "\n")
np.savez(folder / "vector.npz", x=x)

# Boosted trees.
x = rng.normal(size=(rows, 30))
names = [f"c{column}" for column in range(30)]
y = x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + x[:, 3:8].sum(1)
trees = GradientBoostingRegressor(n_estimators=200, max_depth=6, subsample=0.5, random_state=0).fit(x[:20000], y[:20000])
joblib.dump(trees, folder / "trees.joblib")
convert(trees, names, "y").save(str(folder / "trees.mlmodel"))
table(x, names, "trees.csv")

# Numbers and a category, three classes. coremltools cannot convert a ColumnTransformer, so convert its parts.
numbers, kinds = rng.normal(size=(rows, 8)).round(3), rng.choice(["red", "green", "blue", "gray"], rows)
frame = pd.DataFrame(numbers, columns=[f"n{column}" for column in range(8)]).assign(kind=kinds)
label = np.array(["low", "middle", "high"])[(numbers[:, 0] > -0.4).astype(int) + (numbers[:, 1] > 0.4)]
classes = Pipeline([
    ("columns", ColumnTransformer([("kind", OneHotEncoder(categories=[["red", "green", "blue", "gray"]]), ["kind"])], remainder="passthrough")),
    ("linear", LogisticRegression(max_iter=200, multi_class="ovr")),
]).fit(frame[:5000], label[:5000])
joblib.dump(classes, folder / "classes.joblib")
frame.to_csv(folder / "classes.csv", index=False)


def classifier():
    spec = ct.proto.Model_pb2.Model(specificationVersion=1)
    description, parts = spec.description, spec.pipelineClassifier.pipeline.models

    def feature(place, name, kind, size=0):
        added = place.add(name=name)
        if kind == "array":
            added.type.multiArrayType.shape.append(size)
            added.type.multiArrayType.dataType = 65600
        elif kind == "shares":
            added.type.dictionaryType.stringKeyType.SetInParent()
        else:
            getattr(added.type, f"{kind}Type").SetInParent()

    for name in frame.columns:
        feature(description.input, name, "string" if name == "kind" else "double")
    feature(description.output, "label", "string")
    feature(description.output, "shares", "shares")
    description.predictedFeatureName, description.predictedProbabilitiesName = "label", "shares"
    encoder = parts.add(specificationVersion=1)
    feature(encoder.description.input, "kind", "string")
    feature(encoder.description.output, "kinds", "array", 4)
    encoder.oneHotEncoder.stringCategories.vector.extend(["red", "green", "blue", "gray"])
    vectorizer = parts.add(specificationVersion=1)
    for name in ["kinds", *frame.columns[:8]]:
        size = 4 if name == "kinds" else 1
        feature(vectorizer.description.input, name, "array" if size > 1 else "double", size)
        vectorizer.featureVectorizer.inputList.add(inputColumn=name, inputDimensions=size)
    feature(vectorizer.description.output, "x", "array", 12)
    last = parts.add(specificationVersion=1)
    feature(last.description.input, "x", "array", 12)
    feature(last.description.output, "label", "string")
    feature(last.description.output, "shares", "shares")
    last.description.predictedFeatureName, last.description.predictedProbabilitiesName = "label", "shares"
    own = classes.named_steps["linear"]
    for weights in own.coef_:
        last.glmClassifier.weights.add().value.extend(weights)
    last.glmClassifier.offset.extend(own.intercept_)
    last.glmClassifier.classEncoding = 1
    last.glmClassifier.stringClassLabels.vector.extend(own.classes_)
    return spec


ct.models.utils.save_spec(classifier(), str(folder / "classes.mlmodel"))


# One large array per row.
@mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 224, 224))], opset_version=ct.target.iOS15)
def double(x):
    return mb.mul(x=x, y=np.float32(2), name="y")


ct.convert(double, compute_precision=ct.precision.FLOAT32).save(str(folder / "double.mlpackage"))
with open(folder / "array.jsonl", "w") as file:
    for _ in range(40):
        values = rng.normal(size=(1, 3, 224, 224)).astype(np.float32)
        file.write(json.dumps({"x": [[[[float(str(v)) for v in row] for row in plane] for plane in values[0]]]}) + "\n")

# Images with edges and noise, like photographs.
for kind in ("jpeg", "png", "webp"):
    (folder / kind).mkdir(exist_ok=True)
for number in range(pictures):
    coarse = rng.integers(0, 256, size=(48, 64, 3), dtype=np.uint8)
    picture = np.asarray(Image.fromarray(coarse).resize((1024, 768), Image.BICUBIC)).astype(np.int16)
    picture = Image.fromarray((picture + rng.integers(-6, 7, size=picture.shape)).clip(0, 255).astype(np.uint8))
    picture.save(folder / "jpeg" / f"{number:04}.jpg", quality=88)
    if number < pictures // 4:
        picture.save(folder / "png" / f"{number:04}.png", compress_level=6)
        picture.save(folder / "webp" / f"{number:04}.webp", quality=80)
with open(folder / "pictures.jsonl", "w") as file:
    for number in range(pictures):
        file.write(json.dumps({"image": {"image": f"jpeg/{number:04}.jpg"}}) + "\n")
