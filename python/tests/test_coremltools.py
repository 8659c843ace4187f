"""Predictions with an unmodified coremltools."""
import os
import py_compile
import shutil
import subprocess
import sys

import numpy as np
import pytest

from conftest import CHECKOUT, DIGITS, MODELS

pytest.importorskip("coremltools", reason="coremltools is not installed")
FINDER = "import _coreml_runtime_finder\n"


def run(program, finder=FINDER, folder=None, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", finder + program], capture_output=True, text=True, env={**os.environ, **environment},
        timeout=500, cwd=folder)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_predictions_states_plans_and_assets(tmp_path):
    """All in one process, because importing coremltools takes seconds."""
    run(f"""
import os, numpy as np, coremltools as ct, pytest
from PIL import Image
from coremltools.converters.mil import Builder as mb
from coremltools.models.compute_plan import MLComputePlan, MLModelStructure
from coremltools.models.compute_device import MLComputeDevice, MLCPUComputeDevice
model = ct.models.MLModel({str(MODELS / 'sums.mlmodel')!r})
a = np.arange(6.0).reshape(2, 3)
result = model.predict({{"a": a}})
np.testing.assert_array_equal(result["y"], 2 * a + 0.5)
assert result["z"].dtype == np.float32 and result["z"] == 15
assert [r["z"][0] for r in model.predict([{{"a": a}}, {{"a": a + 1}}])] == [15, 21]
with pytest.raises(KeyError): model.predict({{"q": a}})
with pytest.raises(RuntimeError, match="NSLocalizedDescription"): model.predict({{"a": np.zeros((2, 4))}})
with pytest.raises(RuntimeError, match="Unsupported array type"): model.predict({{"a": a.astype(np.int64)}})
assert model.load_duration_in_nano_seconds > 0 and model.last_predict_duration_in_nano_seconds > 0
sum = ct.models.MLModel({str(MODELS / 'running-sum.mlmodel')!r})
state = sum.make_state()
for number in range(1, 4): np.testing.assert_array_equal(sum.predict({{"x": np.ones(4)}}, state=state)["y"], np.full(4, number))
if hasattr(state, "read_state"):  # from 9.0 on
    np.testing.assert_array_equal(state.read_state("total"), np.full(4, 3))
    state.write_state("total", np.zeros(4, np.float32))
    assert sum.predict({{"x": np.ones(4)}}, state=state)["y"][0] == 1
    with pytest.raises(RuntimeError): state.read_state("nothing")
# Other models with the same states go on from one; without one a prediction is refused, as on a Mac.
again = ct.models.MLModel({str(MODELS / 'running-sum.mlmodel')!r})
state = sum.make_state()
assert [each.predict({{"x": np.ones(4)}}, state=state)["y"][0] for each in (sum, again, sum)] == [1, 2, 3]
shared = {str(CHECKOUT / 'Tests/Cases/models/states/shared.mlpackage')!r}
prefill, decode, wide = (ct.models.MLModel(shared, function_name=name) for name in ("prefill", "decode", "wide"))
state = prefill.make_state()
assert [each.predict({{"x": np.ones(2)}}, state=state)["y"][0] for each in (prefill, decode, prefill)] == [1, 11, 12]
with pytest.raises(RuntimeError, match="the given state 's' is tensor"): wide.predict({{"x": np.ones(3)}}, state=state)
words = 'NSLocalizedDescription = "The input feature for total must be an MLState, but it was not.";'
for data in ({{"x": np.ones(4)}}, [{{"x": np.ones(4)}}]):
    with pytest.raises(RuntimeError, match=words): sum.predict(data)
digits = ct.models.MLModel({str(DIGITS / 'Digits.mlpackage')!r}, compute_units=ct.ComputeUnit.CPU_ONLY)
assert digits.predict({{"image": Image.open({str(DIGITS / 'seven.png')!r})}})["classLabel"] == "seven"
path = digits.get_compiled_model_path()
assert path.endswith(".mlmodelc") and os.path.isdir(path)
assert ct.models.CompiledMLModel(path).predict({{"image": Image.open({str(DIGITS / 'two.png')!r})}})["classLabel"] == "two"

@mb.program(input_specs=[mb.TensorSpec(shape=(10, 20)), mb.TensorSpec(shape=(10, 20))])
def program(x, y):
    return mb.add(x=x, y=y, name="a"), mb.sub(x=x, y=y, name="b")

x = np.ones((10, 20), np.float32)
for kind in ("mlprogram", "neuralnetwork"):
    model = ct.convert(program, convert_to=kind)
    assert model.predict({{"x": x, "y": x}})["a"][0, 0] == 2
    path = model.get_compiled_model_path()
    plan = MLComputePlan.load_from_path(path)
    structure = plan.model_structure
    if kind == "mlprogram":
        operations = [each for each in structure.program.functions["main"].block.operations if each.operator_name in ("add", "sub")]
        assert sorted(each.outputs[0].name for each in operations) == ["a_cast_fp16", "b_cast_fp16"]
        assert all(0 <= plan.get_estimated_cost_for_mlprogram_operation(each).weight <= 1 for each in operations)
        usage = plan.get_compute_device_usage_for_mlprogram_operation
    else:
        operations = structure.neuralnetwork.layers
        assert {{each.type for each in operations}} == {{"activation", "elementwise"}}
        usage = plan.get_compute_device_usage_for_neuralnetwork_layer
    assert operations and all(isinstance(usage(each).preferred_compute_device, MLComputeDevice) for each in operations)
    asset = ct.models.model.MLModelAsset.from_memory(model.get_spec().SerializeToString())
    assert ct.models.CompiledMLModel.from_asset(asset).predict({{"x": x, "y": x}})["b"][0, 0] == 0
    proxy = model.__proxy__
    del model, proxy
assert not os.path.exists(path)
digits = ct.models.MLModel({str(DIGITS / 'Digits.mlpackage')!r})
weights = open(digits.weights_dir + "/weight.bin", "rb").read()
for name in ("weights/weight.bin", "@model_path/weights/weight.bin"):
    asset = ct.models.model.MLModelAsset.from_memory(digits.get_spec().SerializeToString(), {{name: weights}})
    assert ct.models.CompiledMLModel.from_asset(asset).predict({{"image": Image.open({str(DIGITS / 'two.png')!r})}})["classLabel"] == "two"
from coremltools.models import datatypes, feature_vectorizer
vectors = feature_vectorizer.create_feature_vectorizer([("a", datatypes.Double()), ("b", datatypes.Double())], "out")[0]
np.testing.assert_array_equal(ct.models.MLModel(vectors).predict({{"a": np.array([2.0]), "b": 3}})["out"], [2, 3])
with pytest.raises(RuntimeError, match="'a' is of type multiArray, expected double"):
    ct.models.MLModel(vectors).predict({{"a": np.array([2.0, 3.0]), "b": 3}})
assert any(isinstance(each, MLCPUComputeDevice) for each in MLComputeDevice.get_all_compute_devices())
spec = ct.models.MLModel({str(MODELS / 'line.mlmodel')!r}).get_spec()
spec.specificationVersion = 9
file = {str(tmp_path / 'line.mlmodel')!r}
ct.utils.save_spec(spec, file, auto_set_specification_version=True)
assert ct.utils.load_spec(file).specificationVersion == 4
compiled = ct.utils.compile_model(spec)
assert MLModelStructure.load_from_path(compiled).neuralnetwork is not None
""")


