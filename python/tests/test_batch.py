"""Prediction of tables and batches of files: bad rows, resuming, kills."""
import json
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq

from conftest import DIGITS, MODELS
from coreml_runtime import Error, Model, _batches, _tables
from coreml_runtime._parts import Source, files_of
from coreml_runtime._rows import Rows
from coreml_runtime.batch import ENGINES, main, run

SUMS = MODELS / "sums.mlmodel"


def table_of(count, bad=(), first=0):
    a = np.random.default_rng(first).random((count, 2, 3), np.float32)
    return pa.table({
        "id": range(first, first + count),
        "a": pa.array([None if row in bad else a[row].tolist() for row in range(count)], pa.list_(pa.list_(pa.float32())))})


def is_right(table, bad=()):
    """Asserts that each row has a result of y = 2 a + 0.5, or an error message where `a` is missing."""
    for row in table.to_pylist():
        if row["id"] in bad:
            assert row["y"] is None and row["error"] == "input 'a' is missing", row
        else:
            assert row["error"] is None and row["y_shape"] == [2, 3]
        assert len(row["model"]) == 64


@pytest.fixture
def sums():
    rows = Rows(SUMS)
    return rows, rows.open()


def test_tables(sums):
    rows, model = sums
    table = table_of(10, bad={3})
    made = _tables.predict(rows, model, table)
    assert made.schema.equals(_tables.schema(rows, model, table.schema)) and made.column_names == ["id", "y", "y_shape", "z", "error", "model"]
    is_right(made, {3})
    for given, got in zip(table.to_pylist(), made.to_pylist()):
        if got["error"] is None:
            np.testing.assert_allclose(got["y"], 2 * np.ravel(given["a"]) + 0.5, rtol=1e-6)
            np.testing.assert_allclose(got["z"], [np.sum(given["a"])], rtol=1e-3)
    assert _tables.predict(rows, model, table.slice(0, 0)).num_rows == 0
    tensors = pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), [2, 3]), pa.FixedSizeListArray.from_arrays(np.arange(12, dtype=np.float32), 6))
    is_right(_tables.predict(rows, model, pa.table({"id": [0, 1], "a": tensors})))


def test_arrays_of_several_types_stay_apart():
    """Their common type, float64, would hide integers that a prediction of the row refuses."""
    from coreml_runtime import _rows

    column = [np.array([1 << 40], np.uint64), np.array([1], np.int64)]
    assert _rows._tensor(column, (2, 1), None) is column
    assert _rows._unlike(column).any()


def test_every_bad_row_has_its_sentence(sums):
    rows, model = sums
    good = np.ones((2, 3)).tolist()
    values = [good, None, [[1, 2]], good, [[1, 2, 3], [1]], good]
    made = _tables.predict(rows, model, pa.table({"a": pa.array(values, pa.list_(pa.list_(pa.float32())))}))
    sentences = made.column("error").to_pylist()
    assert [sentence is None for sentence in sentences] == [True, False, False, True, False, True]
    assert "missing" in sentences[1] and "[1, 2]" in sentences[2] and made.column("y").to_pylist()[5] == [2.5] * 6
    # Only the prediction can find this: all rows have one shape, but not the model's.
    made = _tables.predict(rows, model, pa.table({"a": [[[1.0, 2.0]]] * 5}))
    assert all("allowed range" in sentence for sentence in made.column("error").to_pylist())


def test_a_row_that_fails_within_a_call(sums, monkeypatch):
    """The library rejects one row of a batch; the other rows are predicted."""
    from coreml_runtime import Model

    rows, model = sums
    whole = Model.predict_batch

    def failing(self, columns, **options):
        for place, row in enumerate(columns["a"]):
            if row[0, 0] < 0:
                error = Error(f"row {place}: negative")
                error.row = place
                raise error
        return whole(self, columns, **options)

    one = Model.predict

    def failing_alone(self, data=None, **named):
        if data["a"][0, 0] < 0:
            raise Error("negative")
        return one(self, data, **named)

    monkeypatch.setattr(Model, "predict_batch", failing)
    monkeypatch.setattr(Model, "predict", failing_alone)
    a = np.ones((9, 2, 3), np.float32)
    a[[0, 4, 8], 0, 0] = -1
    made = _batches.predict(rows, model, {"a": a, "id": np.arange(9)})
    assert [sentence for sentence in made["error"]] == ["negative", None, None, None, "negative", None, None, None, "negative"]
    np.testing.assert_array_equal(made["y"][1], 2 * a[1] + 0.5)
    assert np.isnan(made["y"][4]).all() and made["y"].shape == (9, 2, 3)


