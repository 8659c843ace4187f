"""Training of updatable models."""
from dataclasses import dataclass

from . import _library as library
from . import _values
from ._description import Feature
from ._library import C, Error, call, encoded, make
from ._loading import options, path_of

EVENTS = {1: "training_begin", 2: "epoch_end", 4: "mini_batch_end"}


@dataclass(frozen=True)
class Progress:
    """A training event: "training_begin", "epoch_end" or "mini_batch_end".

    `epoch` and `mini_batch` are indexes from 0. They and `loss` are None while they have no value yet.
    """

    event: str
    epoch: int
    mini_batch: int
    loss: float


def update(model, examples, parameters, progress, destination):
    from ._model import Model

    if model.path is None:
        raise Error("a training needs a model that was opened from a path", "python.value", Error.INVALID_ARGUMENT)
    handle = model._open().handle
    if progress is not None and not callable(progress):
        raise Error(f"progress is of type {type(progress).__name__}, expected a function", "python.value", Error.INVALID_ARGUMENT)
    target = None if destination is None else encoded(path_of(destination), "the path")
    if not model.description.updatable:
        raise Error(f"{model.path}: the model is not updatable", "runtime.unsupported", Error.UNSUPPORTED)
    features = {each.name: each for each in model.description.training_inputs}
    batch = make("batch_create")
    for place, example in enumerate(_listed(examples)):
        if not isinstance(example, dict):
            raise Error(f"example {place} is {_values.told(example)}, expected a dictionary by training input", "runtime.invalid-input")
        row = make("features_create")
        for name, value in example.items():
            if name not in features:
                raise Error(
                    f"the model has no training input '{name}'; it has {', '.join(features) or 'none'}", "runtime.invalid-input")
            call("features_set", row, encoded(name), _values.value(value, features[name], handle, model.fit))
        call("batch_add", batch, row)
    events = 0 if progress is None else sum(EVENTS)
    task = make("update_create", encoded(model.path, "the path"), batch, options(model._settings, parameters), events)
    raised = []

    def told(_, update, moment):
        moment = moment.contents
        try:
            loss = None if moment.loss != moment.loss else moment.loss
            place = [None if number < 0 else number for number in (moment.epoch, moment.mini_batch)]
            return 1 if progress(Progress(EVENTS.get(moment.event, ""), *place, loss)) else 0
        except BaseException as error:  # noqa: BLE001  `update` raises it again
            raised.append(error)
            return 1

    callback = library.PROGRESS_CALLBACK(told if progress else lambda *_: 0)
    cancellation = make("cancellation_create")
    try:
        library.interruptible(lambda: call("update_run", task, callback, None, cancellation), lambda: C.coreml_cancel(cancellation))
    except Error:
        if raised:
            raise raised[0] from None
        raise
    if target is not None:
        call("update_write", task, target)
    return Model._of(make("update_model", task), model)


def _listed(examples):
    if isinstance(examples, (str, bytes, dict)) or not hasattr(examples, "__iter__"):
        raise Error(f"the examples are {_values.told(examples)}, expected a list of dictionaries", "python.value", Error.INVALID_ARGUMENT)
    return examples
