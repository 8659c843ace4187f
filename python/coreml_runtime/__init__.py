"""Core ML models on Linux.

    import coreml_runtime
    model = coreml_runtime.Model("Digits.mlpackage")
    model.predict(image="seven.png")["classLabel"]

``Model`` opens ``.mlmodel``, ``.mlpackage`` and ``.mlmodelc`` and predicts; ``compile`` and ``devices`` do what they say. What fails raises
``Error``. With this package installed, ``coremltools`` predicts on Linux too. The command ``runtime`` is installed with it.
"""
from ._description import Description, Feature, Metadata, Parameter, Table
from ._library import C as _C
from ._library import Error
from ._model import Model, State, compile, devices
from ._update import Progress

__version__ = _C.coreml_version().decode()
__all__ = [
    "Description", "Error", "Feature", "Metadata", "Model", "Parameter", "Progress", "State", "Table", "compile", "devices"]
