"""``generate_text``: text by a language model and its tokenizer."""
import json
import os
import random
import time
from dataclasses import dataclass
from typing import List, Optional

import numpy as np

from ._library import Error
from ._model import Model

TOKENS = ("input_ids", "inputids", "token_ids", "tokenids", "tokens", "token", "ids")
POSITIONS = ("position_ids", "positionids", "positions", "position")
MASKS = ("attention_mask", "attentionmask", "causal_mask", "causalmask", "mask")
LOGITS = ("logits", "output_logits", "token_scores")
HIDDEN = -65504.0  # the lowest number of fp16 hides a token in every type
LONGEST_STEP = 512
PADDING = 16
ENDLESS = 1 << 62


def refuse(sentence, code="text.invalid-option"):
    return Error(sentence, code, Error.INVALID_ARGUMENT)


@dataclass(frozen=True)
class Generation:
    """The result of ``generate_text``."""

    text: str
    #: the generated tokens, without a stop token
    tokens: List[int]
    prompt_tokens: List[int]
    #: "stopToken", "stopSequence", "maximumTokens" or "contextFull"
    finish_reason: str
    #: the seed of the random choices; None if the likeliest tokens were chosen
    seed: Optional[int]
    #: seconds of the prediction that read the prompt, and of those after it
    prompt_seconds: float
    decode_seconds: float

    def __str__(self):
        return self.text


class Sampler:
    """Chooses tokens as Swift's ``Sampler`` does: SplitMix64, tokens in the order of falling logits, sums in float64."""

    def __init__(self, temperature, top_k, top_p, seed):
        is_random = temperature > 0 if temperature is not None else any(each is not None for each in (top_k, top_p, seed))
        if temperature is not None and not (temperature >= 0 and np.isfinite(temperature)):
            raise refuse(f"temperature is {temperature}, expected 0 or more")
        if not is_random and any(each is not None for each in (top_k, top_p, seed)):
            raise refuse("temperature 0 chooses the likeliest token, and top_k, top_p and seed choose randomly")
        if top_k is not None and top_k < 1:
            raise refuse(f"top_k is {top_k}, expected 1 or more")
        if top_p is not None and not 0 < top_p <= 1:
            raise refuse(f"top_p is {top_p}, expected more than 0 and at most 1")
        if seed is not None and not 0 <= seed < 1 << 64:
            raise refuse(f"seed is {seed}, expected 0 to 2^64 - 1")
        self.temperature, self.top_k, self.top_p = temperature or 1.0, top_k, top_p
        self.seed = (random.getrandbits(64) if seed is None else int(seed)) if is_random else None
        self._state = self.seed

    def unit(self):
        """The next number from 0 up to 1, with 53 random bits."""
        ones = (1 << 64) - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & ones
        mixed = ((self._state ^ self._state >> 30) * 0xBF58476D1CE4E5B9) & ones
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & ones
        return ((mixed ^ mixed >> 31) >> 11) * 2.0 ** -53

    def next(self, logits):
        logits = np.where(np.isnan(logits), -np.inf, logits.astype(np.float32))
        best = int(np.argmax(logits)) if logits.size else -1
        if best < 0 or logits[best] == -np.inf:
            raise Error(f"none of the model's {logits.size} logits is a number above minus infinity", "text.invalid-logits")
        if self.seed is None:
            return best
        with np.errstate(invalid="ignore"):
            weights = np.exp((logits.astype(np.float64) - float(logits[best])) / self.temperature)
        weights[logits == logits[best]] = 1
        order = np.argsort(-logits, kind="stable")
        chance = self.unit()
        if self.top_k is None and self.top_p is None:
            total = np.cumsum(weights)[-1]
        else:
            order = order[:self.top_k]
            if self.top_p is not None:
                sums = np.cumsum(weights[order])
                order = order[:int(np.argmax(sums >= self.top_p * sums[-1])) + 1]
            total = np.cumsum(weights[order])[-1]
        order = order[weights[order] > 0]
        above = np.flatnonzero(np.cumsum(weights[order]) > chance * total)
        return int(order[above[0]] if above.size else order[-1])


