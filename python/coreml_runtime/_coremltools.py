"""A replacement for coremltools' native module `libcoremlpython`, with the same conversions and errors."""
import ctypes
import json
import os
import shutil
import tempfile
import time
import weakref

import numpy as np

from . import _library as library
from . import _loading, _values
from . import compile as _compile
from ._library import Error, call, encoded, make

#: the macOS version whose Core ML has the features of this runtime
MACOS = (26, 0)
SPECIFICATION_VERSION = 10
UNABLE = "Unable to compute the prediction using ML Program. It can be an invalid input data or broken/unsupported model. "
ENCODING = {"CPU_ONLY": "cpuOnly", "CPU_AND_GPU": "cpuAndGPU", "CPU_AND_NE": "cpuAndNeuralEngine"}


def _raised(error, before="", after=""):
    """A RuntimeError with the message format of the native module: the user info of an NSError."""
    text = (before + str(error) + after).replace('"', '\\"')
    return RuntimeError(f'{{\n    NSLocalizedDescription = "{text}";\n}}')


# ---- values

def _value(value, key=None):
    """A value handle, chosen by the Python type in the order of the native module's checks.

    key: the type of the keys or items of an empty collection, "string" or "int64".
    """
    if isinstance(value, (bool, int, np.integer)):
        if not -(1 << 63) <= int(value) < 1 << 63:
            raise RuntimeError("value type not convertible: the integer has more than 64 bits")
        return make("value_int64", int(value))
    if isinstance(value, (float, np.floating)):
        return make("value_double", float(value))
    if isinstance(value, (bytes, str)):
        return _values.string(value, "")
    if isinstance(value, dict):
        return _values.dictionary(value, "", key)
    if isinstance(value, (list, tuple)):
        return _values.sequence(value, "", key)
    if isinstance(value, np.ndarray) or hasattr(value, "__array_interface__") and not hasattr(value, "mode"):
        array = np.asarray(value)
        if array.dtype not in (np.int32, np.float32, np.float64, np.int8):
            raise RuntimeError("Unsupported array type")
        return _values.tensor(array)
    if hasattr(value, "mode") and hasattr(value, "tobytes"):
        if value.mode == "F":
            return _values.pixels(_values.GRAY16F, np.asarray(value).astype(np.float16))
        if value.mode == "L":
            return _values.pixels(_values.GRAY8, np.asarray(value))
        if value.mode in ("RGB", "RGBA"):
            return _values.pixels(_values.RGBA, np.asarray(value.convert("RGBA")))
        raise RuntimeError(f"Unsupported image type '{value.mode}'")
    raise RuntimeError(f"value type not convertible: {type(value).__name__}")


def _python(handle):
    result = _values.python(handle)
    if isinstance(result, np.ndarray) and result.dtype == np.float16:
        return result.astype(np.float32)
    return result


class _State:
    def __init__(self, model):
        self._handle = make("state_create", model)

    def read_state(self, name):
        try:
            return _python(make("state_read", self._handle, encoded(name)))
        except Error as error:
            raise _raised(error) from None

    def write_state(self, name, value):
        array = np.asarray(value)
        try:
            call("state_write", self._handle, encoded(name), _values.tensor(array, "float32", name))
        except Error as error:
            raise _raised(error) from None


class _MLModelAssetProxy:
    def __init__(self, source):
        self.source = source


def _copied(path):
    """Copies a model to a temporary folder, by hard links if possible; returns (folder, path of the copy).

    The caller may remove the original before the model is compiled.
    """
    folder = tempfile.mkdtemp(prefix="coreml-runtime-")
    copy = os.path.join(folder, os.path.basename(path.rstrip("/")))

    def link(source, target):
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    if os.path.isdir(path):
        shutil.copytree(path, copy, copy_function=link)
    else:
        link(path, copy)
    return folder, copy


