"""Text by the tiny language models of tools/make-text-models.py."""
import json
import sys

import numpy as np
import pytest

import coreml_runtime
from conftest import CHECKOUT, MODELS
from coreml_runtime import Error, Model, generate_text
from coreml_runtime._text import Sampler

FOLDER = CHECKOUT / "Tests/Cases/text/model"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())


@pytest.fixture(params=["stateless", "stateful"])
def model(request):
    pytest.importorskip("tokenizers")
    return Model(FOLDER / f"{request.param}.mlpackage", compute_units="cpu_only")


def test_greedy_text_equals_that_of_transformers(model):
    for case in EXPECTED["cases"][:2]:
        pieces = []
        result = generate_text(model, case["prompt"], max_tokens=EXPECTED["maxTokens"], on_text=pieces.append)
        assert result.prompt_tokens == case["promptTokens"]
        assert result.tokens == [token for token in case["tokens"] if token != 1]
        assert result.text == str(result) == "".join(pieces) == case["text"]
        assert result.seed is None and result.prompt_seconds > 0


def test_seeds_reproduce_texts(model):
    options = dict(temperature=0.9, top_k=40, top_p=0.95, max_tokens=12)
    first = generate_text(model, "The planner", seed=42, **options)
    assert first.seed == 42 and generate_text(model, "The planner", seed=42, **options).tokens == first.tokens
    assert generate_text(model, "The planner", seed=43, **options).tokens != first.tokens


def test_stops_and_contexts(model):
    case = EXPECTED["cases"][0]
    word = case["text"][9:15]
    result = generate_text(model, case["prompt"], stop=word)
    assert result.text == case["text"][:case["text"].index(word)] and result.finish_reason == "stopSequence"
    result = generate_text(model, case["prompt"], stop_tokens=[case["tokens"][5]])
    assert result.tokens == case["tokens"][:case["tokens"].index(case["tokens"][5])] and result.finish_reason == "stopToken"
    result = generate_text(model, case["prompt"], context=len(case["promptTokens"]) + 3)
    assert result.tokens == case["tokens"][:4] and result.finish_reason == "contextFull"


@pytest.mark.parametrize("settings, choices", [
    ((0.7, 3, 0.9, 11), [1, 1, 3, 1, 1, 1, 1, 3, 1, 4, 1, 1]), ((1.5, None, None, 11), [1, 1, 3, 3, 1, 3, 1, 4, 1, 0, 1, 1])])
def test_choices_equal_those_of_swift(settings, choices):
    # SamplerTests.swift has the same numbers.
    sampler = Sampler(*settings)
    logits = np.array([1, 4, 2, 3.5, 3], np.float32)
    assert [sampler.next(logits) for _ in range(12)] == choices


def test_options_out_of_range_are_refused():
    for options in ({"top_k": 0}, {"top_p": 0}, {"temperature": -1}, {"temperature": 0, "seed": 1}, {"seed": -1}):
        with pytest.raises(Error) as caught:
            Sampler(**{"temperature": None, "top_k": None, "top_p": None, "seed": None, **options})
        assert caught.value.code == "text.invalid-option"


def test_other_models_are_refused_by_their_inputs():
    with pytest.raises(Error, match="expected an input of token ids.* its inputs are a ") as caught:
        generate_text(MODELS / "sums.mlmodel", "a")
    assert caught.value.code == "text.unsupported-model"


def test_without_the_package_tokenizers_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(Error, match="pip install tokenizers"):
        coreml_runtime.generate_text(FOLDER / "stateless.mlpackage", "a")
