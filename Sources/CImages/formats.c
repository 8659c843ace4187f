// Pixel formats: orders of colours, gray, fp16 and fp32.
#include "colours.h"
#include "half.h"

#pragma STDC FP_CONTRACT OFF

void cimages_reorder(const void *source, CImagesOrder from, void *target, CImagesOrder to, size_t count) {
  for (size_t x = 0; x < count; x += 4) {
    size_t number = pixels_at(x, count);
    U4 pixels = load_pixels((const uint8_t *)source + x * 4, number);
    U4 result = u4_byte(pixels, from.red) << (to.red * 8u) | u4_byte(pixels, from.green) << (to.green * 8u) |
                u4_byte(pixels, from.blue) << (to.blue * 8u) | u4_byte(pixels, from.alpha) << (to.alpha * 8u);
    store_pixels((uint8_t *)target + x * 4, result, number);
  }
}

/// n / 1000, rounded down, for n up to 255500. With n / 8 = m, m * 16777 / 2^21 is less than m / 125 by at most 0.0035; the addend is 0.0055,
/// and fractions of m / 125 are multiples of 0.008.
static inline U4 thousandth(U4 n) { return ((n >> 3) * u4_all(16777) + u4_all(11534)) >> 21; }

void cimages_gray_of_colours(const void *source, CImagesOrder from, uint8_t *target, size_t count) {
  for (size_t x = 0; x < count; x += 4) {
    size_t number = pixels_at(x, count);
    U4 pixels = load_pixels((const uint8_t *)source + x * 4, number);
    U4 sum = u4_byte(pixels, from.red) * u4_all(299) + u4_byte(pixels, from.green) * u4_all(587) +
             u4_byte(pixels, from.blue) * u4_all(114) + u4_all(500);
    store_bytes(target + x, thousandth(sum), number);
  }
}

void cimages_colours_of_gray(const uint8_t *source, void *target, CImagesOrder to, size_t count) {
  const U4 alpha = u4_all(0xFFu << (to.alpha * 8));
  for (size_t x = 0; x < count; x += 4) {
    size_t number = pixels_at(x, count);
    B4 gray = {0};
    memcpy(&gray, source + x, number);
    U4 values = __builtin_convertvector(gray, U4);
    values |= values << 8;
    store_pixels((uint8_t *)target + x * 4, values | values << 16 | alpha, number);
  }
}

void cimages_fp32_of_bytes(const uint8_t *source, void *target, size_t count) {
  size_t x = 0;
  for (; x + 4 <= count; x += 4) STORE((uint8_t *)target + x * 4, f4_of_bytes(LOAD(B4, source + x)));
  for (; x < count; x++) STORE((uint8_t *)target + x * 4, (float)source[x]);
}

void cimages_fp16_of_bytes(const uint8_t *source, void *target, size_t count) {
  size_t x = 0;
  for (; x + 4 <= count; x += 4) STORE((uint8_t *)target + x * 2, fp16_of_f4(f4_of_bytes(LOAD(B4, source + x))));
  for (; x < count; x++) STORE((uint8_t *)target + x * 2, (uint16_t)fp16_of_f4(f4_all(source[x]))[0]);
}

void cimages_fp32_of_fp16(const void *source, void *target, size_t count) {
  const uint8_t *from = source;
  uint8_t *to = target;
  for (size_t x = 0; x < count; x += 4) {
    size_t number = pixels_at(x, count);
    H4 halves = {0};
    memcpy(&halves, from + x * 2, number == 4 ? sizeof halves : number * 2);
    F4 values = f4_of_fp16(halves);
    memcpy(to + x * 4, &values, number == 4 ? sizeof values : number * 4);
  }
}

void cimages_fp16_of_fp32(const void *source, void *target, size_t count) {
  const uint8_t *from = source;
  uint8_t *to = target;
  for (size_t x = 0; x < count; x += 4) {
    size_t number = pixels_at(x, count);
    F4 values = {0};
    memcpy(&values, from + x * 4, number == 4 ? sizeof values : number * 4);
    H4 halves = fp16_of_f4(values);
    memcpy(to + x * 2, &halves, number == 4 ? sizeof halves : number * 2);
  }
}

void cimages_drop_fourth(const void *source, uint8_t *target, size_t count) {
  const uint8_t *from = source;
  // The fourth byte is overwritten by the next pixel; the last pixel has none after it.
  for (size_t x = 0; x + 1 < count; x++) memcpy(target + x * 3, from + x * 4, 4);
  memcpy(target + (count - 1) * 3, from + (count - 1) * 4, 3);
}
