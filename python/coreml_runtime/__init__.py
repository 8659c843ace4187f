"""Runs Core ML models on Linux.

    import coreml_runtime
    model = coreml_runtime.Model("Digits.mlpackage")
    model.predict(image="seven.png")["classLabel"]

- ``Model`` opens a ``.mlmodel``, ``.mlpackage`` or ``.mlmodelc`` and predicts with it.
- ``compile`` writes a ``.mlmodelc``.
- ``devices`` lists the CPU and the OpenCL devices.
- ``generate_text`` continues a text with a language model.

Every failure raises ``Error``. With this package installed, ``coremltools`` predicts on Linux too. The package also
installs the command ``runtime``.
"""
from ._description import Description, Feature, Metadata, Parameter, Table
from ._library import C as _C
from ._library import Error
from ._model import Model, State, compile, devices
from ._text import Generation, generate_text
from ._update import Progress

__version__ = _C.coreml_version().decode()
__all__ = [
    "Description", "Error", "Feature", "Generation", "Metadata", "Model", "Parameter", "Progress", "State", "Table", "compile", "devices",
    "generate_text"]
