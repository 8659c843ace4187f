# This file was automatically generated and should not be edited.
"""gives what it is given */ \"\"\"
second line \\

Author: some*/body \\
License: any
#error
Version: 1 ??/
"""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

import coreml_runtime


@dataclasses.dataclass
class namesInput:
    """What a prediction takes."""

    #: ends a comment */ and begins one /* in Swift as double value
    CO2_Emissions_g_km_: float

    #: two lines
    #: #error of text as 2 element vector of floats
    _963: Any

    #: a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    class_: Any

    #: a backslash \ as string value
    self_: str

    #: a trigraph ??/ as double value
    init: float

    #: turned  round as double value
    Type: float

    #:  zero and
    #:  separator as 2 element vector of floats
    in_: Any

    #: \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    None_: Any

    #: `code` ``` @objc as string value
    id: str

    #: ends a comment */ and begins one /* in Swift as double value
    a_b: float

    #: two lines
    #: #error of text as double value
    a_b_: float

    #: a quote """ of Python as 2 element vector of floats
    a_b__: Any

    #: a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    _feature: Any

    #: a trigraph ??/ as string value
    größe: str

    #: turned  round as double value
    日本: float

    #:  zero and
    #:  separator as double value
    _feature_: float

    #: \(fatalError()) \u{22} as 2 element vector of floats
    featureNames: Any

    #: `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    provider: Any

    #: ends a comment */ and begins one /* in Swift as string value
    MLFeatureValue: str

    #: two lines
    #: #error of text as double value
    description: float

    #: a quote """ of Python as double value
    newest: float

    #: a backslash \ as 2 element vector of floats
    features_: Any

    #: a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    f__hidden: Any

    #: turned  round as string value
    x_y: str

    #:  zero and
    #:  separator as double value
    f___line__error__: float

    #: \(fatalError()) \u{22} as double value
    f__HOME____x___s: float

    def features(self) -> Dict[str, Any]:
        """The inputs that are given, by the names that the model has for them."""
        features: Dict[str, Any] = {
            "CO2 Emissions(g/km)": self.CO2_Emissions_g_km_,
            "963": self._963,
            "class": self.class_,
            "self": self.self_,
            "init": self.init,
            "Type": self.Type,
            "in": self.in_,
            "None": self.None_,
            "id": self.id,
            "a b": self.a_b,
            "a_b": self.a_b_,
            "a\"b": self.a_b__,
            "_": self._feature,
            "größe": self.größe,
            "日本": self.日本,
            "🙂": self._feature_,
            "featureNames": self.featureNames,
            "provider": self.provider,
            "MLFeatureValue": self.MLFeatureValue,
            "description": self.description,
            "newest": self.newest,
            "features": self.features_,
            "__hidden": self.f__hidden,
            "x\U0000202ey": self.x_y,
            "*/ line\U0000000a#error \\": self.f___line__error__,
            "${HOME} \\(x) %s": self.f__HOME____x___s,
        }
        return {name: value for name, value in features.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class namesOutput:
    """What a prediction gives."""

    #: ends a comment */ and begins one /* in Swift as double value
    CO2_Emissions_g_km_: float

    #: two lines
    #: #error of text as 2 element vector of floats
    _963: numpy.ndarray

    #: a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    class_: Any

    #: a backslash \ as string value
    self_: str

    #: a trigraph ??/ as double value
    init: float

    #: turned  round as double value
    Type: float

    #:  zero and
    #:  separator as 2 element vector of floats
    in_: numpy.ndarray

    #: \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    None_: Any

    #: `code` ``` @objc as string value
    id: str

    #: ends a comment */ and begins one /* in Swift as double value
    a_b: float

    #: two lines
    #: #error of text as double value
    a_b_: float

    #: a quote """ of Python as 2 element vector of floats
    a_b__: numpy.ndarray

    #: a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    _feature: Any

    #: a trigraph ??/ as string value
    größe: str

    #: turned  round as double value
    日本: float

    #:  zero and
    #:  separator as double value
    _feature_: float

    #: \(fatalError()) \u{22} as 2 element vector of floats
    featureNames: numpy.ndarray

    #: `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    provider: Any

    #: ends a comment */ and begins one /* in Swift as string value
    MLFeatureValue: str

    #: two lines
    #: #error of text as double value
    description: float

    #: a quote """ of Python as double value
    newest: float

    #: a backslash \ as 2 element vector of floats
    features_: numpy.ndarray

    #: a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
    f__hidden: Any

    #: turned  round as string value
    x_y: str

    #:  zero and
    #:  separator as double value
    f___line__error__: float

    #: \(fatalError()) \u{22} as double value
    f__HOME____x___s: float

    @classmethod
    def of(cls, features: Dict[str, Any]) -> namesOutput:
        """What the model gave, by its names."""
        return cls(
            CO2_Emissions_g_km_=features["CO2 Emissions(g/km)"],
            _963=features["963"],
            class_=features["class"],
            self_=features["self"],
            init=features["init"],
            Type=features["Type"],
            in_=features["in"],
            None_=features["None"],
            id=features["id"],
            a_b=features["a b"],
            a_b_=features["a_b"],
            a_b__=features["a\"b"],
            _feature=features["_"],
            größe=features["größe"],
            日本=features["日本"],
            _feature_=features["🙂"],
            featureNames=features["featureNames"],
            provider=features["provider"],
            MLFeatureValue=features["MLFeatureValue"],
            description=features["description"],
            newest=features["newest"],
            features_=features["features"],
            f__hidden=features["__hidden"],
            x_y=features["x\U0000202ey"],
            f___line__error__=features["*/ line\U0000000a#error \\"],
            f__HOME____x___s=features["${HOME} \\(x) %s"],
        )


class names:
    """Opens the model and predicts.

    ``options`` are those of ``coreml_runtime.Model``; ``model`` is that model, for all else that it does.

    """

    def __init__(self, source: Union[str, os.PathLike[str]], **options: Any) -> None:
        self.model = coreml_runtime.Model(source, **options)

    def close(self) -> None:
        self.model.close()

    def __enter__(self) -> names:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def predict(self, input: namesInput) -> namesOutput:
        return namesOutput.of(self.model.predict(input.features()))

    async def predict_async(self, input: namesInput) -> namesOutput:
        return namesOutput.of(await self.model.predict_async(input.features()))

    def predict_batch(self, inputs: Sequence[namesInput]) -> List[namesOutput]:
        rows = self.model.predict_batch([each.features() for each in inputs])
        return [namesOutput.of(row) for row in rows]
