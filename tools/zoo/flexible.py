"""Networks with flexible shapes: ranges and lists of shapes, with models of the other families."""
import coremltools as ct
import numpy as np
import torch
from torch import nn
from torchvision import models

from case import Named, Network, add, ids, padded, randomise
from text import DECODERS, ENCODERS, ENDS, model_of
from torchvision_models import Flat, small_convnext, small_resnet

LENGTHS = (8, 3, 13, 8, 24)


def token_type(name, length, batch=1):
    return ct.TensorType(name=name, shape=(batch, length), dtype=np.int32)


def encoder(name):
    def make():
        model, config, sizes, *_ = ENCODERS[name]
        module = Named(model_of(model, config, sizes), ["input_ids", "attention_mask"], return_dict=False)
        length = ct.RangeDim(2, 32, default=8)
        samples = [(ids(1, each), padded(1, each, max(each - 2, 1))) for each in LENGTHS]
        return Network(module, samples, [token_type("x0", length), token_type("x1", length)])

    return make


def decoder(name, listed=False):
    def make():
        model, config, sizes = DECODERS[name]
        module = Named(model_of(model, config, {**sizes, **ENDS}), ["input_ids"], use_cache=False, return_dict=False)
        if listed:
            shapes = ct.EnumeratedShapes([[1, each] for each in sorted(set(LENGTHS))], default=[1, 8])
            inputs = [ct.TensorType(name="x0", shape=shapes, dtype=np.int32)]
        else:
            inputs = [token_type("x0", ct.RangeDim(1, 32, default=8))]
        return Network(module, [(ids(1, each),) for each in LENGTHS], inputs)

    return make


class Past(nn.Module):
    """A language model with its cache as inputs and outputs; each call extends the cache by the new tokens."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, *cache):
        past = tuple(zip(cache[::2], cache[1::2]))
        logits, new = self.model(tokens, past_key_values=past, use_cache=True, return_dict=False)[:2]
        return (logits, *[each for layer in new for each in layer])


def past(name, heads, size):
    def make():
        model, config, sizes = DECODERS[name]
        module = Past(model_of(model, config, {**sizes, **ENDS}))
        samples = [(ids(1, new), *[torch.randn(1, heads, old, size) for _ in range(4)]) for new, old in [(2, 5), (1, 9), (4, 3), (1, 12)]]
        length = ct.RangeDim(1, 24, default=5)
        inputs = [token_type("tokens", ct.RangeDim(1, 8, default=2))]
        inputs += [ct.TensorType(name=f"past{number}", shape=(1, heads, length, size), dtype=np.float32) for number in range(4)]
        return Network(module, samples, inputs)

    return make


def picture(build, sizes, listed=False, batch=False, keep=1):
    """A network for images of several sizes, or for batches of several sizes."""
    def make():
        module = Flat(randomise(build(), 2**0.5), keep)
        shapes = [(each, 3, 64, 64) if batch else (1, 3, *each) for each in sizes]
        if listed:
            shape = ct.EnumeratedShapes([list(each) for each in shapes], default=list(shapes[0]))
        elif batch:
            shape = (ct.RangeDim(1, 8, default=sizes[0]), 3, 64, 64)
        else:
            shape = (1, 3, ct.RangeDim(32, 128, default=sizes[0][0]), ct.RangeDim(32, 128, default=sizes[0][1]))
        return Network(module, [(torch.rand(each) - 0.5,) for each in shapes], [ct.TensorType(name="x0", shape=shape, dtype=np.float32)])

    return make


class Tagger(nn.Module):
    """A recurrent network for sequences of any length."""

    def __init__(self, kind, both):
        super().__init__()
        self.rnn = kind(8, 12, 1, batch_first=True, bidirectional=both)
        self.out = nn.Linear(24 if both else 12, 5)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


def sequence(build, shape_of):
    def make():
        samples = [(torch.randn(shape_of(each)),) for each in LENGTHS]
        shape = shape_of(ct.RangeDim(2, 32, default=LENGTHS[0]))
        return Network(randomise(build()), samples, [ct.TensorType(name="x0", shape=shape, dtype=np.float32)])

    return make


def transposed():
    return nn.Sequential(nn.Conv1d(8, 12, 5, padding=2), nn.GELU(), nn.ConvTranspose1d(12, 4, 4, 2, 1), nn.Upsample(scale_factor=2, mode="linear"), nn.Tanh())


SIDES = [(64, 64), (96, 64), (32, 128), (80, 48)]
for name in ["bert", "distilbert", "electra", "mpnet", "roformer", "t5-encoder"]:
    add(f"flexible/{name}", encoder(name))
for name in ["gpt2", "llama", "qwen2", "bloom", "phi"]:
    add(f"flexible/{name}", decoder(name))
add("flexible/gpt2-listed", decoder("gpt2", listed=True))
add("flexible/llama-listed", decoder("llama", listed=True))
add("flexible/gpt2-past", past("gpt2", 4, 8))
add("flexible/llama-past", past("llama", 2, 8))
add("flexible/resnet", picture(small_resnet, SIDES))
add("flexible/resnet-listed", picture(small_resnet, SIDES, listed=True))
add("flexible/resnet-batch", picture(small_resnet, [1, 4, 3], batch=True))
add("flexible/squeezenet-batch", picture(lambda: models.squeezenet1_1(num_classes=10), [2, 5, 1], batch=True))
add("flexible/mobilenet-v3", picture(lambda: models.mobilenet_v3_small(num_classes=10), SIDES))
add("flexible/convnext", picture(small_convnext, SIDES))
add("flexible/densenet-listed", picture(lambda: models.DenseNet(8, (2, 2, 2, 2), 16, num_classes=10), SIDES, listed=True))
add("flexible/lstm", sequence(lambda: Tagger(nn.LSTM, False), lambda length: (1, length, 8)))
add("flexible/lstm-both-ways", sequence(lambda: Tagger(nn.LSTM, True), lambda length: (1, length, 8)))
add("flexible/gru", sequence(lambda: Tagger(nn.GRU, False), lambda length: (1, length, 8)))
add("flexible/sound", sequence(transposed, lambda length: (1, 8, length)))