def sizes(feature):
    """The sizes of the last axis: a tuple of the least and the most, or a sorted list of sizes."""
    if feature.flexibility == "range" and feature.ranges:
        least, most = feature.ranges[-1]
        return max(least, 1), ENDLESS if most is None else most
    if feature.flexibility == "enumerated" and feature.shapes:
        return sorted({shape[-1] for shape in feature.shapes})
    return [feature.shape[-1]]


def at_least(sizes, count):
    if isinstance(sizes, tuple):
        return max(count, sizes[0]) if count <= sizes[1] else None
    return next((size for size in sizes if size >= count), None)


def at_most(sizes, count):
    if isinstance(sizes, tuple):
        return min(count, sizes[1]) if count >= sizes[0] else None
    return next((size for size in reversed(sizes) if size <= count), None)


class Interface:
    """The inputs and outputs of a language model, found by the names and shapes that converters give them."""

    def __init__(self, model):
        def find(names):
            return next((each for name in names for each in model.inputs if each.name.lower() == name), None)

        def refusal(sentence):
            listed = [", ".join(f"{each.name} ({each.type})" for each in some) or "none" for some in (model.inputs, model.outputs)]
            return Error(
                f"not a language model that is supported: {sentence}; its inputs are {listed[0]}, its outputs {listed[1]}", "text.unsupported-model")

        self.tokens, self.positions, self.mask = find(TOKENS), find(POSITIONS), find(MASKS)
        if self.tokens is None:
            raise refusal("expected an input of token ids, such as input_ids")
        for each in (self.tokens, self.positions):
            if each is not None and (each.kind != "tensor" or not each.shape or len(each.shape) > 2):
                raise refusal(f"the input '{each.name}' is no array of the shape 1 x n or n")
        if self.mask is not None and (self.mask.kind != "tensor" or len(self.mask.shape or ()) not in (2, 4)):
            raise refusal(f"the mask '{self.mask.name}' has neither the shape 1 x n nor 1 x 1 x q x n")
        known = [each.name for each in (self.tokens, self.positions, self.mask) if each is not None]
        for each in model.inputs:
            if not each.optional and each.name not in known:
                raise refusal(f"the input '{each.name}' is none of token ids, mask and positions")
        arrays = [each.name for each in model.outputs if each.kind == "tensor"]
        named = [name for name in arrays if name.lower() in LOGITS] or (arrays if len(arrays) == 1 else [])
        if not named:
            raise refusal("expected an output 'logits'")
        self.logits = named[0]
        self.sizes = sizes(self.tokens)
        most = self.sizes[-1]
        limits = [sizes(self.mask)[-1]] if self.mask is not None else []
        if model.states:
            # Caches of keys and values have the axes (layers,) batch, heads, tokens, size.
            limits += [each.shape[-2] for each in model.states if len(each.shape or ()) >= 4]
            if at_most(self.sizes, 1) is None:
                raise refusal(f"the model keeps a state, and takes at least {at_least(self.sizes, 1)} tokens at a time")
        else:
            limits.append(most)
            if most == 1:
                raise refusal("the model takes one token at a time, and keeps no state for those before it")
        self.context = min(limits, default=ENDLESS)


