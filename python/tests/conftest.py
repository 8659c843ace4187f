import pathlib

import numpy as np
import pytest

import coreml_runtime

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
MODELS = CHECKOUT / "Tests/Cases/interface"
DIGITS = CHECKOUT / "examples/digits"


@pytest.fixture(scope="session")
def sums():
    """y = 2 a + b, z = the sum of a; 1 to 8 rows, b is 0.5 where it is left out."""
    return coreml_runtime.Model(MODELS / "sums.mlmodel")


@pytest.fixture(scope="session")
def kinds():
    """Every kind of feature, as it came in."""
    return coreml_runtime.Model(MODELS / "kinds.mlmodel")


@pytest.fixture(scope="session")
def digits():
    return coreml_runtime.Model(DIGITS / "Digits.mlpackage")


@pytest.fixture
def a():
    return np.arange(6, dtype=np.float32).reshape(2, 3)
