// Luma and colour differences of ITU-R BT.601 in bytes, and colours.
#include "colours.h"

#pragma STDC FP_CONTRACT OFF

static const float red_weight = 0.299f, blue_weight = 0.114f;
#define GREEN_WEIGHT (1 - red_weight - blue_weight)

INLINE F4 weighted(F4 red, F4 green, F4 blue) {
  return f4_all(red_weight) * red + f4_all(GREEN_WEIGHT) * green + f4_all(blue_weight) * blue;
}

void cimages_rgba_of_video(CImagesVideo video, const uint8_t *luma, const uint8_t *differences, uint8_t *target, size_t count) {
  const F4 offset = f4_all(video.offset), luma_scale = f4_all(video.luma_scale), scale = f4_all(video.difference_scale);
  for (size_t x = 0; x < count; x += 4) {
    size_t number = pixels_at(x, count);
    B4 brightness = {0}, pairs = {0};
    memcpy(&brightness, luma + x, number);
    memcpy(&pairs, differences + x, (number + 1) / 2 * 2);
    F4 y = (f4_of_bytes(brightness) - offset) / luma_scale;
    F4 cb = f4_of_bytes(__builtin_shufflevector(pairs, pairs, 0, 0, 2, 2)) - f4_all(128);
    F4 cr = f4_of_bytes(__builtin_shufflevector(pairs, pairs, 1, 1, 3, 3)) - f4_all(128);
    F4 red = y + f4_all(2 * (1 - red_weight)) * cr / scale;
    F4 blue = y + f4_all(2 * (1 - blue_weight)) * cb / scale;
    F4 green = (y - f4_all(red_weight) * red - f4_all(blue_weight) * blue) / f4_all(GREEN_WEIGHT);
    U4 pixels = (U4)i4_rounded_away(red) | (U4)i4_rounded_away(green) << 8 | (U4)i4_rounded_away(blue) << 16 | u4_all(0xFF000000u);
    store_pixels(target + x * 4, pixels, number);
  }
}

void cimages_luma_of_rgba(CImagesVideo video, const uint8_t *source, uint8_t *luma, size_t count) {
  for (size_t x = 0; x < count; x += 4) {
    size_t number = pixels_at(x, count);
    U4 pixels = load_pixels(source + x * 4, number);
    F4 y = weighted(f4_of_u4(u4_byte(pixels, 0)), f4_of_u4(u4_byte(pixels, 1)), f4_of_u4(u4_byte(pixels, 2)));
    store_bytes(luma + x, (U4)i4_rounded_away(f4_all(video.offset) + f4_all(video.luma_scale) * y), number);
  }
}

/// Sums of pairs of columns, one colour of eight pixels.
INLINE U4 pair_sums(U4 first, U4 second, uint32_t byte) {
  U4 a = u4_byte(first, byte), b = u4_byte(second, byte);
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

void cimages_differences_of_rgba(CImagesVideo video, const uint8_t *upper, const uint8_t *lower, uint8_t *differences, size_t count) {
  const F4 scale = f4_all(video.difference_scale);
  for (size_t x = 0; x < count; x += 8) {
    size_t number = count - x < 8 ? count - x : 8, pairs = (number + 1) / 2;
    // What is left of a row; its last column stands for a pair where it has none.
    uint8_t rows[2][32] = {0};
    memcpy(rows[0], upper + x * 4, number * 4);
    memcpy(rows[1], lower + x * 4, number * 4);
    if (number % 2 == 1) {
      memcpy(rows[0] + number * 4, rows[0] + number * 4 - 4, 4);
      memcpy(rows[1] + number * 4, rows[1] + number * 4 - 4, 4);
    }
    F4 mean[3];
    for (uint32_t byte = 0; byte < 3; byte++) {
      U4 sums = pair_sums(LOAD(U4, rows[0]), LOAD(U4, rows[0] + 16), byte) + pair_sums(LOAD(U4, rows[1]), LOAD(U4, rows[1] + 16), byte);
      mean[byte] = f4_of_u4(sums) / f4_all(4);
    }
    F4 y = weighted(mean[0], mean[1], mean[2]);
    I4 cb = i4_rounded_away(f4_all(128) + scale * (mean[2] - y) / f4_all(2 * (1 - blue_weight)));
    I4 cr = i4_rounded_away(f4_all(128) + scale * (mean[0] - y) / f4_all(2 * (1 - red_weight)));
    H4 both = __builtin_convertvector(cb | cr << 8, H4);
    memcpy(differences + x, &both, pairs * 2);
  }
}