def test_pictures_and_words():
    rows = Rows(DIGITS / "Digits.mlpackage", outputs={"classLabel": "digit"})
    seven = (DIGITS / "seven.png").read_bytes()
    column = pa.array([{"bytes": seven, "path": None}, {"bytes": None, "path": str(DIGITS / "two.png")}, {"bytes": b"no picture", "path": None}])
    made = _tables.predict(rows, rows.open(), pa.table({"image": column})).to_pylist()
    assert [row["digit"] for row in made] == ["seven", "two", None] and made[2]["error"] is not None
    assert dict(made[0]["classLabel_probs"])["seven"] > 0.9
    made = _batches.predict(rows, rows.open(), {"image": np.array([seven, None], object)})
    assert list(made["digit"]) == ["seven", None]


def test_an_error_does_not_repeat_a_long_cell():
    rows = Rows(DIGITS / "Digits.mlpackage")
    made = _tables.predict(rows, rows.open(), pa.table({"image": ["a" * 100_000, str(DIGITS / "two.png")]}))
    error, nothing = made.column("error").to_pylist()
    assert nothing is None and len(error) <= 2000
    assert error.startswith("input 'image': aaa") and error.endswith("File name too long")


def test_names(sums):
    rows, model = sums
    with pytest.raises(Error, match="no column 'a' for the input 'a'; it has b"):
        _tables.predict(rows, model, pa.table({"b": [1]}))
    with pytest.raises(Error, match="has no input 'c'; it has a, b"):
        Rows(SUMS, columns={"c": "x"}).open()
    with pytest.raises(Error, match="'error' would be kept beside a result"):
        _tables.predict(rows, model, table_of(2).append_column("error", pa.array([1, 2])))
    with pytest.raises(Error, match="No such file"):
        Rows("/nothing.mlmodel")
    renamed = Rows(SUMS, columns={"a": "given"}, outputs={"y": "twice"}, keep=["given"])
    made = _tables.predict(renamed, renamed.open(), table_of(2).rename_columns(["id", "given"]))
    assert made.column_names == ["given", "twice", "twice_shape", "z", "error", "model"]


def test_workers_open_once_and_notice_another_model(tmp_path):
    path = tmp_path / "model.mlmodel"
    path.write_bytes(SUMS.read_bytes())
    rows = pickle.loads(pickle.dumps(Rows(path)))
    assert rows.open() is rows.open() is Rows(path).open()
    pickled = pickle.dumps(Rows(path, threads=2))
    path.write_bytes((MODELS / "line.mlmodel").read_bytes())
    with pytest.raises(Error, match="the rows are for the model with the digest"):
        pickle.loads(pickled).open()


def files(folder, count=4, rows=1000):
    folder.mkdir()
    bad = {number * rows + 17 for number in range(count)}
    for number in range(count):
        pq.write_table(table_of(rows, {17}, number * rows), folder / f"{number}.parquet", row_group_size=300)
    return bad


def read(folder):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(folder, format="parquet").to_table()