class Session:
    """Predicts the logits of the next token of one sequence."""

    def __init__(self, model, interface):
        self._model, self._interface, self._sequence = model, interface, []
        self._state = model.make_state() if model.states else None

    def logits(self, tokens):
        begin = len(self._sequence)
        self._sequence += tokens
        count = len(self._sequence)
        if self._state is None:
            # Padding keeps the number of shapes small, since a new shape needs a new plan. It requires a mask.
            rounded = count if self._interface.mask is None else max(min(-(-count // PADDING) * PADDING, self._interface.sizes[-1]), count)
            size = at_least(self._interface.sizes, rounded)
            return self._row(count - 1, size, self._model.predict(self._inputs(0, count, size)))
        while begin < count:
            size = at_most(self._interface.sizes, min(count - begin, LONGEST_STEP))
            outputs = self._model.predict(self._inputs(begin, begin + size, size), state=self._state)
            begin += size
        return self._row(size - 1, size, outputs)

    def _inputs(self, begin, end, size):
        interface = self._interface
        ids = np.zeros(size, np.int32)
        ids[:end - begin] = self._sequence[begin:end]
        inputs = {interface.tokens.name: ids if len(interface.tokens.shape) == 1 else ids[None]}
        if interface.positions is not None:
            positions = np.arange(begin, begin + (at_most(sizes(interface.positions), size) or size), dtype=np.int32)
            inputs[interface.positions.name] = positions if len(interface.positions.shape) == 1 else positions[None]
        if interface.mask is not None:
            width = at_least(sizes(interface.mask), begin + size)
            if width is None:
                raise Error(f"the model's mask takes at most {sizes(interface.mask)[-1]} tokens", "text.invalid-prompt")
            is_float = interface.mask.dtype.startswith("float")
            if len(interface.mask.shape) == 2:
                mask = (np.arange(width) < end)[None].astype(np.float32 if is_float else np.int32)
            else:
                seen = np.arange(width)[None] <= np.arange(begin, begin + size)[:, None]
                mask = np.where(seen, 0, HIDDEN).astype(np.float32)[None, None]
            inputs[interface.mask.name] = mask
        return inputs

    def _row(self, row, size, outputs):
        logits = np.asarray(outputs[self._interface.logits])
        rows = logits.reshape(-1, logits.shape[-1]) if logits.ndim else logits
        if logits.ndim == 0 or len(rows) not in (1, size) or len(rows) == 1 and row != size - 1:
            raise Error(
                f"the array '{self._interface.logits}' has the shape {list(logits.shape)}, expected the logits of {size} tokens", "text.invalid-logits")
        return rows[row if len(rows) == size else 0]


def tokenizer_of(tokenizer, model):
    """The tokenizer as an object of the package `tokenizers`, and the folder of its file or None."""
    try:
        import tokenizers
    except ImportError:
        raise Error("generate_text needs the package tokenizers: pip install tokenizers", "python.missing-package") from None
    if isinstance(tokenizer, tokenizers.Tokenizer):
        return tokenizer, None
    if hasattr(tokenizer, "backend_tokenizer"):  # a fast tokenizer of transformers
        return tokenizer.backend_tokenizer, None
    if tokenizer is None and model.path:
        name = model.description.metadata.user.get("tokenizer", "tokenizer.json")
        parts = name.split("/")
        if not any(part in ("", ".", "..") for part in parts):
            beside = os.path.join(os.path.dirname(model.path), *parts)
            tokenizer = beside if os.path.isfile(beside) else None
    if tokenizer is None:
        raise refuse("expected a tokenizer: the model names none, and there is no tokenizer.json beside it")
    if not isinstance(tokenizer, (str, os.PathLike)):
        raise refuse(f"the tokenizer is of type {type(tokenizer).__name__}, expected a path or a tokenizers.Tokenizer")
    path = os.fspath(tokenizer)
    if os.path.isdir(path):
        path = os.path.join(path, "tokenizer.json")
    try:
        read = tokenizers.Tokenizer.from_file(path)
    except Exception as error:  # the package raises Exception itself
        raise Error(f"{path}: {error}", "tokenizer.invalid") from None
    read.no_truncation()
    read.no_padding()
    return read, os.path.dirname(path)


def end_tokens(tokenizer, folder):
    """The tokens that end a text, by the files beside a tokenizer."""
    for name in ("generation_config.json", "config.json", "tokenizer_config.json") if folder is not None else ():
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                settings = json.load(file)
            if name != "tokenizer_config.json":
                ids = settings.get("eos_token_id")
                if ids is not None:
                    return {ids} if isinstance(ids, int) else set(ids)
                continue
            token = settings.get("eos_token")
            token = tokenizer.token_to_id(token["content"] if isinstance(token, dict) else token) if token else None
            return set() if token is None else {token}
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise Error(f"{path}: {error}", "tokenizer.invalid") from None
    return set()


class Output:
    """The text of tokens that arrive one by one: complete characters, up to a stop text."""

    LONGEST_RUN = 64  # tokens that may be held back

    def __init__(self, tokenizer, stops):
        self._tokenizer, self._stops = tokenizer, stops
        self._window, self._done, self._held = [], 0, ""
        self.is_stopped = False

    def append(self, token):
        self._window.append(token)
        return self._search(self._take(False))

    def finish(self):
        text = self._search(self._take(True))
        return text if self.is_stopped else text + self._held

    def _take(self, is_last):
        before, whole = self._tokenizer.decode(self._window[:self._done]), self._tokenizer.decode(self._window)
        is_complete = is_last or len(self._window) - self._done > self.LONGEST_RUN or not whole.endswith("\ufffd")
        if not is_complete or len(whole) <= len(before) or not whole.startswith(before):
            return ""
        self._window = self._window[self._done:]
        self._done = len(self._window)
        return whole[len(before):]

    def _search(self, text):
        held = self._held + text
        for start in range(len(held)):
            rest = held[start:]
            if any(rest.startswith(stop) for stop in self._stops):
                self.is_stopped, self._held = True, ""
                return held[:start]
            if any(stop.startswith(rest) for stop in self._stops):
                self._held = rest
                return held[:start]
        self._held = ""
        return held


def generate_text(
        model, prompt, *, tokenizer=None, max_tokens=256, temperature=None, top_k=None, top_p=None, seed=None, stop=(), stop_tokens=(),
        context=None, on_text=None):
    """Continues a text with a language model. Returns a ``Generation``.

    model: a ``Model`` or a path. It takes token ids (``input_ids``), may take a mask and positions, and returns ``logits``.
    tokenizer: the path of a ``tokenizer.json`` or its folder, a ``tokenizers.Tokenizer``, or a fast tokenizer of transformers.
        Default: the file that the model's metadata names under "tokenizer", or ``tokenizer.json`` beside the model.
    max_tokens: the most tokens to generate.
    temperature: chooses randomly at this temperature; 0 is the likeliest token, the default.
    top_k, top_p: choose randomly from the K likeliest tokens, or from those that together have the probability P.
    seed: makes random choices reproducible. Equal seeds give equal texts in ``runtime generate-text`` too.
    stop: texts that end the generation. stop_tokens: ids of tokens that do, besides the tokenizer's end token.
    context: the most tokens of the prompt and the text. Default: what the model declares.
    on_text: a function that gets each piece of text when it is complete.

    Raises ``Error`` if the model is not a language model that is supported, or if the package tokenizers is missing.
    """
    model = model if isinstance(model, Model) else Model(model)
    interface = Interface(model)
    tokenizer, folder = tokenizer_of(tokenizer, model)
    sampler = Sampler(temperature, top_k, top_p, seed)
    stop = [stop] if isinstance(stop, str) else list(stop)
    if max_tokens < 0 or "" in stop or context is not None and context < 1:
        raise refuse("expected max_tokens of 0 or more, a context of 1 or more, and no empty stop text")
    stops = end_tokens(tokenizer, folder) | set(stop_tokens)
    prompt_tokens = tokenizer.encode(prompt).ids
    most = min(interface.context, context or ENDLESS)
    if not 1 <= len(prompt_tokens) <= most:
        limit = "any number" if most == ENDLESS else f"{most}, the context of the model"
        raise refuse(f"the prompt has {len(prompt_tokens)} tokens, expected 1 to {limit}", "text.invalid-prompt")
    session, output = Session(model, interface), Output(tokenizer, stop)
    pieces, tokens, following, reason = [], [], prompt_tokens, "maximumTokens"
    seconds = [0.0, 0.0]

    def give(text):
        if text:
            pieces.append(text)
            if on_text is not None:
                on_text(text)

    while len(tokens) < max_tokens:
        if len(prompt_tokens) + len(tokens) > most:
            reason = "contextFull"
            break
        start = time.perf_counter()
        token = sampler.next(session.logits(list(following)))
        seconds[bool(tokens)] += time.perf_counter() - start
        if token in stops:
            reason = "stopToken"
            break
        tokens.append(token)
        give(output.append(token))
        if output.is_stopped:
            reason = "stopSequence"
            break
        following = [token]
    if not output.is_stopped:
        give(output.finish())
        reason = "stopSequence" if output.is_stopped else reason
    return Generation("".join(pieces), tokens, prompt_tokens, reason, sampler.seed, *seconds)
