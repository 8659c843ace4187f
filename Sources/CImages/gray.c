// Conversions between color and gray pixels, and between 8-bit, fp16 and fp32 gray.
#include "colours.h"
#include "half.h"

#pragma STDC FP_CONTRACT OFF

/// n / 1000, rounded down, for n up to 255500. With n / 8 = m, m * 16777 / 2^21 is less than m / 125 by at most 0.0035.
/// The addend is 0.0055. Fractions of m / 125 are multiples of 0.008.
INLINE U4 thousandth(U4 n) { return ((n >> 3) * u4_all(16777) + u4_all(11534)) >> 21; }

INLINE void gray_of_colours(const uint8_t *source, CImagesOrder from, uint8_t *target, size_t number) {
  U4 pixels = load_pixels(source, number);
  U4 sum = u4_byte(pixels, from.red) * u4_all(299) + u4_byte(pixels, from.green) * u4_all(587) +
           u4_byte(pixels, from.blue) * u4_all(114) + u4_all(500);
  store_bytes(target, thousandth(sum), number);
}

INLINE void colours_of_gray(const uint8_t *source, uint8_t *target, U4 alpha, size_t number) {
  U4 values = __builtin_convertvector(LOAD_FEW(B4, uint8_t, source, number), U4);
  values |= values << 8;
  store_pixels(target, values | values << 16 | alpha, number);
}

INLINE F4 load_gray(const uint8_t *source, size_t number) { return f4_of_bytes(LOAD_FEW(B4, uint8_t, source, number)); }

void cimages_gray_of_colours(const void *source, CImagesOrder from, uint8_t *target, size_t count) {
  const uint8_t *first = source;
  EACH_VECTOR(count, gray_of_colours(first + x * 4, from, target + x, number));
}

void cimages_colours_of_gray(const uint8_t *source, void *target, CImagesOrder to, size_t count) {
  const U4 alpha = u4_all(0xFFu << (to.alpha * 8));
  uint8_t *place = target;
  EACH_VECTOR(count, colours_of_gray(source + x, place + x * 4, alpha, number));
}

void cimages_fp32_of_bytes(const uint8_t *source, void *target, size_t count) {
  uint8_t *place = target;
  EACH_VECTOR(count, STORE_FEW(float, place + x * 4, number, load_gray(source + x, number)));
}

void cimages_fp16_of_bytes(const uint8_t *source, void *target, size_t count) {
  uint8_t *place = target;
  EACH_VECTOR(count, STORE_FEW(uint16_t, place + x * 2, number, fp16_of_f4(load_gray(source + x, number))));
}

void cimages_fp32_of_fp16(const void *source, void *target, size_t count) {
  const uint8_t *first = source;
  uint8_t *place = target;
  EACH_VECTOR(count, STORE_FEW(float, place + x * 4, number, f4_of_fp16(LOAD_FEW(H4, uint16_t, first + x * 2, number))));
}

void cimages_fp16_of_fp32(const void *source, void *target, size_t count) {
  const uint8_t *first = source;
  uint8_t *place = target;
  EACH_VECTOR(count, STORE_FEW(uint16_t, place + x * 2, number, fp16_of_f4(LOAD_FEW(F4, float, first + x * 4, number))));
}
