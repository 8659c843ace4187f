"""A deployment for Ray Serve.

    from ray import serve
    from coreml_runtime.ray_serve import deployment
    digits = serve.run(deployment("Digits.mlpackage", num_replicas=2))
    digits.predict.remote({"image": picture}).result()["classLabel"]     # numpy in and out, from Python
    requests.post("http://127.0.0.1:8000/", data=picture, headers={"Content-Type": "image/png"}).json()

From a shell: ``serve run coreml_runtime.ray_serve:app model=/models/Digits.mlpackage``. Importing this module needs no Ray.
"""
import asyncio
import base64
import binascii
import io
import json
import math
import os

import numpy as np

from ._library import Error
from ._model import Model

#: failures in a row, none of them a caller's fault, after which a replica reports that it is unhealthy
FAILURES = 3
_CALLERS_FAULT = (Error.INVALID_ARGUMENT, Error.INVALID_INPUT, Error.CANCELLED)


class ModelDeployment:
    """A model as a class for ``ray.serve.deployment``.

    model, options: the arguments of ``Model``. Each replica opens the model at its path. Default threads: the cores that
        Ray assigns to the replica.

    Raises ``Error`` for a stateful model, since Serve sends the requests of one client to any replica.
    """

    def __init__(self, model, **options):
        self._settings = {"model": model, **options}
        self._failures, self._failure = 0, ""
        self.model = _open(self._settings)

    async def reconfigure(self, user_config):
        """Opens the model again if `user_config` changes it or its options. Requests use the old model meanwhile.

        user_config: arguments of ``Model`` that replace those of the constructor; "model" is the path. The key "version"
            has no effect of its own, so a change of its value reads files that were replaced at the same path.

        Raises ``Error`` if the model cannot be opened. The old one stays.
        """
        settings = {**self._settings, **(user_config or {})}
        settings.pop("version", None)
        new = await asyncio.to_thread(_open, settings)
        # Running predictions hold the old model, which closes after the last one.
        self.model, self._settings = new, settings
        self._failures = 0

    def check_health(self):
        """Raises ``Error`` after several failures in a row that are not the callers' fault. Serve replaces the replica."""
        if self._failures >= FAILURES:
            raise Error(f"the last {self._failures} predictions failed: {self._failure}", "python.unhealthy", Error.FAILED)

    async def predict(self, inputs):
        """Predicts one row: values by input name, as for ``Model.predict``. Returns the outputs by name."""
        try:
            outputs = await self.model.predict_async(inputs)
        except Error as error:
            if error.status not in _CALLERS_FAULT:
                self._failures, self._failure = self._failures + 1, error.message
            raise
        self._failures = 0
        return outputs

    async def __call__(self, request):
        """Answers an HTTP request.

        The body is a JSON object of values by input name, where an image is the base64 text of a file. Or it is the file
        of the only image input, with a content type of ``image/``. The answer is a JSON object of outputs by name.
        Errors have the status 400 or 500 and the body ``{"error": message, "code": code}``.
        """
        from starlette.responses import Response

        try:
            inputs = self._inputs(request.headers.get("content-type", ""), await request.body())
            answer, status = _json(await self.predict(inputs)), 200
        except Error as error:
            answer = {"error": error.message, "code": error.code}
            status = 400 if error.status in _CALLERS_FAULT else 500
        return Response(json.dumps(answer, allow_nan=False), status, media_type="application/json")

    def _inputs(self, content_type, body):
        features = self.model.inputs
        if content_type.lower().startswith("image/"):
            images = [each.name for each in features if each.kind == "image"]
            others = [each.name for each in features if each.kind != "image" and not each.optional]
            if len(images) != 1 or others:
                names = ", ".join(each.name for each in features)
                raise Error(f"a body of an image needs a model with one input, an image; this one has {names}", "python.value")
            return {images[0]: body}
        try:
            inputs = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Error(f"the body is no JSON: {error}", "python.value") from None
        if not isinstance(inputs, dict):
            raise Error(f"the body is JSON of type {type(inputs).__name__}, expected an object of values by input name", "python.value")
        # A text would be a path, and a request must not name files of this machine.
        images = {each.name for each in features if each.kind == "image"}
        return {name: _picture(name, value) if name in images else value for name, value in inputs.items()}


def deployment(model, options=None, **settings):
    """A Serve application of one model, for ``serve.run``.

    model: the path of a model, the same on all machines. A relative path is one of this process.
    options: options of ``Model``, such as ``{"threads": 2}``.
    settings: those of ``ray.serve.deployment``, such as `num_replicas`, `ray_actor_options`, `autoscaling_config`,
        `user_config`.

    Raises ``Error`` if Ray Serve is not installed.
    """
    return _serve().deployment(ModelDeployment, **settings).bind(os.path.abspath(model), **(options or {}))


def app(arguments):
    """The application builder for ``serve run`` and for configuration files.

    arguments: "model" is the path, and the rest are options of ``Model``. Values may be text.
    """
    options = {name: int(value) if name == "threads" else value for name, value in arguments.items() if name != "model"}
    if "model" not in arguments:
        raise Error("the argument model=PATH is missing", "python.value", Error.INVALID_ARGUMENT)
    return deployment(arguments["model"], options)


def _serve():
    try:
        from ray import serve
    except ImportError as error:
        raise Error(
            f"the deployment needs Ray Serve: {error}; pip install 'coreml_runtime[serve]'", "python.missing-package", Error.UNSUPPORTED
        ) from None
    return serve


def _open(settings):
    options = {"threads": _cores(), **settings}
    source = options.pop("model")
    try:
        model = Model(source, **options)
    except TypeError as error:
        raise Error(f"the options of the model are wrong: {error}", "python.value", Error.INVALID_ARGUMENT) from None
    if model.states:
        raise Error(
            f"{source} keeps states between predictions, and replicas of Ray Serve share none: `runtime serve` has sequences",
            "python.stateful", Error.UNSUPPORTED)
    return model


def _cores():
    """The cores that Ray assigns to this replica, rounded down, at least 1; None outside of Ray."""
    try:
        import ray

        given = ray.get_runtime_context().get_assigned_resources().get("CPU")
    except Exception:  # not in a Ray worker
        return None
    return None if given is None else max(1, int(given))


def _picture(name, value):
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise Error(f"input '{name}' is an image, expected the base64 text of its file", "python.value") from None


def _json(value):
    """A value of an output for JSON. NaN and infinities are text, as in ``runtime serve``; images are base64 of PNG."""
    if isinstance(value, dict):
        return {str(key): _json(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        # Arrays without NaN and infinities, nearly all, need no look at each element.
        return value.tolist() if value.dtype.kind != "f" or np.isfinite(value).all() else _json(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_json(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if hasattr(value, "save"):
        data = io.BytesIO()
        value.save(data, "TIFF" if value.mode == "F" else "PNG")  # PNG stores at most 16 bits per channel
        return base64.b64encode(data.getvalue()).decode()
    return value
