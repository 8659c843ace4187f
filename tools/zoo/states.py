"""Networks with states: our own, and models of transformers."""
import coremltools as ct
import numpy as np
import torch
from torch import nn

from case import Network, add, ids, randomise
from text import DECODERS, ENDS, model_of
from transformers.cache_utils import Cache

PLACES = 16


def stored(value):
    """A value rounded like an fp16 state. Does nothing while tracing: the type of the state rounds in the program."""
    return value if torch.jit.is_tracing() else value.half().float()


class Buffers(Cache):
    """Keys and values of all layers in two tensors, which become states. Writes the positions [begin, end)."""

    def __init__(self, shape):
        super().__init__()
        self.keys, self.values, self.begin, self.end = torch.zeros(shape), torch.zeros(shape), 0, 0

    def update(self, key, value, layer, *_):
        batch = key.shape[0]
        self.keys[layer, :batch, :, self.begin:self.end] = stored(key)
        self.values[layer, :batch, :, self.begin:self.end] = stored(value)
        return self.keys[layer, :, :, :self.end], self.values[layer, :, :, :self.end]

    def get_seq_length(self, layer=0):
        return self.begin

    def get_max_cache_shape(self):
        return PLACES


class Chat(nn.Module):
    """A language model with its cache as states, as in Apple's article on Llama. The mask gives the cache length."""

    def __init__(self, model, heads, size):
        super().__init__()
        self.model = model
        layers = model.config.num_hidden_layers
        self.cache = Buffers((layers, 1, heads, PLACES, size))
        self.register_buffer("keyCache", self.cache.keys)
        self.register_buffer("valueCache", self.cache.values)

    def forward(self, tokens, mask):
        self.cache.keys, self.cache.values = self.keyCache, self.valueCache
        self.cache.end = mask.shape[-1]
        self.cache.begin = mask.shape[-1] - tokens.shape[-1]
        place = torch.arange(self.cache.begin, self.cache.end).unsqueeze(0)
        return self.model(tokens, attention_mask=mask, position_ids=place, past_key_values=self.cache, use_cache=True).logits


def causal(new, end):
    """An additive causal mask for `new` tokens; the last one has position `end` - 1."""
    mask = torch.full((new, end), -1e4)
    return torch.triu(mask, end - new + 1)[None, None]


def cache_states(shape):
    return [ct.StateType(ct.TensorType(shape=shape, dtype=np.float16), name=name) for name in ("keyCache", "valueCache")]


def chat(name, fixed, heads, size):
    """A prompt, then steps of one and two tokens. With `fixed`, every step has one token."""
    def make():
        model, config, sizes = DECODERS[name]
        whole = Chat(model_of(model, config, {**sizes, **ENDS}), heads, size)
        steps = [1] * 5 if fixed else [4, 1, 1, 2, 1]
        samples, end = [], 0
        for step in steps:
            end += step
            samples.append((ids(1, step), causal(step, end)))
        query = 1 if fixed else ct.RangeDim(1, PLACES, default=4)
        inputs = [
            ct.TensorType(name="tokens", shape=(1, query), dtype=np.int32),
            ct.TensorType(name="mask", shape=(1, 1, query, ct.RangeDim(1, PLACES, default=1 if fixed else 4)), dtype=np.float32)]
        return Network(whole, samples, inputs, cache_states(whole.cache.keys.shape))

    return make


class Kept(nn.Module):
    """A state that a step reads and writes."""

    def __init__(self, shape):
        super().__init__()
        self.register_buffer("kept", torch.zeros(shape))


class Total(Kept):
    """A running sum."""

    def forward(self, x):
        self.kept[:] = stored(self.kept + x)
        return self.kept * 0.5


class Stream(Kept):
    """A streaming causal convolution; the state has the end of the previous chunk."""

    def __init__(self):
        super().__init__((1, 8, 4))
        self.conv = nn.Conv1d(8, 6, 5)

    def forward(self, x):
        whole = torch.cat([self.kept, x], dim=2)
        self.kept[:] = stored(whole[:, :, -4:])
        return self.conv(whole)


class Gated(Kept):
    """A gated recurrent cell."""

    def __init__(self):
        super().__init__((1, 12))
        self.cell = nn.GRUCell(8, 12)

    def forward(self, x):
        new = self.cell(x, self.kept)
        self.kept[:] = stored(new)
        return new


class Ring(Kept):
    """A window over the last samples of a signal; each step shifts it."""

    def forward(self, x):
        self.kept[:] = stored(torch.cat([self.kept[:, 3:], x], dim=1))
        return self.kept.mean(dim=1), self.kept.amax(dim=1)


def kept(build, shape, count=5):
    def make():
        module = randomise(build())
        states = [ct.StateType(ct.TensorType(shape=tuple(module.kept.shape), dtype=np.float16), name="kept")]
        return Network(module, [(torch.randn(shape),) for _ in range(count)], states=states)

    return make


for name, heads, size in [
        ("llama", 2, 8), ("mistral", 2, 8), ("qwen2", 2, 8), ("gemma", 2, 8), ("phi", 4, 8), ("stablelm", 2, 8), ("starcoder2", 2, 8),
        ("granite", 2, 8), ("olmo", 4, 8), ("gpt-neox", 4, 8)]:
    add(f"stateful/{name}", chat(name, False, heads, size), target="iOS18")
add("stateful/llama-one-token", chat("llama", True, 2, 8), target="iOS18")
add("stateful/total", kept(lambda: Total((2, 3)), (2, 3)), target="iOS18")
add("stateful/stream", kept(Stream, (1, 8, 7)), target="iOS18")
add("stateful/gated", kept(Gated, (1, 8)), target="iOS18")
add("stateful/ring", kept(lambda: Ring((1, 9)), (1, 3)), target="iOS18")
