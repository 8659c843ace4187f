# This file was automatically generated and should not be edited.
"""Names the handwritten digit on a 32 by 32 grayscale image, white on black.

Author: The project's tools/make-demo-model.py
License: Apache-2.0; trained on UCI's Optical Recognition of Handwritten Digits, CC BY 4.0
Version: 1.0
"""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

import coreml_runtime


@dataclasses.dataclass
class DigitsInput:
    """What a prediction takes."""

    #: The digit, white on black as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 32 pixels wide by 32 pixels high
    image: Any

    def features(self) -> Dict[str, Any]:
        """The inputs that are given, by the names that the model has for them."""
        features: Dict[str, Any] = {
            "image": self.image,
        }
        return {name: value for name, value in features.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class DigitsOutput:
    """What a prediction gives."""

    #: The most likely digit as string value
    classLabel: str

    #: The probability of each digit as dictionary of strings to doubles
    classLabel_probs: Dict[str, float]

    @classmethod
    def of(cls, features: Dict[str, Any]) -> DigitsOutput:
        """What the model gave, by its names."""
        return cls(
            classLabel=features["classLabel"],
            classLabel_probs=features["classLabel_probs"],
        )


class Digits:
    """Opens the model and predicts.

    ``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.

    """

    def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:
        self.model = coreml_runtime.Model(source, **options)

    def close(self) -> None:
        self.model.close()

    def __enter__(self) -> Digits:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def predict(self, input: DigitsInput) -> DigitsOutput:
        return DigitsOutput.of(self.model.predict(input.features()))

    async def predict_async(self, input: DigitsInput) -> DigitsOutput:
        return DigitsOutput.of(await self.model.predict_async(input.features()))

    def predict_batch(self, inputs: Sequence[DigitsInput]) -> List[DigitsOutput]:
        rows = self.model.predict_batch([each.features() for each in inputs])
        return [DigitsOutput.of(row) for row in rows]