def test_batches_of_files(tmp_path, capsys):
    bad = files(tmp_path / "in")
    told = []
    assert run(SUMS, tmp_path / "in", tmp_path / "out", part_rows=250, told=lambda *now: told.append(now)) == (4000, 4)
    table = read(tmp_path / "out")
    assert sorted(table.column("id").to_pylist()) == list(range(4000))
    is_right(table, bad)
    assert told[-1] == (28, 28, 4000, 4000) and json.loads((tmp_path / "out/_SUCCESS").read_text())["failed"] == 4
    arguments = [str(SUMS), "--input", str(tmp_path / "in/*.parquet"), "--output", str(tmp_path / "out"), "--rows", "250"]
    assert main(arguments) == 64 and "--resume goes on" in capsys.readouterr().err
    assert main([*arguments, "--resume"]) == 0 and main([*arguments, "--resume", "--max-failures", "3"]) == 1
    pq.write_table(table_of(10, (), 5000), tmp_path / "in/0-more.parquet")
    assert main([*arguments, "--resume"]) == 0 and read(tmp_path / "out").num_rows == 4010
    pq.write_table(table_of(5, (), 5000), tmp_path / "in/2.parquet")
    before = sorted(os.listdir(tmp_path / "out"))
    assert main([*arguments, "--resume"]) == 64 and "has changed since" in capsys.readouterr().err
    assert before == sorted(os.listdir(tmp_path / "out"))
    assert main([*arguments[:-2], "--resume"]) == 64 and "other options" in capsys.readouterr().err
    assert main(["/nothing.mlmodel", *arguments[1:]]) == 66


def test_engines(tmp_path, monkeypatch):
    pq.write_table(table_of(3), tmp_path / "a.parquet")
    assert ENGINES == ("local", "ray", "spark", "dask", "beam")
    with pytest.raises(Error, match="engine is 'other', expected one of local, ray, spark, dask, beam"):
        run(SUMS, tmp_path / "a.parquet", tmp_path / "out", engine="other")
    for engine, package in [("ray", "ray"), ("beam", "apache_beam")]:
        monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.delitem(sys.modules, f"coreml_runtime.{engine}", raising=False)
        with pytest.raises(Error, match=rf"the engine {engine} needs a package: .*pip install 'coreml_runtime\[{engine}\]'") as raised:
            run(SUMS, tmp_path / "a.parquet", tmp_path / engine, engine=engine)
        assert raised.value.code == "python.missing-package"


