// Conversion of color to float planes, and back.
#include "colours.h"

#pragma STDC FP_CONTRACT OFF

INLINE void planes_of_colours(const uint8_t *source, const uint8_t order[3], float *target, size_t plane, size_t number) {
  U4 pixels = load_pixels(source, number);
  STORE_FEW(float, target, number, f4_of_u4(u4_byte(pixels, order[0])));
  STORE_FEW(float, target + plane, number, f4_of_u4(u4_byte(pixels, order[1])));
  STORE_FEW(float, target + 2 * plane, number, f4_of_u4(u4_byte(pixels, order[2])));
}

void cimages_planes_of_colours(CImagesSource source, const uint8_t order[3], float *planes, size_t width, size_t height) {
  const uint8_t bytes[3] = {order[0], order[1], order[2]};
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)source.bytes + y * source.row_bytes;
    EACH_VECTOR(width, planes_of_colours(row + x * 4, bytes, planes + y * width + x, width * height, number));
  }
}

INLINE U4 rounded(const float *source, size_t number) { return u4_rounded_even(LOAD_FEW(F4, float, source, number)); }

INLINE void colours_of_planes(const float *first, const float *second, const float *third, uint8_t *target, size_t number) {
  U4 pixels = rounded(first, number) | rounded(second, number) << 8 | rounded(third, number) << 16;
  store_pixels(target, pixels | u4_all(0xFF000000u), number);
}

void cimages_colours_of_planes(
  const float *first, const float *second, const float *third, CImagesTarget target, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++, first += width, second += width, third += width) {
    uint8_t *row = (uint8_t *)target.bytes + y * target.row_bytes;
    EACH_VECTOR(width, colours_of_planes(first + x, second + x, third + x, row + x * 4, number));
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
