"""What coremltools' native module of this name offers, by this runtime. Compute plans, model structures, devices and assets in memory
are left out: tests of these fail with `NotImplementedError`."""
import os
import shutil
import subprocess
import tempfile

import numpy as np
from PIL import Image

from predictor import PREDICTOR, Refused

EVENTS = []  # of the running test: ("load" | "predict" | "refused", sentence)


def told(kind, run):
    try:
        result = run()
    except Refused as refused:
        EVENTS.append(("refused", str(refused)))
        if kind == "predict":  # in Core ML's words, for which tests of wrong inputs look
            raise Refused(f"Unable to compute the prediction using ML Program: {refused}") from None
        raise
    EVENTS.append((kind, ""))
    return result


class _State:
    """The steps so far: a state lives in one case, so each prediction repeats those before it."""

    def __init__(self, proxy):
        self.proxy, self.steps, self.writes = proxy, [], {}

    def write_state(self, name, value):
        self.writes[name] = np.asarray(value).astype(np.float32)

    def read_state(self, name):
        return self.proxy.run(self.steps, stateful=True, multi=True, last_writes=self.writes)[name]


class _MLModelProxy:
    def __init__(self, path, compute_units, function_name, optimization_hints=None, asset=None):
        if asset is not None:
            path = asset.path
        self.function, self.compiled = function_name, None
        self.folder = tempfile.mkdtemp(dir=PREDICTOR.root)
        self.model = f"{self.folder}/model{os.path.splitext(path.rstrip('/'))[1]}"
        if not os.path.exists(path):
            raise RuntimeError(f"{path} does not exist")
        shutil.copytree(path, self.model) if os.path.isdir(path) else shutil.copy(path, self.model)
        told("load", lambda: self.run([]))

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, steps, **options):
        return PREDICTOR.run(self.model, steps, self.function, **options)

    def predict(self, data, state=None):
        if state is None:
            return self.python(*told("predict", lambda: self.run([{"inputs": data}]))[0])
        state.steps.append({"inputs": dict(data), "writes": state.writes})
        state.writes = {}
        return self.python(*told("predict", lambda: self.run(state.steps, stateful=True, multi=True))[-1])

    def batchPredict(self, batch):
        results = told("predict", lambda: self.run([{"inputs": data} for data in batch], multi=True))
        return [self.python(*result) for result in results]

    def newState(self):
        return _State(self)

    def image_outputs(self):
        """Name to colour space."""
        if self.model.endswith("mlmodelc"):
            return {}
        from coremltools.models.utils import load_spec

        description = load_spec(self.model).description
        outputs = [*description.output, *(output for function in description.functions for output in function.output)]
        return {o.name: o.type.imageType.colorSpace for o in outputs if o.type.WhichOneof("Type") == "imageType"}

    def python(self, arrays, values):
        images, result = self.image_outputs(), {}
        for name, array in arrays.items():
            if name not in images:
                result[name] = array
            elif array.ndim == 3:
                opaque = np.full(array.shape[:2] + (1,), 255)
                result[name] = Image.fromarray(np.concatenate([array, opaque], 2).astype(np.uint8), "RGBA")
            elif images[name] == 40:  # GRAYSCALE_FLOAT16
                result[name] = Image.fromarray(array.astype(np.float32), "F")
            else:
                result[name] = Image.fromarray(array.astype(np.uint8), "L")
        for name, feature in values.items():
            value = feature["value"]
            if feature["type"] == "dictionary":
                value = {key: float(item) for key, item in value}
            elif feature["type"] in ("double", "int64"):
                value = (float if feature["type"] == "double" else int)(value)
            result[name] = value
        return result

    def get_compiled_model_path(self):
        if self.compiled is None:
            self.compiled = self.compileModel(self.model)
        return self.compiled

    def get_load_duration_in_nano_seconds(self):
        return 1

    def get_last_predict_duration_in_nano_seconds(self):
        return 1

    @staticmethod
    def compileModel(path):
        runtime = os.path.join(os.path.dirname(PREDICTOR.executable), "runtime")
        folder = tempfile.mkdtemp(dir=PREDICTOR.root)
        done = subprocess.run([runtime, "compile", path, "-o", folder], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f'Error compiling model: "{done.stderr.strip()}".')
        return os.path.join(folder, os.listdir(folder)[0])

    @staticmethod
    def auto_set_specification_version(spec):
        return spec

    @staticmethod
    def maximum_supported_specification_version():
        return 10

    @staticmethod
    def create_model_asset_from_path(path):
        from coremltools.models.model import MLModelAsset

        return MLModelAsset(_MLModelAssetProxy(path))

    @staticmethod
    def left_out(*arguments):
        raise NotImplementedError("this is not part of the stand-in for coremltools' native module")

    create_model_asset_from_memory = get_model_structure = get_compute_plan = left_out
    get_available_compute_devices = get_all_compute_devices = left_out


class _MLModelAssetProxy:
    def __init__(self, path):
        self.path = path


class _MLComputePlanProxy:
    pass


class _MLCPUComputeDeviceProxy:
    pass


class _MLGPUComputeDeviceProxy:
    pass


class _MLNeuralEngineComputeDeviceProxy:
    pass