def test_arrow_files(tmp_path):
    (tmp_path / "in").mkdir()
    table = table_of(100)
    with pa.ipc.new_file(str(tmp_path / "in/rows.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=30)
    assert run(SUMS, tmp_path / "in", tmp_path / "out", part_rows=25, format="arrow", workers=2) == (100, 0)
    assert sum(Source(file).file.read_all().num_rows for file in files_of([str(tmp_path / "out")])) == 100


def test_a_batch_that_is_killed_goes_on(tmp_path):
    bad = files(tmp_path / "in", 8, 2000)
    command = [
        sys.executable, "-m", "coreml_runtime.batch", str(SUMS), "--input", str(tmp_path / "in"), "--output", str(tmp_path / "out"),
        "--rows", "100", "--resume"]
    kills = 0
    for _ in range(20):
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        start = len(list((tmp_path / "out").glob("part-*"))) if (tmp_path / "out").exists() else 0
        # Not near the end: at exit Python has removed its signal handlers, and SIGTERM kills the process directly.
        is_killed = start + 40 < 150
        while is_killed and process.poll() is None and len(list((tmp_path / "out").glob("part-*"))) < start + 40:
            time.sleep(0.002)
        if is_killed and process.poll() is None:
            process.send_signal(signal.SIGKILL if kills % 2 == 0 else signal.SIGTERM)
        process.communicate()
        if process.returncode == 0:
            break
        assert process.returncode in (-signal.SIGKILL, 143)
        kills += 1
    assert kills >= 2 and process.returncode == 0
    table = read(tmp_path / "out")
    assert sorted(table.column("id").to_pylist()) == list(range(16000))
    is_right(table, bad)
    assert not list((tmp_path / "out").glob(".part-*"))


def test_one_at_a_time(tmp_path):
    import fcntl

    files(tmp_path / "in", 1, 10)
    (tmp_path / "out").mkdir()
    with open(tmp_path / "out/_run.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert main([str(SUMS), "--input", str(tmp_path / "in"), "--output", str(tmp_path / "out")]) == 75


def arguments(folder, *more):
    return [str(SUMS), "--input", str(folder / "in"), "--output", str(folder / "out"), *more]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    pq.write_table(table_of(3), tmp_path / "in/a.parquet")
    return tmp_path


@pytest.mark.parametrize("place", ["_run.json", "._run.json", "_run.lock", "part-00000-00000.parquet", "_SUCCESS"])
@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_a_link_is_neither_followed_nor_believed(folder, place, resume, capsys):
    """Another user has put a link into the folder under a predictable name."""
    (folder / "out").mkdir()
    victim = folder / "victim"
    victim.write_text("precious")
    (folder / "out" / place).symlink_to(victim)
    (folder / "out/_other.lock").symlink_to(folder / "made")
    status = main(arguments(folder, *resume))
    assert victim.read_text() == "precious" and not (folder / "made").exists()
    if place in ("_run.json", "_run.lock"):
        assert status == 73 and "expected no symbolic link; choose another output" in capsys.readouterr().err
    elif place.startswith("part-"):
        assert status == 64 and "no record of the batch" in capsys.readouterr().err
    else:
        assert status == 0 and (folder / "out/_SUCCESS").read_text().startswith("{")


def test_a_link_that_stands_where_nothing_does_makes_nothing(folder, capsys):
    (folder / "out").mkdir()
    (folder / "out/_run.lock").symlink_to(folder / "made-by-lock")
    assert main(arguments(folder)) == 73 and not (folder / "made-by-lock").exists()
    assert "expected no symbolic link" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["_run.json", "_run.lock", "part-00000-00000.parquet"])
@pytest.mark.parametrize("change, words", [
    (lambda path: path.chmod(0o666), "others can write to it"), (lambda path: os.link(path, f"{path}.other"), "hard links"),
    (lambda path: (path.unlink(), os.mkfifo(path)), "expected a regular file"), (lambda path: (path.unlink(), path.mkdir()), "directory|regular file")])
def test_what_others_could_have_written_is_not_believed(folder, place, change, words, capsys):
    import re

    assert main(arguments(folder)) == 0
    change(folder / "out" / place)
    assert main(arguments(folder, "--resume")) == 73 and re.search(words, capsys.readouterr().err)


def test_users_that_are_trusted(folder, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    assert main(arguments(folder)) == 0
    os.chown(folder / "out/_run.json", 4321, -1)
    assert main(arguments(folder, "--resume")) == 73
    monkeypatch.setenv("COREML_TRUSTED_USERS", "17, 4321")
    assert main(arguments(folder, "--resume")) == 0
    (folder / "out/_run.json").chmod(0o664)
    assert main(arguments(folder, "--resume")) == 73
    monkeypatch.setenv("COREML_TRUSTED_GROUPS", str(os.stat(folder / "out/_run.json").st_gid))
    assert main(arguments(folder, "--resume")) == 0


def test_a_generous_umask_leaves_files_that_a_later_run_believes(folder):
    before = os.umask(0)
    try:
        assert main(arguments(folder)) == 0 and main(arguments(folder, "--resume")) == 0
    finally:
        os.umask(before)


@pytest.mark.parametrize("text", ["", '{"a":', "[]", "{}", "null", '{"model": 1, "options": {}, "inputs": [5]}', "[" * 100_000, '{"model":"m","options":{},"inputs":null}'])
def test_a_damaged_record(folder, text, capsys):
    assert main(arguments(folder)) == 0
    (folder / "out/_run.json").write_text(text)
    assert main(arguments(folder, "--resume")) == 65
    told = capsys.readouterr().err.splitlines()
    assert told[-1].startswith("batch: ") and "_run.json: it is damaged" in told[-1]


def test_a_part_of_another_batch(folder, capsys):
    assert main(arguments(folder)) == 0
    pq.write_table(table_of(3), folder / "out/part-00000-00000.parquet")
    assert main(arguments(folder, "--resume")) == 64 and "not what this batch has written" in capsys.readouterr().err


@pytest.mark.parametrize("more, status, words", [
    (["--workers", "-1"], 64, "workers is -1"), (["--workers", "0"], 64, "workers is 0"), (["--threads", "0"], 64, "threads is 0"), (["--rows", "0"], 64, "part_rows is 0"),
    (["--max-failures", "-1"], 64, "--max-failures is -1"), (["--column", "a"], 64, "no pair"), (["--input", "a\0b"], 66, "zero byte"), (["--output", "/dev/null/x"], 73, "/dev/null/x"),
    (["--function", "nothing"], 65, "nothing")])
def test_what_is_wrong_is_told_in_a_sentence(folder, more, status, words, capsys):
    assert main(arguments(folder, *more)) == status
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1 and told[0].startswith("batch: ") and words in told[0], told


@pytest.mark.parametrize("column", [
    pa.array([1, 2], pa.timestamp("ns")), pa.array([{"a": 1.0}, None]), pa.array([b"ab", None]), pa.array(["1", "x"]), pa.array([None, None]),
    pa.array([1, 2], pa.duration("s")), pa.array([True, None])])
def test_columns_of_other_types_fail_by_row_or_in_a_sentence(folder, column, capsys):
    pq.write_table(pa.table({"a": column}), folder / "in/a.parquet")
    status = main(arguments(folder))
    told = capsys.readouterr().err
    if status:
        assert status == 65 and ("the column 'a' of the type" in told or "2 rows in" in told and "2 of them failed" in told)
    if "of them failed" in told:
        errors = read(folder / "out").column("error").to_pylist()
        assert all(errors) == (status == 65) and any(errors)


def test_two_columns_of_one_name(folder, capsys):
    table = pa.Table.from_arrays([pa.array([[[1.0, 2, 3]]]), pa.array([1]), pa.array([2])], names=["a", "id", "id"])
    pq.write_table(table, folder / "in/a.parquet")
    assert main(arguments(folder)) == 65 and "the table has 2 columns 'id', expected one" in capsys.readouterr().err
    with pytest.raises(Error, match="2 columns 'a'"):
        rows = Rows(SUMS)
        _tables.predict(rows, rows.open(), pa.Table.from_arrays([pa.array([[[1.0, 2, 3]]])] * 2, names=["a", "a"]))


def test_help_and_a_sentence_without_pyarrow(tmp_path):
    (tmp_path / "pyarrow.py").write_text("raise ImportError('no pyarrow')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}

    def done(*words):
        return subprocess.run([sys.executable, "-m", "coreml_runtime.batch", *words], env=environment, capture_output=True, text=True)

    told = done("-h")
    assert told.returncode == 0 and "--resume" in told.stdout and not told.stderr
    told = done(str(SUMS), "--input", "x", "--output", str(tmp_path / "out"))
    assert told.returncode == 65 and told.stderr == "batch: tables need the package pyarrow: pip install 'coreml_runtime[batch]'\n"


def test_a_model_that_keeps_states(folder, capsys):
    pq.write_table(pa.table({"x": [[1.0, 2, 3, 4]] * 3}), folder / "in/a.parquet")
    given = [str(MODELS / "running-sum.mlmodel"), *arguments(folder)[1:]]
    assert main(given) == 65 and "keeps 'total' between predictions" in capsys.readouterr().err
    assert main([*given, "--fresh-state", "--resume"]) == 0
    assert read(folder / "out").column("y").to_pylist() == [[1, 2, 3, 4]] * 3


def test_pipes_and_nothing_are_no_inputs(folder, capsys):
    os.mkfifo(folder / "in/pipe.parquet")
    assert main(arguments(folder)) == 0  # pipes in a folder are skipped
    assert main([str(SUMS), "--input", str(folder / "in/pipe.parquet"), "--output", str(folder / "pipe")]) == 66
    assert "expected a file, found a pipe or a device" in capsys.readouterr().err
    for inputs in ([], 5, None):
        with pytest.raises(Error):
            run(SUMS, inputs, folder / "nothing")


def test_a_part_in_the_place_of_another(folder, capsys):
    pq.write_table(table_of(3), folder / "in/b.parquet")
    assert main(arguments(folder)) == 0
    first, second = sorted((folder / "out").glob("part-*.parquet"))
    second.write_bytes(first.read_bytes())
    assert main(arguments(folder, "--resume")) == 64 and "not what this batch has written" in capsys.readouterr().err


@pytest.mark.parametrize("more, words", [
    ({"outputs": {"y": 5}}, "expected two names"), ({"fresh_state": "no"}, "expected True or False"), ({"keep": ["id", "id"]}, "twice")])
def test_options_that_are_wrong(folder, more, words):
    with pytest.raises(Error, match=words):
        run(SUMS, folder / "in", folder / "out", **more)


@pytest.fixture(scope="module")
def mixed():
    """y = 1.5 a - 2.25 b + (10 if color is red, 100 if it is blüe) + 0.125."""
    return Model(MODELS.parent / "rows/mixed.mlmodel")


def rows_of(count):
    return [{"a": index / 3, "b": -index, "color": "blüe" if index % 3 else "red"} for index in range(count)]


def test_rows_that_are_alike_are_predicted_together(mixed, monkeypatch):
    rows = rows_of(50)
    single = [mixed.predict(row) for row in rows]
    calls = []
    monkeypatch.setattr(mixed, "predict", lambda row, whole=mixed.predict: calls.append(row) or whole(row))
    assert mixed.predict_batch(rows) == single
    assert len(calls) == 1
    assert mixed.predict_batch({name: [row[name] for row in rows] for name in rows[0]})["y"].tolist() == [row["y"] for row in single]


@pytest.mark.parametrize("color", ["green", "a\0b", None, 3])
def test_a_row_that_fails_is_told_among_rows_that_are_alike(mixed, color):
    rows = rows_of(30)
    rows[17]["color"] = color
    with pytest.raises(Error) as failed:
        mixed.predict_batch(rows)
    assert failed.value.row == 17
    recorded = mixed.predict_batch(rows, on_error="record")
    assert [type(row) for row in recorded].count(dict) == 29 and isinstance(recorded[17], Error)


def test_a_frame_of_numbers_and_texts_goes_in_one_call(mixed, tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    rows = rows_of(60)
    rows[7]["color"], rows[9]["color"] = "green", None
    frame = pandas.DataFrame(rows)
    expected = [mixed.predict(row)["y"] if row["color"] in ("red", "blüe") else None for row in rows]
    path = MODELS.parent / "rows/mixed.mlmodel"
    given = Rows(path)
    model = given.open()
    calls = []
    monkeypatch.setattr(model, "predict", lambda row, whole=model.predict, **more: calls.append(row) or whole(row, **more))
    made = _batches.predict(given, model, frame)
    assert [None if value is pandas.NA or value != value else value for value in made["y"].astype(object)] == expected
    assert "green" in made["error"][7] and made["error"].count() == 2
    # One call for the first row of each piece, and one for each of the two failed rows.
    assert len(calls) < 8


def test_pictures_are_predicted_side_by_side_in_their_order():
    paths = sorted(DIGITS.glob("*.png")) * 5
    model = Model(DIGITS / "Digits.mlpackage", threads=4)
    single = [model.predict(path) for path in paths]

    def labels(results):
        return [result if isinstance(result, Error) else {name: str(value) for name, value in result.items()} for result in results]

    assert labels(model.predict_batch(paths)) == labels(single)
    pictures = pytest.importorskip("PIL.Image")
    same = [pictures.open(paths[0])] * 20
    assert labels(model.predict_batch(same)) == labels([single[0]] * 20)
    paths[7], paths[9] = "nothing.png", "neither.png"
    with pytest.raises(Error, match="nothing.png") as failed:
        model.predict_batch(paths)
    assert failed.value.row == 7
    recorded = model.predict_batch(paths, on_error="record")
    assert [place for place, row in enumerate(recorded) if isinstance(row, Error)] == [7, 9]
    assert labels(recorded)[10:] == labels(single)[10:]
