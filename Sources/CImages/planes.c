// Colours to planes of float, and back.
#include "colours.h"

#pragma STDC FP_CONTRACT OFF

void cimages_planes_of_colours(CImagesSource source, const uint8_t order[3], float *planes, size_t width, size_t height) {
  const uint32_t first = order[0], second = order[1], third = order[2];
  const size_t plane = width * height;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)source.bytes + y * source.row_bytes;
    float *target = planes + y * width;
    size_t x = 0;
    for (; x + 4 <= width; x += 4) {
      U4 pixels = LOAD(U4, row + x * 4);
      STORE(target + x, f4_of_u4(u4_byte(pixels, first)));
      STORE(target + plane + x, f4_of_u4(u4_byte(pixels, second)));
      STORE(target + 2 * plane + x, f4_of_u4(u4_byte(pixels, third)));
    }
    for (; x < width; x++) {
      target[x] = (float)row[x * 4 + first];
      target[plane + x] = (float)row[x * 4 + second];
      target[2 * plane + x] = (float)row[x * 4 + third];
    }
  }
}

INLINE F4 load_floats(const float *source, size_t count) {
  if (count == 4) return LOAD(F4, source);
  F4 values = {0};
  memcpy(&values, source, count * sizeof *source);
  return values;
}

void cimages_colours_of_planes(
  const float *first, const float *second, const float *third, CImagesTarget target, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++, first += width, second += width, third += width) {
    uint8_t *row = (uint8_t *)target.bytes + y * target.row_bytes;
    for (size_t x = 0; x < width; x += 4) {
      size_t number = pixels_at(x, width);
      U4 a = u4_rounded_even(load_floats(first + x, number)), b = u4_rounded_even(load_floats(second + x, number));
      U4 c = u4_rounded_even(load_floats(third + x, number));
      store_pixels(row + x * 4, a | b << 8 | c << 16 | u4_all(0xFF000000u), number);
    }
  }
}

void cimages_bytes_of_fp32(const float *source, uint8_t *target, size_t count) {
  size_t x = 0;
  for (; x + 16 <= count; x += 16) {
    U4 a = u4_rounded_even(LOAD(F4, source + x)), b = u4_rounded_even(LOAD(F4, source + x + 4));
    U4 c = u4_rounded_even(LOAD(F4, source + x + 8)), d = u4_rounded_even(LOAD(F4, source + x + 12));
    STORE(target + x, b16_of_i4((I4)a, (I4)b, (I4)c, (I4)d));
  }
  for (; x < count; x++) target[x] = (uint8_t)u4_rounded_even(f4_all(source[x]))[0];
}
