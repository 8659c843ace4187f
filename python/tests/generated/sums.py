# This file was automatically generated and should not be edited.
"""sums of arrays

Author: nobody
License: any
Version: 7
"""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

import coreml_runtime


@dataclasses.dataclass
class sumsInput:
    """What a prediction takes."""

    #: a as 2 by 3 matrix of floats
    a: Any

    #: b as optional 1 by 3 matrix of floats
    b: Optional[Any] = None

    def features(self) -> Dict[str, Any]:
        """The inputs that are given, by the names that the model has for them."""
        features: Dict[str, Any] = {
            "a": self.a,
            "b": self.b,
        }
        return {name: value for name, value in features.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class sumsOutput:
    """What a prediction gives."""

    #: y as multidimensional array of floats
    y: numpy.ndarray

    #: z as 1 element vector of 16-bit floats
    z: numpy.ndarray

    @classmethod
    def of(cls, features: Dict[str, Any]) -> sumsOutput:
        """What the model gave, by its names."""
        return cls(
            y=features["y"],
            z=features["z"],
        )


class sums:
    """Opens the model and predicts.

    ``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.

    """

    def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:
        self.model = coreml_runtime.Model(source, **options)

    def close(self) -> None:
        self.model.close()

    def __enter__(self) -> sums:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def predict(self, input: sumsInput) -> sumsOutput:
        return sumsOutput.of(self.model.predict(input.features()))

    async def predict_async(self, input: sumsInput) -> sumsOutput:
        return sumsOutput.of(await self.model.predict_async(input.features()))

    def predict_batch(self, inputs: Sequence[sumsInput]) -> List[sumsOutput]:
        rows = self.model.predict_batch([each.features() for each in inputs])
        return [sumsOutput.of(row) for row in rows]
