"""The outputs in examples/python.ipynb are up to date. COREML_WRITE_NOTEBOOK=1 rewrites them."""
import ast
import contextlib
import io
import json
import os
import pprint

import pytest

from conftest import CHECKOUT

NOTEBOOK = CHECKOUT / "examples/python.ipynb"


def cell(source, names, count):
    """Runs a cell; returns its outputs in the notebook's format: printed text and the last expression's value."""
    *before, last = ast.parse(source).body
    valued = isinstance(last, ast.Expr) and not (isinstance(last.value, ast.Call) and getattr(last.value.func, "id", "") == "print")
    printed, made = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(before if valued else [*before, last], []), NOTEBOOK.name, "exec"), names)
        if valued:
            made = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if made is not None:
        plain = repr(made) if hasattr(made, "_repr_html_") else pprint.pformat(made, sort_dicts=False)
        data = {"text/plain": plain.splitlines(True)}
        if hasattr(made, "_repr_html_"):
            data = {"text/html": made._repr_html_().splitlines(True), **data}
        outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return outputs


def told(outputs):
    return ["".join(each.get("text") or each["data"]["text/plain"]) for each in outputs]


def test_the_notebook_has_what_comes_out(monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(CHECKOUT / "examples")
    notebook = json.loads(NOTEBOOK.read_text())
    names, count = {}, 0
    for each in notebook["cells"]:
        if each["cell_type"] != "code":
            continue
        count += 1
        made = cell("".join(each["source"]), names, count)
        # The costs and the kernels of a plan depend on the machine.
        if "plan()" not in "".join(each["source"]) and not os.environ.get("COREML_WRITE_NOTEBOOK"):
            assert told(made) == told(each["outputs"])
        each["outputs"], each["execution_count"] = made, count
    assert count == 6
    if os.environ.get("COREML_WRITE_NOTEBOOK"):
        NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
