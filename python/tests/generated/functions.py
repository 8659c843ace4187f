# This file was automatically generated and should not be edited.
"""functions, a Core ML model."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

import coreml_runtime


@dataclasses.dataclass
class functionsInput:
    """What a prediction takes."""

    #: x as 3 element vector of floats
    x: Any

    def features(self) -> Dict[str, Any]:
        """The inputs that are given, by the names that the model has for them."""
        features: Dict[str, Any] = {
            "x": self.x,
        }
        return {name: value for name, value in features.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class functionsOutput:
    """What a prediction gives."""

    #: y as 3 element vector of floats
    y: numpy.ndarray

    @classmethod
    def of(cls, features: Dict[str, Any]) -> functionsOutput:
        """What the model gave, by its names."""
        return cls(
            y=features["y"],
        )


class functions:
    """Opens the model and predicts.

    ``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.

    """

    def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:
        self.model = coreml_runtime.Model(source, **options)

    def close(self) -> None:
        self.model.close()

    def __enter__(self) -> functions:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def predict(self, input: functionsInput) -> functionsOutput:
        return functionsOutput.of(self.model.predict(input.features()))

    async def predict_async(self, input: functionsInput) -> functionsOutput:
        return functionsOutput.of(await self.model.predict_async(input.features()))

    def predict_batch(self, inputs: Sequence[functionsInput]) -> List[functionsOutput]:
        rows = self.model.predict_batch([each.features() for each in inputs])
        return [functionsOutput.of(row) for row in rows]


@dataclasses.dataclass
class functions_half_lifeInput:
    """What a prediction takes."""

    #: x as 3 element vector of floats
    x: Any

    def features(self) -> Dict[str, Any]:
        """The inputs that are given, by the names that the model has for them."""
        features: Dict[str, Any] = {
            "x": self.x,
        }
        return {name: value for name, value in features.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class functions_half_lifeOutput:
    """What a prediction gives."""

    #: y as 3 element vector of floats
    y: numpy.ndarray

    @classmethod
    def of(cls, features: Dict[str, Any]) -> functions_half_lifeOutput:
        """What the model gave, by its names."""
        return cls(
            y=features["y"],
        )


class functions_half_life:
    """Opens the model and predicts.

    ``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.

    """

    def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:
        self.model = coreml_runtime.Model(source, function="half-life", **options)

    def close(self) -> None:
        self.model.close()

    def __enter__(self) -> functions_half_life:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def predict(self, input: functions_half_lifeInput) -> functions_half_lifeOutput:
        return functions_half_lifeOutput.of(self.model.predict(input.features()))

    async def predict_async(self, input: functions_half_lifeInput) -> functions_half_lifeOutput:
        return functions_half_lifeOutput.of(await self.model.predict_async(input.features()))

    def predict_batch(self, inputs: Sequence[functions_half_lifeInput]) -> List[functions_half_lifeOutput]:
        rows = self.model.predict_batch([each.features() for each in inputs])
        return [functions_half_lifeOutput.of(row) for row in rows]
