"""The shortest script for each job of tools/bench-batch, as a user would write it."""
import sys

job, words = sys.argv[1], sys.argv[2:]

if job == "csv":
    import joblib
    import pandas as pd

    model, rows, out = words
    table = pd.read_csv(rows)
    pd.DataFrame({"y": joblib.load(model).predict(table.to_numpy())}).to_csv(out)
elif job == "csv-classes":
    import joblib
    import pandas as pd

    model, rows, out = words
    table = pd.read_csv(rows)
    model = joblib.load(model)
    shares = pd.DataFrame(model.predict_proba(table), columns=model.classes_)
    shares.assign(label=model.predict(table)).to_csv(out)
elif job in ("lines", "vector"):
    import json

    import joblib
    import numpy as np

    model, rows, out = words
    with open(rows) as file:
        records = [json.loads(line) for line in file]
    x = np.array([list(record.values()) if job == "lines" else record["x"] for record in records])
    with open(out, "w") as file:
        for number, y in enumerate(joblib.load(model).predict(x).tolist()):
            file.write(json.dumps({"row": number + 1, "y": y}) + "\n")
elif job == "array":
    import json

    import numpy as np

    rows, out = words
    with open(rows) as file, open(out, "w") as result:
        for number, line in enumerate(file):
            y = np.array(json.loads(line)["x"], dtype=np.float32) * 2
            result.write(json.dumps({"row": number + 1, "y": y.tolist()}) + "\n")
elif job == "npz":
    import joblib
    import numpy as np

    model, rows, out = words
    np.savez(out, y=joblib.load(model).predict(np.load(rows)["x"]))
elif job == "parquet":
    import joblib
    import pyarrow as pa
    import pyarrow.parquet as pq

    model, rows, out = words
    table = pq.read_table(rows)
    y = joblib.load(model).predict(table.to_pandas().to_numpy())
    pq.write_table(pa.table({"y": y}), out)
elif job == "pictures":
    import json
    import pathlib

    import numpy as np
    import onnxruntime
    from PIL import Image

    model, rows, out = words
    rows = pathlib.Path(rows)
    if rows.is_dir():
        paths = sorted(rows.iterdir())
    else:
        paths = [rows.parent / json.loads(line)["image"]["image"] for line in rows.open()]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options)
    name = session.get_inputs()[0].name
    with open(out, "w") as file:
        for path in paths:
            picture = Image.open(path).convert("RGB").resize((224, 224), Image.BILINEAR)
            x = (np.asarray(picture, dtype=np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]
            y = session.run(None, {name: x})[0]
            file.write(json.dumps({"row": path.name, "y": y.tolist()}) + "\n")
else:
    sys.exit(f"script.py: unknown job {job}")
