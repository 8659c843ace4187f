// Conversion between color and 8-bit luma and chroma of ITU-R BT.601.
#include "colours.h"

#pragma STDC FP_CONTRACT OFF

static const float red_weight = 0.299f, blue_weight = 0.114f;
#define GREEN_WEIGHT (1 - red_weight - blue_weight)

INLINE F4 weighted(F4 red, F4 green, F4 blue) {
  return f4_all(red_weight) * red + f4_all(GREEN_WEIGHT) * green + f4_all(blue_weight) * blue;
}

INLINE void rgba_of_video(CImagesVideo video, const uint8_t *luma, const uint8_t *differences, uint8_t *target, size_t number) {
  const F4 scale = f4_all(video.difference_scale);
  B4 pairs = LOAD_FEW(B4, uint8_t, differences, (number + 1) / 2 * 2);
  F4 y = (f4_of_bytes(LOAD_FEW(B4, uint8_t, luma, number)) - f4_all(video.offset)) / f4_all(video.luma_scale);
  F4 cb = f4_of_bytes(__builtin_shufflevector(pairs, pairs, 0, 0, 2, 2)) - f4_all(128);
  F4 cr = f4_of_bytes(__builtin_shufflevector(pairs, pairs, 1, 1, 3, 3)) - f4_all(128);
  F4 red = y + f4_all(2 * (1 - red_weight)) * cr / scale;
  F4 blue = y + f4_all(2 * (1 - blue_weight)) * cb / scale;
  F4 green = (y - f4_all(red_weight) * red - f4_all(blue_weight) * blue) / f4_all(GREEN_WEIGHT);
  U4 pixels = (U4)i4_rounded_away(red) | (U4)i4_rounded_away(green) << 8 | (U4)i4_rounded_away(blue) << 16 | u4_all(0xFF000000u);
  store_pixels(target, pixels, number);
}

void cimages_rgba_of_video(CImagesVideo video, const uint8_t *luma, const uint8_t *differences, uint8_t *target, size_t count) {
  EACH_VECTOR(count, rgba_of_video(video, luma + x, differences + x, target + x * 4, number));
}

INLINE void luma_of_rgba(CImagesVideo video, const uint8_t *source, uint8_t *luma, size_t number) {
  U4 pixels = load_pixels(source, number);
  F4 y = weighted(f4_of_u4(u4_byte(pixels, 0)), f4_of_u4(u4_byte(pixels, 1)), f4_of_u4(u4_byte(pixels, 2)));
  store_bytes(luma, (U4)i4_rounded_away(f4_all(video.offset) + f4_all(video.luma_scale) * y), number);
}

void cimages_luma_of_rgba(CImagesVideo video, const uint8_t *source, uint8_t *luma, size_t count) {
  EACH_VECTOR(count, luma_of_rgba(video, source + x * 4, luma + x, number));
}

/// Sums of 2 x 2 pixels of one color channel, for eight columns of two rows.
INLINE U4 sums(const U4 upper[2], const U4 lower[2], uint32_t byte) {
  U4 front = u4_byte(upper[0], byte) + u4_byte(lower[0], byte), back = u4_byte(upper[1], byte) + u4_byte(lower[1], byte);
  return __builtin_shufflevector(front, back, 0, 2, 4, 6) + __builtin_shufflevector(front, back, 1, 3, 5, 7);
}

/// The chroma of eight columns, as byte pairs.
INLINE H4 differences_of(CImagesVideo video, const U4 upper[2], const U4 lower[2]) {
  const F4 scale = f4_all(video.difference_scale);
  F4 red = f4_of_u4(sums(upper, lower, 0)) / f4_all(4), green = f4_of_u4(sums(upper, lower, 1)) / f4_all(4);
  F4 blue = f4_of_u4(sums(upper, lower, 2)) / f4_all(4), y = weighted(red, green, blue);
  I4 cb = i4_rounded_away(f4_all(128) + scale * (blue - y) / f4_all(2 * (1 - blue_weight)));
  I4 cr = i4_rounded_away(f4_all(128) + scale * (red - y) / f4_all(2 * (1 - red_weight)));
  return __builtin_convertvector(cb | cr << 8, H4);
}

void cimages_differences_of_rgba(CImagesVideo video, const uint8_t *upper, const uint8_t *lower, uint8_t *differences, size_t count) {
  size_t x = 0;
  for (; x + 8 <= count; x += 8) {
    const U4 above[2] = {LOAD(U4, upper + x * 4), LOAD(U4, upper + x * 4 + 16)};
    const U4 below[2] = {LOAD(U4, lower + x * 4), LOAD(U4, lower + x * 4 + 16)};
    STORE(differences + x, differences_of(video, above, below));
  }
  if (x == count) return;
  const size_t number = count - x;
  uint32_t above[8] = {0}, below[8] = {0};
  memcpy(above, upper + x * 4, number * 4);
  memcpy(below, lower + x * 4, number * 4);
  // In a row of odd width the last column is repeated to complete its pair.
  if (number % 2 == 1) {
    above[number] = above[number - 1];
    below[number] = below[number - 1];
  }
  const U4 over[2] = {LOAD(U4, above), LOAD(U4, above + 4)}, under[2] = {LOAD(U4, below), LOAD(U4, below + 4)};
  STORE_FEW(uint16_t, differences + x, (number + 1) / 2, differences_of(video, over, under));
}
