"""Input files, images, weight files, and single messages of the specification."""
import io
import json
import pathlib
import re
import struct

import numpy as np
import programs
from PIL import Image


def npy(array, order="C"):
    made = io.BytesIO()
    np.save(made, np.asarray(array, order=order))
    return made.getvalue()


def arrays():
    for kind in ["<f8", "<f4", "<f2", "<i4", "<i8", "i1", "u1", "?", ">f4", ">i4", "<i2", "<u4"]:
        yield kind.strip("<>?") + ("be" if kind[0] == ">" else "") or "bool", npy(np.arange(6).reshape(2, 3).astype(kind))
    yield "fortran", npy(np.arange(6, dtype="<f4").reshape(2, 3), "F")
    yield "scalar", npy(np.float32(1))
    yield "empty", npy(np.zeros((2, 0), "<f4"))
    yield "words", npy(np.array(["a", "bc"]))
    made = io.BytesIO()
    np.lib.format.write_array(made, np.ones(2, "<f4"), version=(2, 0))
    yield "second", made.getvalue()


def npz():
    for name, save in [("stored", np.savez), ("deflated", np.savez_compressed)]:
        made = io.BytesIO()
        save(made, x=np.ones((2, 2), "<f4"), y=np.int64(3))
        yield name, made.getvalue()


def jsons():
    exact = {"shape": [2, 2], "dataType": "float16", "data": [1, 2, 3, -0.5]}
    for index, made in enumerate([
            1, -1.5e3, "words é \n", [[1, 2], [3, 4]], [1, 2, 3], ["a", "b"], {"a": 1, "b": 2.5}, {"1": 2}, exact, {**exact, "dataType": "int32", "data": [1, 2, 3, 4]},
            {"image": "x.png"}, [], {}, None, True, [[[1]], [[2]]], {"shape": [], "dataType": "double", "data": [1]}]):
        yield str(index), json.dumps(made).encode()
    yield "escapes", br'"\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t"'
    yield "numbers", b" [ 1e400 , -0 , 9223372036854775807, 1E-5 ] "


NUMBERS = [
    "1", "-2.5", "1e3", "-7E-2", "123456789012345678", "0.30000000000000004", "4.9e-324", "1.7976931348623157e308", "9007199254740993", "-0", "-0.0",
    "007", "1.", "1e400", "nan", "\"NaN\"", "[3]", "null", "99999999999999999999999.5", "4503599627370496.5"]


def tables():
    for index, number in enumerate(NUMBERS):
        yield f"number-{index}", f"{number},{number},red\n".encode()
        yield f"tab-{index}", f"\t1\tred\n1\t{number}\tbl\u00fce\r\n".encode()
    yield "quotes", b'"1","2.5","red"\r\n1,2,"r""ed"\n\n1,"2\n",blue\n"a'
    yield "mark", b"\xef\xbb\xbf1,2,red\n"


def lines():
    for index, number in enumerate(NUMBERS):
        yield f"members-{index}", f'{{"a": {number}, "b":{number},"color" : "red"}}\n'.encode()
        yield f"list-{index}", f'{{"x": [{number}, 1,{number}]}}\r\n {{"x": [[1, 2, 3]]}}\n'.encode()
    yield "escapes", br'{"color": "bl\u00fce", "b": 1, "a": 2}' + b"\n"
    yield "twice", b'{"a": 1, "a": 2, "b": 3, "color": "red"}'


def pictures():
    rng = np.random.default_rng(5)
    for mode, shape in [("L", (3, 5)), ("RGB", (3, 5, 3)), ("RGBA", (2, 2, 4)), ("LA", (2, 2, 2))]:
        picture = Image.fromarray(rng.integers(0, 255, shape, np.uint8), mode)
        yield f"{mode}.png", saved(picture, "PNG")
        if mode in ["L", "RGB"]:
            for orientation in range(1, 9):
                exif = Image.Exif()
                exif[0x112] = orientation
                yield f"{mode}-{orientation}.jpg", saved(picture, "JPEG", quality=50, exif=exif)
            yield f"{mode}-progressive.jpg", saved(picture, "JPEG", quality=50, progressive=True, optimize=True)
    colors = Image.fromarray(rng.integers(0, 255, (4, 4, 3), np.uint8), "RGB")
    yield "palette.png", saved(colors.quantize(4), "PNG")
    yield "transparent.png", saved(colors.quantize(4), "PNG", transparency=1)
    yield "two.png", saved(colors.convert("1"), "PNG")
    yield "deep.png", saved(Image.fromarray(rng.integers(0, 65535, (2, 3), np.uint16)), "PNG")
    yield "cmyk.jpg", saved(colors.convert("CMYK"), "JPEG", quality=50)
    for subsampling in range(3):
        yield f"sampled-{subsampling}.jpg", saved(colors.resize((17, 9)), "JPEG", quality=30, subsampling=subsampling)
    # All supported formats and some unsupported ones.
    for path in sorted((pathlib.Path(__file__).parent.parent.parent / "Tests/Cases/pictures/formats").iterdir()):
        if path.suffix != ".json" and path.stat().st_size < 4096:
            yield path.name, path.read_bytes()


def saved(picture, form, **options):
    made = io.BytesIO()
    picture.save(made, form, **options)
    return made.getvalue()


def blobs():
    samples = [(scalar, bytes(range(1, 7)), *([{1: 3, 2: 2, 3: 3, 4: 4, 6: 6}[bits]] if bits < 8 else [])) if bits < 32 else (scalar, bytes(8))
               for scalar, (_, bits) in programs.BLOBS.items()]
    for sample in samples:
        yield sample[0], programs.weight_file([sample])[0]
    yield "all", programs.weight_file(samples)[0]
    yield "none", struct.pack("<II", 0, 2) + bytes(56)


def inner(message):
    """Yields the message and all messages in it, recursively."""
    yield message
    for field, content in message.ListFields():
        if not field.message_type:
            continue
        if field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].message_type:
                for item in content.values():
                    yield from inner(item)
        else:
            for item in content if field.is_repeated else [content]:
                yield from inner(item)


def messages(models, table):
    """The largest small message of each type in the models, after the index of its type in the order of names."""
    types = sorted(re.findall(r'^ *"(CoreML\.[\w.]+)":', table, re.MULTILINE))
    best = {}
    for model in models:
        for message in inner(model):
            name, data = message.DESCRIPTOR.full_name, message.SerializeToString(deterministic=True)
            if name in types and len(data) < 300 and len(data) >= len(best.get(name, b"")):
                best[name] = data
    for name, data in best.items():
        yield name.split("Specification.")[-1], struct.pack("<H", types.index(name)) + data
