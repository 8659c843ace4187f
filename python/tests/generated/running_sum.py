# This file was automatically generated and should not be edited.
"""running_sum, a Core ML model."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

import coreml_runtime


@dataclasses.dataclass
class running_sumInput:
    """What a prediction takes."""

    #: x as 4 element vector of floats
    x: Any

    def features(self) -> Dict[str, Any]:
        """The inputs that are given, by the names that the model has for them."""
        features: Dict[str, Any] = {
            "x": self.x,
        }
        return {name: value for name, value in features.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class running_sumOutput:
    """What a prediction gives."""

    #: y as 4 element vector of floats
    y: numpy.ndarray

    @classmethod
    def of(cls, features: Dict[str, Any]) -> running_sumOutput:
        """What the model gave, by its names."""
        return cls(
            y=features["y"],
        )


class running_sum:
    """Opens the model and predicts.

    ``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.

    """

    def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:
        self.model = coreml_runtime.Model(source, **options)

    def close(self) -> None:
        self.model.close()

    def __enter__(self) -> running_sum:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def make_state(self) -> coreml_runtime.State:
        """A state at its beginning:
        - total as state of 4 element vector of 16-bit floats
        """
        return self.model.make_state()

    def predict(self, input: running_sumInput, state: Optional[coreml_runtime.State] = None) -> running_sumOutput:
        return running_sumOutput.of(self.model.predict(input.features(), state=state))

    async def predict_async(self, input: running_sumInput, state: Optional[coreml_runtime.State] = None) -> running_sumOutput:
        return running_sumOutput.of(await self.model.predict_async(input.features(), state=state))

    def predict_batch(self, inputs: Sequence[running_sumInput]) -> List[running_sumOutput]:
        rows = self.model.predict_batch([each.features() for each in inputs])
        return [running_sumOutput.of(row) for row in rows]
