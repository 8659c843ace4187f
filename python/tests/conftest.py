import pathlib

import numpy as np
import pytest

import coreml_runtime

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
MODELS = CHECKOUT / "Tests/Cases/interface"
DIGITS = CHECKOUT / "examples/digits"


@pytest.fixture(scope="session")
def sums():
    """y = 2 a + b, z = sum(a). `a` has 1 to 8 rows; `b` is optional with default 0.5."""
    return coreml_runtime.Model(MODELS / "sums.mlmodel")


@pytest.fixture(scope="session")
def kinds():
    """A model that returns an input of every kind unchanged."""
    return coreml_runtime.Model(MODELS / "kinds.mlmodel")


@pytest.fixture(scope="session")
def digits():
    return coreml_runtime.Model(DIGITS / "Digits.mlpackage")


@pytest.fixture
def a():
    return np.arange(6, dtype=np.float32).reshape(2, 3)