def test_what_cannot_run_is_told_when_it_predicts():
    run("""
import numpy as np, coremltools as ct, pytest, warnings
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.models import datatypes
builder = NeuralNetworkBuilder([("x", datatypes.Array(3))], [("y", datatypes.Array(3))])
builder.add_activation("a", "RELU", "x", "y")
layer = builder.spec.neuralNetwork.layers[0]
layer.custom.className = "Nothing"
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    model = ct.models.MLModel(builder.spec)
assert any("You will not be able to run predict()" in str(each.message) for each in told), told
with pytest.raises(Exception, match="custom neural network layer"):
    model.predict({"x": np.ones(3)})
builder.spec.specificationVersion = 99
with pytest.raises(Exception, match="version 99"):
    ct.models.MLModel(builder.spec).predict({"x": np.ones(3)})
""")


def test_it_can_be_switched_off():
    # Some modules and most of coremltools' own tests read the constant.
    program = "import coremltools as ct; print(hasattr(ct, 'libcoremlpython'), ct.utils._is_macos(), ct._deps._IS_MACOS)"
    assert run(program, COREML_RUNTIME_COREMLTOOLS="off") == "False False False\n"
    assert run(program) == "True True True\n"


def test_the_real_module_is_left_alone(tmp_path):
    """A coremltools with its own native module stays unpatched."""
    folder = tmp_path / "coremltools"
    (folder / "models").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "libcoremlpython.py").write_text("real = True")
    (folder / "models/__init__.py").write_text("")
    (folder / "models/utils.py").write_text("def _is_macos(): return 'asked'")
    (folder / "_deps.py").write_text("_IS_MACOS = 'told'")
    assert run(
        "import sys; sys.path.insert(0, %r)\nimport coremltools.libcoremlpython as n, coremltools.models.utils as u, coremltools._deps as d, sys\n"
        "print(n.real, u._is_macos(), d._IS_MACOS, 'coreml_runtime' in sys.modules)" % str(tmp_path), finder=FINDER) == "True asked told False\n"


def test_waiting_costs_nothing(tmp_path):
    """The hook adds less than 1 ms of CPU time to each start of Python. Takes the best of 8 runs."""
    shutil.copy(CHECKOUT / "python/_coreml_runtime_finder.py", tmp_path)
    py_compile.compile(str(tmp_path / "_coreml_runtime_finder.py"))
    program = "import time; t = time.process_time()\nimport _coreml_runtime_finder\nprint(time.process_time() - t)"
    assert min(float(run(program, finder="", folder=tmp_path, PYTHONPATH="")) for _ in range(8)) < 1e-3


def test_it_can_be_switched_on_where_no_pth_file_is_read(tmp_path):
    """`pip install --target`: the folder is on the path, but its .pth file has not run."""
    program = f"""
import sys
sys.path.append({str(CHECKOUT / 'python')!r})
import coreml_runtime.coremltools
coreml_runtime.coremltools.enable()
coreml_runtime.coremltools.enable()
assert sum(getattr(each, "__name__", "") == "Finder" for each in sys.meta_path) == 1
import coremltools as ct, numpy as np
assert ct.models.MLModel({str(MODELS / 'sums.mlmodel')!r}).predict({{"a": np.ones((1, 3))}})["z"] == 3
coreml_runtime.coremltools.enable()
"""
    late = f"""
import sys, coremltools
sys.path.append({str(CHECKOUT / 'python')!r})
import coreml_runtime.coremltools
coreml_runtime.coremltools.enable()
"""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["COREML_RUNTIME_COREMLTOOLS"] = "off"
    for text, words in [(program, None), (late, "call enable() before the first import of coremltools")]:
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=500, cwd=tmp_path, env=environment)
        assert done.returncode == 0 if words is None else words in done.stderr, done.stderr[-4000:]