class _MLModelProxy:
    def __init__(self, path, compute_units, function_name, optimization_hints=None, asset=None):
        source = asset.source if asset is not None else os.path.expanduser(path)
        if isinstance(source, str) and not os.path.exists(source):
            raise RuntimeError(f'Error compiling model: "A valid manifest does not exist at path: {source}".')
        began = time.perf_counter_ns()
        settings = {"computeUnits": ENCODING.get(compute_units, "all"), "function": function_name or None}
        for key, option, words in [
            ("reshapeFrequency", "reshapeFrequency", {"Frequent": "frequent", "Infrequent": "infrequent"}),
            ("specializationStrategy", "specialization", {"Default": "default", "FastPrediction": "fastPrediction"}),
            ("allowLowPrecisionAccumulationOnGPU", "lowPrecisionAccumulationOnGPU", {"True": "true", "False": "false"}),
        ]:
            if key in (optimization_hints or {}):
                settings[option] = words.get(optimization_hints[key])
        try:
            self._handle = _loading.model(source, settings)
        except Error as error:
            if isinstance(source, str) and not source.rstrip("/").endswith(".mlmodelc"):
                raise RuntimeError(f'Error compiling model: "{error}".') from None
            raise _raised(error) from None
        self._loaded = time.perf_counter_ns() - began
        self._predicted = None
        self._compiled, self._source = None, None
        if isinstance(source, str):
            if source.rstrip("/").endswith(".mlmodelc"):
                self._compiled = source
            else:
                folder, self._source = _copied(source)
                weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        described = _described(self._handle)
        self._names = [feature["name"] for feature in described["outputs"]]
        self._states = [feature["name"] for feature in described["states"]]
        self._keys = {feature["name"]: feature.get("key") for feature in described["inputs"]}
        self._numbers = {feature["name"] for feature in described["inputs"] if feature["kind"] in ("double", "int64")}

    def _features(self, data):
        features = make("features_create")
        for name, value in data.items():
            # A row of a one-column table; coremltools' tests of scikit-learn models pass such arrays for numbers.
            if name in self._numbers and isinstance(value, np.ndarray) and value.size == 1:
                value = value.item()
            call("features_set", features, encoded(name), _value(value, self._keys.get(name)))
        return features

    def _run(self, data, state):
        if state is None and self._states:
            raise _raised(f"The input feature for {self._states[0]} must be an MLState, but it was not.")
        options = library.PredictOptions(ctypes.sizeof(library.PredictOptions), None if state is None else state._handle.pointer, None, None)
        cancellation = make("cancellation_create")
        options.cancellation = cancellation.pointer
        try:
            features = self._features(data)
            outputs = library.interruptible(
                lambda: make("predict", self._handle, features, options), lambda: library.C.coreml_cancel(cancellation))
            return {name: _python(make("features_get", outputs, encoded(name))) for name in self._names}
        except Error as error:
            words = str(error)
            if error.status == Error.INVALID_INPUT:
                raise _raised(words) from None
            raise _raised(words, UNABLE) from None

    def predict(self, data, state=None):
        began = time.perf_counter_ns()
        result = self._run(data, state)
        self._predicted = time.perf_counter_ns() - began
        return result

    def batchPredict(self, batch):
        began = time.perf_counter_ns()
        results = [self._run(data, None) for data in batch]
        self._predicted = time.perf_counter_ns() - began
        return results

    def newState(self):
        return _State(self._handle)

    def get_compiled_model_path(self):
        if self._compiled is None:
            if self._source is None:
                raise RuntimeError("The model was loaded from memory: it has no compiled model on disk.")
            self._compiled = _compiled_into(self._source, os.path.dirname(self._source))
        return self._compiled

    def get_load_duration_in_nano_seconds(self):
        return self._loaded

    def get_last_predict_duration_in_nano_seconds(self):
        return self._predicted

    @staticmethod
    def compileModel(path):
        return _compiled_into(os.path.expanduser(path), tempfile.mkdtemp(prefix="coreml-runtime-"))

    @staticmethod
    def auto_set_specification_version(spec):
        from ._specification import least_version

        spec = type(spec).FromString(spec.SerializeToString()) if hasattr(spec, "SerializeToString") else spec
        if isinstance(spec, (bytes, bytearray)):
            from coremltools.proto import Model_pb2

            model = Model_pb2.Model.FromString(bytes(spec))
            model.specificationVersion = least_version(model)
            return model.SerializeToString()
        spec.specificationVersion = least_version(spec)
        return spec

    @staticmethod
    def maximum_supported_specification_version():
        return SPECIFICATION_VERSION

    @staticmethod
    def create_model_asset_from_path(path):
        from coremltools.models.model import MLModelAsset

        path = os.path.expanduser(path)
        if not os.path.exists(path):
            raise RuntimeError(f"{path} does not exist")
        return MLModelAsset(_MLModelAssetProxy(path))

    @staticmethod
    def create_model_asset_from_memory(spec, blob_mapping=None):
        from coremltools.models.model import MLModelAsset

        # Programs prefix the names of weight files with "@model_path/", which callers may omit.
        weights = {
            name if name.startswith("@model_path/") else f"@model_path/{name}": bytes(data)
            for name, data in ((str(name), data) for name, data in (blob_mapping or {}).items())}
        return MLModelAsset(_MLModelAssetProxy((bytes(spec), weights)))

    @staticmethod
    def get_model_structure(path):
        from ._structure import structure

        try:
            return structure(os.path.expanduser(path))
        except Error as error:
            raise _raised(error) from None

    @staticmethod
    def get_compute_plan(path, compute_units):
        from coremltools.models.compute_plan import MLComputePlan

        from ._structure import planned

        try:
            return MLComputePlan(planned(_MLComputePlanProxy, os.path.expanduser(path), ENCODING.get(compute_units, "all")))
        except Error as error:
            raise _raised(error) from None

    @staticmethod
    def get_all_compute_devices():
        from ._structure import devices

        return list(devices().values())

    get_available_compute_devices = get_all_compute_devices


def _described(handle):
    out = ctypes.c_char_p()
    call("model_describe", handle, out)
    return json.loads(out.value)


def _compiled_into(source, folder):
    from ._structure import keep

    path = os.path.join(folder, os.path.splitext(os.path.basename(source.rstrip("/")))[0] + ".mlmodelc")
    try:
        _compile(source, path)
    except Error as error:
        raise RuntimeError(f'Error compiling model: "{error}".') from None
    keep(source, path)
    return path


class _MLComputePlanProxy:
    model_structure = None

    def get_compute_device_usage_for_mlprogram_operation(self, operation):
        return self.usage(operation)

    def get_compute_device_usage_for_neuralnetwork_layer(self, layer):
        return self.usage(layer)

    def get_estimated_cost_for_mlprogram_operation(self, operation):
        return self.cost(operation)


class _MLCPUComputeDeviceProxy:
    pass


class _MLGPUComputeDeviceProxy:
    pass


class _MLNeuralEngineComputeDeviceProxy:
    def get_total_core_count(self):
        return 0


class _MLModelStructureProgramOperationProxy:
    def __init__(self, names=()):
        self.names = names


class _MLModelStructureNeuralNetworkLayerProxy(_MLModelStructureProgramOperationProxy):
    pass
