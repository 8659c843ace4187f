"""What a case of the zoo is, and the list that the families add to."""
import dataclasses
import typing
import zlib

import torch

PRECISIONS = ("fp32", "fp16")


@dataclasses.dataclass
class Network:
    """A module of the source framework, ready to convert.

    samples: tuples of tensors. The first is traced; each is predicted and compared.
    inputs: coremltools' input types; None for the fixed shapes of the first sample.
    states: coremltools' state types; the samples are then steps over one state, whose buffers begin at zero.
    """

    module: torch.nn.Module
    samples: list
    inputs: list | None = None
    states: list | None = None


@dataclasses.dataclass
class Case:
    """A network by name, and how it is converted. `check`, where it is given, replaces the usual conversion and comparison."""

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
    """Gives every parameter and running statistic random values that matter.

    A framework's initial values leave biases at zero, norms at one and attention uniform, so that faults there would not show.
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
    """Token numbers; the first few are left to special tokens."""
    return torch.randint(5, vocabulary, shape, dtype=torch.int32)


def padded(batch, length, kept):
    """An attention mask whose last places are padding."""
    mask = torch.ones(batch, length, dtype=torch.int32)
    mask[:, kept:] = 0
    return mask


def pictures(count=2, size=32, channels=3, batch=1):
    """Argument sets of one picture each."""
    return [(torch.rand(batch, channels, size, size) * (1 + number) - 0.5,) for number in range(count)]


def tensors(value):
    """The tensors of a module's answer, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in tensors(each)]
    return []


class Named(torch.nn.Module):
    """Calls a model with arguments by name and gives the tensors of its answer, or the first `keep` of them."""

    def __init__(self, model, names, keep=1, **fixed):
        super().__init__()
        self.model, self.names, self.keep, self.fixed = model, names, keep, fixed

    def forward(self, *arguments):
        answer = tensors(self.model(**dict(zip(self.names, arguments)), **self.fixed))[:self.keep]
        return answer[0] if len(answer) == 1 else tuple(answer)
