"""The cases of the zoo: their types, and the list that the families add to."""
import dataclasses
import typing
import zlib

import torch

PRECISIONS = ("fp32", "fp16")


@dataclasses.dataclass
class Network:
    """A module of the source framework, ready to convert.

    samples: tuples of tensors. The first one is for tracing; each is predicted and compared.
    inputs: coremltools' input types; None for the fixed shapes of the first sample.
    states: coremltools' state types. The samples are then successive steps with one state, which starts at zero.
    """

    module: torch.nn.Module
    samples: list
    inputs: list | None = None
    states: list | None = None


@dataclasses.dataclass
class Case:
    """A named network and its conversion. `check` replaces the usual conversion and comparison."""

    name: str
    make: typing.Callable
    target: str = "iOS17"
    check: typing.Callable | None = None

    @property
    def family(self):
        return self.name.split("/")[0]

    @property
    def seed(self):
        return zlib.crc32(self.name.encode())


CASES = {}


def add(name, make, **options):
    if name in CASES:
        raise ValueError(f"two cases are named {name}")
    CASES[name] = Case(name, make, **options)


def randomise(module, gain=1.0):
    """Sets every parameter and running statistic to random values.

    With the initial values of a framework, biases are zero, norms are one and attention is uniform, which hides bugs.
    """
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() > 1:
                fan_in = parameter[0].numel()
                parameter.normal_(0, gain / fan_in**0.5)
            else:
                parameter.add_(0.1 * torch.randn_like(parameter))
        for name, buffer in module.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(0, 0.1)
            elif name.endswith("running_var"):
                buffer.uniform_(0.6, 1.4)
    return module


def ids(*shape, vocabulary=96):
    """Random token ids. The first few are reserved for special tokens."""
    return torch.randint(5, vocabulary, shape, dtype=torch.int32)


def padded(batch, length, kept):
    """An attention mask whose last positions are padding."""
    mask = torch.ones(batch, length, dtype=torch.int32)
    mask[:, kept:] = 0
    return mask


def pictures(count=2, size=32, channels=3, batch=1):
    """Samples of one image each."""
    return [(torch.rand(batch, channels, size, size) * (1 + number) - 0.5,) for number in range(count)]


def tensors(value):
    """The tensors in the output of a module, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in tensors(each)]
    return []


class Named(torch.nn.Module):
    """Calls a model with keyword arguments; returns the first `keep` tensors of its output."""

    def __init__(self, model, names, keep=1, **fixed):
        super().__init__()
        self.model, self.names, self.keep, self.fixed = model, names, keep, fixed

    def forward(self, *arguments):
        answer = tensors(self.model(**dict(zip(self.names, arguments)), **self.fixed))[:self.keep]
        return answer[0] if len(answer) == 1 else tuple(answer)
