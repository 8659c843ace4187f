#!/usr/bin/env python3
"""Classifies images through the C interface and Python's ctypes: python3 predict.py LIBRARY MODEL PICTURE..."""
import ctypes
import json
import os
import sys


class CoreMLError(Exception):
    """An error of the library: a status, a stable code and a message."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


class Handle:
    """A reference to an object of the library, released with this object."""

    def __init__(self, library, pointer):
        self.library, self.pointer = library, pointer

    def __del__(self):
        self.library.coreml_release(self.pointer)


class Library:
    """The library: `call` raises if a function fails, `make` returns the handle that a function creates."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.coreml_release.restype = None
        self.c.coreml_release.argtypes = [ctypes.c_void_p]
        for name in ["coreml_version", "coreml_error_code", "coreml_error_message"]:
            function = getattr(self.c, name)
            function.restype = ctypes.c_char_p
            function.argtypes = [] if name == "coreml_version" else [ctypes.c_void_p]

    @property
    def version(self):
        return self.c.coreml_version().decode()

    def call(self, name, *arguments):
        error = ctypes.c_void_p()
        status = getattr(self.c, name)(*(self.argument(a) for a in arguments), ctypes.byref(error))
        if status != 0:
            failure = CoreMLError(status, self.c.coreml_error_code(error).decode(), self.c.coreml_error_message(error).decode())
            self.c.coreml_release(error)
            raise failure

    def make(self, name, *arguments):
        pointer = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(pointer))
        return Handle(self.c, pointer)

    @staticmethod
    def argument(value):
        if isinstance(value, Handle):
            return value.pointer
        if isinstance(value, str):
            return value.encode()
        return ctypes.c_size_t(value) if isinstance(value, int) else value


class Classifier:
    """An image classifier."""

    SCALE_FILL = ctypes.c_int32(2)

    def __init__(self, library, path):
        self.library = library
        self.model = library.make("coreml_model_open", path, None)
        text = ctypes.c_char_p()
        library.call("coreml_model_describe", self.model, ctypes.byref(text))
        self.description = json.loads(text.value)
        self.input = self.description["inputs"][0]

    def __call__(self, picture):
        """The probabilities by label."""
        library = self.library
        image = library.make("coreml_value_picture", picture, len(picture))
        image = library.make("coreml_value_fit_image", image, self.model, self.input["name"], self.SCALE_FILL)
        inputs = library.make("coreml_features_create")
        library.call("coreml_features_set", inputs, self.input["name"], image)
        outputs = library.make("coreml_predict", self.model, inputs, None)
        found = library.make("coreml_features_get", outputs, self.description["predictedProbabilitiesName"])
        keys, numbers, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.POINTER(ctypes.c_double)(), ctypes.c_size_t()
        library.call("coreml_value_get_string_dictionary", found, ctypes.byref(keys), ctypes.byref(numbers), ctypes.byref(count))
        return {keys[place].decode(): numbers[place] for place in range(count.value)}


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    library = Library(sys.argv[1])
    try:
        classify = Classifier(library, sys.argv[2])
        image = classify.input
        print(f"coreml_runtime {library.version}; '{image['name']}' is an image of {image['width']} x {image['height']} pixels")
        for path in sys.argv[3:]:
            with open(path, "rb") as file:
                probabilities = classify(file.read())
            label = max(probabilities, key=probabilities.get)
            print(f"{os.path.basename(path):12} {label:8} {probabilities[label]:.4f}")
    except CoreMLError as error:
        sys.exit(f"{error} ({error.code})")


if __name__ == "__main__":
    main()
