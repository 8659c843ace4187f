// Conversions of three-byte and four-byte pixels.
#include "colours.h"

INLINE U4 reordered(U4 pixels, CImagesOrder from, CImagesOrder to) {
  U4 alpha = from.alpha < 4 ? u4_byte(pixels, from.alpha) << (to.alpha * 8u) : u4_all(0xFFu << (to.alpha * 8u));
  return u4_byte(pixels, from.red) << (to.red * 8u) | u4_byte(pixels, from.green) << (to.green * 8u) |
         u4_byte(pixels, from.blue) << (to.blue * 8u) | alpha;
}

/// Expands four three-byte pixels to four bytes each; the fourth byte is undefined.
INLINE U4 spread(B16 bytes) {
  // Uses byte shifts and unpacking, because SSE2 has no general byte shuffle.
  U4 second = (U4)__builtin_shufflevector(bytes, (B16){0}, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18);
  U4 third = (U4)__builtin_shufflevector(bytes, (B16){0}, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21);
  U4 fourth = (U4)__builtin_shufflevector(bytes, (B16){0}, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24);
  U4 front = __builtin_shufflevector((U4)bytes, second, 0, 4, 1, 5), back = __builtin_shufflevector(third, fourth, 0, 4, 1, 5);
  return __builtin_shufflevector(front, back, 0, 1, 4, 5);
}

/// Packs the first three bytes of each of four pixels.
INLINE B16 squeezed(U4 pixels) {
  typedef uint64_t D2 __attribute__((vector_size(16)));
  const D2 first = {0xFFFFFF, 0xFFFFFF}, second = first << 32;
  B16 pairs = (B16)(((D2)pixels & first) | ((D2)pixels & second) >> 8);
  B16 moved = __builtin_shufflevector(pairs, (B16){0}, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
  // Six bytes of the lower pair, then those of the upper one.
  const D2 kept = {0xFFFFFFFFFFFFull, 0};
  return (B16)(((D2)pairs & kept) | ((D2)moved & ~kept));
}

INLINE void reorder(const uint8_t *source, CImagesOrder from, uint8_t *target, CImagesOrder to, size_t number) {
  store_pixels(target, reordered(load_pixels(source, number), from, to), number);
}

INLINE void expand(const uint8_t *source, CImagesOrder from, uint8_t *target, CImagesOrder to, size_t number) {
  store_pixels(target, reordered(spread(LOAD_FEW(B16, uint8_t, source, number * 3)), from, to), number);
}

INLINE void pack(const uint8_t *source, CImagesOrder from, uint8_t *target, CImagesOrder to, size_t number) {
  STORE_FEW(uint8_t, target, number * 3, squeezed(reordered(load_pixels(source, number), from, to)));
}

void cimages_reorder(const void *source, CImagesOrder from, void *target, CImagesOrder to, size_t count) {
  const uint8_t *first = source;
  uint8_t *place = target;
  EACH_VECTOR(count, reorder(first + x * 4, from, place + x * 4, to, number));
}

void cimages_expand(const void *source, CImagesOrder from, void *target, CImagesOrder to, size_t count) {
  const uint8_t *first = source;
  uint8_t *place = target;
  from.alpha = CIMAGES_NO_ALPHA;
  EACH_VECTOR(count, expand(first + x * 3, from, place + x * 4, to, number));
}

void cimages_pack(const void *source, CImagesOrder from, void *target, CImagesOrder to, size_t count) {
  const uint8_t *first = source;
  uint8_t *place = target;
  from.alpha = CIMAGES_NO_ALPHA;
  to.alpha = 3;
  EACH_VECTOR(count, pack(first + x * 4, from, place + x * 3, to, number));
}

void cimages_look_up(const uint8_t *source, const uint32_t palette[256], void *target, size_t count) {
  for (size_t x = 0; x < count; x++) STORE((uint8_t *)target + x * 4, palette[source[x]]);
}
