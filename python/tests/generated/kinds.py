# This file was automatically generated and should not be edited.
"""kinds, a Core ML model."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

import coreml_runtime


@dataclasses.dataclass
class kindsInput:
    """What a prediction takes."""

    #: integer as integer value
    integer: int

    #: number as double value
    number: float

    #: text as string value
    text: str

    #: words as dictionary of strings to doubles
    words: Dict[str, float]

    #: numbers as dictionary of 64-bit integers to doubles
    numbers: Dict[int, float]

    #: texts as sequence of strings
    texts: List[str]

    #: integers as sequence of 64-bit integers
    integers: List[int]

    #: colour as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    colour: Any

    #: gray as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 3 pixels wide by 2 pixels high
    gray: Any

    #: gray16 as grayscale (kCVPixelFormatType_OneComponent16Half) image buffer, 3 pixels wide by 2 pixels high
    gray16: Any

    def features(self) -> Dict[str, Any]:
        """The inputs that are given, by the names that the model has for them."""
        features: Dict[str, Any] = {
            "integer": self.integer,
            "number": self.number,
            "text": self.text,
            "words": self.words,
            "numbers": self.numbers,
            "texts": self.texts,
            "integers": self.integers,
            "colour": self.colour,
            "gray": self.gray,
            "gray16": self.gray16,
        }
        return {name: value for name, value in features.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class kindsOutput:
    """What a prediction gives."""

    #: integer as integer value
    integer: int

    #: number as double value
    number: float

    #: text as string value
    text: str

    #: words as dictionary of strings to doubles
    words: Dict[str, float]

    #: numbers as dictionary of 64-bit integers to doubles
    numbers: Dict[int, float]

    #: texts as sequence of strings
    texts: List[str]

    #: integers as sequence of 64-bit integers
    integers: List[int]

    #: colour as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    colour: Any

    #: gray as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 3 pixels wide by 2 pixels high
    gray: Any

    #: gray16 as grayscale (kCVPixelFormatType_OneComponent16Half) image buffer, 3 pixels wide by 2 pixels high
    gray16: Any

    @classmethod
    def of(cls, features: Dict[str, Any]) -> kindsOutput:
        """What the model gave, by its names."""
        return cls(
            integer=features["integer"],
            number=features["number"],
            text=features["text"],
            words=features["words"],
            numbers=features["numbers"],
            texts=features["texts"],
            integers=features["integers"],
            colour=features["colour"],
            gray=features["gray"],
            gray16=features["gray16"],
        )


class kinds:
    """Opens the model and predicts.

    ``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.

    """

    def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:
        self.model = coreml_runtime.Model(source, **options)

    def close(self) -> None:
        self.model.close()

    def __enter__(self) -> kinds:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def predict(self, input: kindsInput) -> kindsOutput:
        return kindsOutput.of(self.model.predict(input.features()))

    async def predict_async(self, input: kindsInput) -> kindsOutput:
        return kindsOutput.of(await self.model.predict_async(input.features()))

    def predict_batch(self, inputs: Sequence[kindsInput]) -> List[kindsOutput]:
        rows = self.model.predict_batch([each.features() for each in inputs])
        return [kindsOutput.of(row) for row in rows]
