"""PIL images have the same pixels as the library decodes from their files."""
import io

import numpy as np
import pytest

from conftest import DIGITS
from coreml_runtime import Error, Model, _values
from test_values import GIVEN

Image = pytest.importorskip("PIL.Image")
from PIL import ImageOps


def of_file(data):
    """The pixels, of shape (height, width, 4), that the library decodes from a file."""
    return _values.image_of(_values.make("value_picture", data, len(data)), "numpy")


def of_pil(image, pixels="BGRA"):
    class Feature:
        name = "picture"

    Feature.pixels = pixels
    return _values.image_of(_values._of_pil(image, Feature), "numpy")


def stored(image, kind="PNG", **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


SIXTEEN = np.arange(65536, dtype=np.uint16).reshape(256, 256)
RANDOM = np.random.default_rng(1).integers(0, 256, (5, 7, 4), np.uint8)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_every_sample_of_16_bits(kind):
    data = stored(Image.fromarray(SIXTEEN), kind)
    try:
        expected = of_file(data)
    except Error as error:
        pytest.skip(str(error))  # libtiff is not installed
    image = Image.open(io.BytesIO(data))
    assert image.mode in ("I;16", "I;16L", "I")
    np.testing.assert_array_equal(of_pil(image), expected)
    np.testing.assert_array_equal(of_pil(image.convert("I")), expected)
    for pixels in ("GRAY8", "GRAY16F"):
        np.testing.assert_array_equal(of_pil(image, pixels), expected[:, :, 0])


def test_16_bits_the_other_way_round():
    image = Image.frombytes("I;16B", (256, 256), SIXTEEN.astype(">u2").tobytes())
    np.testing.assert_array_equal(of_pil(image, "GRAY8"), of_file(stored(Image.fromarray(SIXTEEN)))[:, :, 0])


@pytest.mark.parametrize("low, high", [(-1, 5), (0, 65536)])
def test_what_has_more_than_16_bits_is_refused(low, high):
    with pytest.raises(Error, match=f"input 'picture' is a picture of the mode I with samples from {low} to {high}, expected samples of 16 bits"):
        of_pil(Image.fromarray(np.array([[low, high]], np.int32)))


def test_a_picture_of_floats_is_for_halves_alone(kinds):
    image = Image.new("F", (3, 2), 0.25)
    assert kinds.predict({**GIVEN, "gray16": image})["gray16"].getpixel((0, 0)) == 0.25
    for name in ("colour", "gray"):
        with pytest.raises(Error, match=f"input '{name}' is a picture of the mode F"):
            kinds.predict({**GIVEN, name: image})


def palette(has_transparency):
    image = Image.new("P", (7, 5))
    image.putdata((RANDOM[:, :, 0] % 4).ravel().tolist())
    image.putpalette([9, 8, 7, 200, 1, 2, 0, 255, 3, 50, 60, 70])
    if has_transparency:
        image.info["transparency"] = bytes([0, 128, 255, 7])
    return image


@pytest.mark.parametrize("image", [
    Image.fromarray(RANDOM[:, :, 0]), Image.fromarray(RANDOM[:, :, :3]), Image.fromarray(RANDOM), Image.fromarray(RANDOM[:, :, 0] > 99),
    Image.merge("LA", [Image.fromarray(RANDOM[:, :, channel]) for channel in (0, 1)]), palette(False), palette(True)], ids=lambda image: image.mode)
def test_modes_that_png_has(image, digits):
    data = stored(image)
    opened = Image.open(io.BytesIO(data))
    assert opened.mode == image.mode
    np.testing.assert_array_equal(of_pil(opened), of_file(data))
    assert digits.predict(opened)["classLabel_probs"] == digits.predict(data)["classLabel_probs"]


def test_inks():
    image = Image.fromarray(RANDOM, "RGBA").convert("RGB").convert("CMYK")
    data = stored(Image.frombytes("CMYK", (7, 5), RANDOM.tobytes()), "JPEG", quality=100, subsampling=0)
    np.testing.assert_array_equal(of_pil(Image.open(io.BytesIO(data)))[:, :, :3], of_file(data)[:, :, :3])
    assert of_pil(image).shape == (5, 7, 4)


def test_colours_that_were_multiplied_by_alpha():
    whole = Image.fromarray(RANDOM | np.array([0, 0, 0, 255], np.uint8))
    np.testing.assert_array_equal(of_pil(whole.convert("RGBa")), RANDOM | np.array([0, 0, 0, 255], np.uint8))


@pytest.mark.parametrize("kind, options", [("JPEG", {"quality": 95}), ("PNG", {}), ("WEBP", {"lossless": True})])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_it_says(kind, options, orientation, digits):
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = stored(Image.fromarray(RANDOM[:, :, :3]), kind, exif=exif, **options)
    opened = Image.open(io.BytesIO(data))
    np.testing.assert_array_equal(of_pil(opened), of_file(data))
    assert of_pil(opened).shape[:2] == ((5, 7) if orientation < 5 else (7, 5))
    # An image that was turned already, or has no tag, is not turned.
    turned = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    np.testing.assert_array_equal(of_pil(turned), of_file(data))
    assert digits.predict(opened)["classLabel_probs"] == digits.predict(data)["classLabel_probs"]


def test_exif_data_that_is_damaged_turns_nothing():
    data = stored(Image.fromarray(RANDOM[:, :, :3]), "PNG", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\x01")
    np.testing.assert_array_equal(of_pil(Image.open(io.BytesIO(data))), of_file(data))


def test_a_picture_that_cannot_be_read(digits):
    data = stored(Image.fromarray(np.tile(RANDOM[:, :, :3], (40, 40, 1))), "JPEG")
    with pytest.raises(Error, match="input 'image' is a picture that PIL cannot read"):
        digits.predict(Image.open(io.BytesIO(data[:len(data) // 2])))
    picture = Image.new("L", (3, 3))
    picture.load = picture.tobytes = lambda: 1 // 0
    with pytest.raises(Error, match="input 'image' is a picture that PIL cannot read .*division"):
        digits.predict(picture)


def test_a_picture_of_16_bits_through_a_model(tmp_path):
    model = Model(DIGITS / "Digits.mlpackage")
    seven = np.asarray(Image.open(DIGITS / "seven.png").convert("L")).astype(np.uint16) * 257
    Image.fromarray(seven).save(tmp_path / "seven.png")
    by_path = model.predict(tmp_path / "seven.png")["classLabel_probs"]
    assert by_path == model.predict(Image.open(tmp_path / "seven.png"))["classLabel_probs"] == model.predict(DIGITS / "seven.png")["classLabel_probs"]


@pytest.mark.parametrize("samples", [np.zeros((2, 3), np.int32), np.full((2, 3), 70000, np.int32)])
def test_tiffs_of_32_bits_are_refused_as_by_their_paths(samples):
    data = stored(Image.fromarray(samples), "TIFF")
    with pytest.raises(Error, match="32 bits|libtiff"):
        of_file(data)
    with pytest.raises(Error, match="samples of 32 bits, expected samples of 16 bits at most"):
        of_pil(Image.open(io.BytesIO(data)))


def test_gray_multiplied_by_alpha():
    image = Image.merge("LA", [Image.fromarray(RANDOM[:, :, 0]), Image.fromarray(RANDOM[:, :, 3] | 128)])
    np.testing.assert_array_equal(of_pil(image.convert("La")), np.asarray(image.convert("La").convert("LA").convert("RGBA")))
