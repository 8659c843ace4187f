"""Writes files of rows: the images of ../digits repeated, each with a number, and one row that is not an image."""
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
folder.mkdir(parents=True, exist_ok=True)
pictures = [(file.stem, file.read_bytes()) for file in sorted((pathlib.Path(__file__).resolve().parent.parent / "digits").glob("*.png"))]
for number in range(4):
    rows = range(count * number // 4, count * (number + 1) // 4)
    table = pa.table({
        "id": rows, "expected": [pictures[row % len(pictures)][0] for row in rows],
        "image": [b"no picture" if row == 100 else pictures[row % len(pictures)][1] for row in rows]})
    pq.write_table(table, folder / f"rows-{number}.parquet")
