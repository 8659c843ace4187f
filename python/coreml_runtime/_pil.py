"""PIL images as arrays. The pixels equal those that the library decodes from the same file."""
import numpy as np

ORIENTATION, BITS_PER_SAMPLE = 0x0112, 0x0102
#: by EXIF orientation: the function that turns the stored pixels upright
TURNED = {
    2: lambda array: array[:, ::-1],
    3: lambda array: array[::-1, ::-1],
    4: lambda array: array[::-1],
    5: lambda array: array.swapaxes(0, 1),
    6: lambda array: np.rot90(array, -1),
    7: lambda array: array[::-1, ::-1].swapaxes(0, 1),
    8: lambda array: np.rot90(array),
}


class Unreadable(Exception):
    """An unsupported image: `found` describes it, `expected` what is supported."""

    def __init__(self, found, expected):
        super().__init__(found, expected)
        self.found, self.expected = found, expected


def upright(image):
    """The pixels of an image, turned as its EXIF orientation says.

    Returns uint8 or float32 of shape (height, width), or uint8 of shape (height, width, 3 or 4). 16-bit samples are
    rounded to 8 bits. Their modes are I;16, its variants, and I, which older versions of PIL use for 16-bit files.
    Raises ``Unreadable``.
    """
    image.load()  # for a TIFF file, PIL turns the pixels here and removes the tag
    array = _pixels(image)
    return TURNED.get(_orientation(image), lambda array: array)(array)


def _orientation(image):
    try:
        return image.getexif().get(ORIENTATION)
    except Exception:  # noqa: BLE001  damaged EXIF data is ignored, as in a file
        return None


def _pixels(image):
    mode = image.mode
    if mode == "I" or mode.startswith("I;16"):
        if 32 in (getattr(image, "tag_v2", {}).get(BITS_PER_SAMPLE) or ()):
            raise Unreadable("a TIFF picture with samples of 32 bits", "samples of 16 bits at most")
        return _of_16_bits(np.asarray(image), mode)
    if mode == "1":
        return np.asarray(image).astype(np.uint8) * np.uint8(255)
    if mode == "CMYK":
        light = 255 - np.asarray(image).astype(np.uint32)
        return (light[:, :, :3] * light[:, :, 3:] // 255).astype(np.uint8)
    if mode in ("L", "F", "RGB", "RGBA"):
        return np.asarray(image)
    if mode == "La":
        image = image.convert("LA")  # PIL cannot convert La to RGBA
    return np.asarray(image.convert("RGBA"))


def _of_16_bits(samples, mode):
    if samples.size and (samples.min() < 0 or samples.max() > 65535):
        raise Unreadable(f"a picture of the mode {mode} with samples from {samples.min()} to {samples.max()}", "samples of 16 bits, 0 to 65535")
    return ((samples.astype(np.uint32) + 128) // 257).astype(np.uint8)
