"""The description of a model, as dataclasses."""
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple, Union

from ._library import Error


@dataclass(frozen=True)
class Feature:
    """An input, an output, a state or a training input."""

    name: str
    #: "tensor", "image", "int64", "double", "string", "dictionary", "sequence" or "state"
    kind: str
    optional: bool = False
    #: of a tensor or state: "float16", "float32", "float64", "int32" or "int8"; inputs of other types are converted
    dtype: Optional[str] = None
    #: the default shape, the only one if `flexibility` is "fixed"; (height, width) of an image
    shape: Optional[Tuple[int, ...]] = None
    #: "fixed", "enumerated" or "range"
    flexibility: Optional[str] = None
    #: the shapes of an enumerated tensor or image
    shapes: Optional[Tuple[Tuple[int, ...], ...]] = None
    #: (least, largest) size of each axis; None for no upper limit
    ranges: Optional[Tuple[Tuple[int, Optional[int]], ...]] = None
    #: of an image: "BGRA", "ARGB", "GRAY8" or "GRAY16F"
    pixels: Optional[str] = None
    #: type of the keys of a dictionary or the items of a sequence: "string" or "int64"
    key: Optional[str] = None
    #: (least, largest) number of items of a sequence; None for no upper limit
    counts: Optional[Tuple[int, Optional[int]]] = None

    @classmethod
    def of(cls, item):
        shape = item.get("shape")
        if item["kind"] == "image":
            shape = (item.get("height", 0), item.get("width", 0))
        tuples = lambda lists: None if lists is None else tuple(map(tuple, lists))  # noqa: E731
        return cls(
            name=item["name"], kind=item["kind"], optional=item["isOptional"], dtype=item.get("element"),
            shape=None if shape is None else tuple(shape), flexibility=item.get("flexibility"), shapes=tuples(item.get("shapes")),
            ranges=tuples(item.get("ranges")), pixels=item.get("pixels"), key=item.get("key"),
            counts=None if item.get("counts") is None else tuple(item["counts"]))

    @property
    def type(self) -> str:
        """The type as text, such as ``float32 [1, 3, 224, 224]``."""
        if self.kind == "image":
            return f"{self.pixels} image, {self.shape[1]} x {self.shape[0]}"
        if self.kind in ("tensor", "state"):
            if self.ranges:
                sizes = [str(a) if a == b else f"{a}..{'' if b is None else b}" for a, b in self.ranges]
                return f"{self.dtype} [{', '.join(sizes)}]"
            if self.shapes:
                return f"{self.dtype} " + " or ".join(str(list(shape)) for shape in self.shapes)
            return f"{self.dtype} {list(self.shape)}" if self.shape else f"{self.dtype}"
        return f"{self.kind} of {self.key}" if self.key else self.kind


class Features(tuple):
    """A tuple of features in the model's order, also indexed by name: ``model.inputs[0]``, ``model.inputs["image"]``.

    Raises ``Error`` for an unknown name.
    """

    def __getitem__(self, key):
        if not isinstance(key, str):
            return tuple.__getitem__(self, key)
        for each in self:
            if each.name == key:
                return each
        raise Error(f"there is no feature '{key}'; there are {', '.join(each.name for each in self) or 'none'}", "runtime.invalid-input")


@dataclass(frozen=True)
class Metadata:
    """The author's metadata. `user` has the author's own keys."""

    description: str = ""
    author: str = ""
    license: str = ""
    version: str = ""
    user: Dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, words):
        known = {key: words.get(key, "") for key in ("description", "author", "license", "version")}
        return cls(**known, user={key: text for key, text in words.items() if key not in known})


@dataclass(frozen=True)
class Parameter:
    """A parameter of the model or of its training. `scope` is the name of the layer that it belongs to, or None."""

    name: str
    scope: Optional[str]
    default: Optional[float]
    minimum: Optional[float]
    maximum: Optional[float]
    allowed: Optional[Tuple[float, ...]]

    @classmethod
    def of(cls, item):
        allowed = item.get("allowed")
        return cls(
            item["name"], item.get("scope"), item.get("defaultValue"), item.get("minimum"), item.get("maximum"),
            None if allowed is None else tuple(allowed))


@dataclass(frozen=True)
class Description:
    """The description of a model.

    labels: the class labels of a classifier, else None.
    function: the name of the function that predicts. functions: the names of all functions.
    predicted, probabilities: the names of a classifier's outputs, else None.
    updatable: whether ``Model.update`` can train it.
    """

    inputs: Tuple[Feature, ...]
    outputs: Tuple[Feature, ...]
    states: Tuple[Feature, ...]
    training_inputs: Tuple[Feature, ...]
    metadata: Metadata
    labels: Optional[List[Union[str, int]]]
    function: str
    functions: Tuple[str, ...]
    predicted: Optional[str]
    probabilities: Optional[str]
    updatable: bool
    parameters: Tuple[Parameter, ...]

    @classmethod
    def of(cls, told):
        features = lambda key: Features(map(Feature.of, told[key]))  # noqa: E731
        return cls(
            features("inputs"), features("outputs"), features("states"), features("trainingInputs"),
            Metadata.of(told["metadata"]), told.get("classLabels"), told["function"], tuple(told["functions"]),
            told.get("predictedFeatureName"), told.get("predictedProbabilitiesName"), told["isUpdatable"],
            tuple(map(Parameter.of, told["parameters"])))

    @property
    def rows(self):
        """(role, name, type) of every input, output and state."""
        roles = [("input", self.inputs), ("output", self.outputs), ("state", self.states)]
        return [
            (role, each.name, each.type + (", optional" if each.optional else "")) for role, list in roles for each in list]


class Table(list):
    """A list of dictionaries, one per row. A notebook shows the keys in `columns` as a table."""

    def __init__(self, rows, columns, notes=None):
        super().__init__(rows)
        self.columns = columns
        #: further results, by name
        self.notes = notes or {}

    def __reduce__(self):
        return (Table, (list(self), self.columns, self.notes))

    def __repr__(self):
        return text_table(self.columns, [[_cell(row.get(key)) for key in self.columns] for row in self])

    def _repr_html_(self):
        return html_table(self.columns, [[_cell(row.get(key)) for key in self.columns] for row in self])


def _cell(value):
    if isinstance(value, float):
        return f"{value * 1e6:.1f} us" if value < 1 else f"{value:.3f} s"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else "" if value is None else str(value)


def text_table(columns, rows):
    rows = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *rows)] if rows else list(map(len, columns))
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [columns, *rows]]
    return "\n".join(lines)


def html_table(columns, rows):
    import html

    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag} style='text-align:left'>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table><thead>" + line("th", columns) + "</thead><tbody>" + "".join(line("td", row) for row in rows) + "</tbody></table>"
