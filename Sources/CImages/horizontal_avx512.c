// The horizontal pass with AVX-512. A vector holds the same pixel of four rows.
#include "passes.h"
#include "vectors.h"

#if defined(__x86_64__)
#pragma STDC FP_CONTRACT OFF

typedef float F16 __attribute__((vector_size(64)));
typedef int32_t I16 __attribute__((vector_size(64)));

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE_AVX512 static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl")))

INLINE_AVX512 F16 f16_of_bytes(U4 pixels) { return __builtin_convertvector(__builtin_convertvector((B16)pixels, I16), F16); }
INLINE_AVX512 F16 f16_all(float x) { return (F16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

AVX512 void cimages_horizontal_colours_avx512(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]) {
  for (int32_t x = 0; x < columns->count; x++) {
    Tap tap = columns->taps[x];
    F16 sums = {0};
    size_t place = (size_t)tap.first * 4;
    int32_t i = 0;
    for (; i + 4 <= tap.count; i += 4, place += 16) {
      // Transposes four pixels of each row into four rows of each pixel.
      U4 a = LOAD(U4, rows[0] + place), b = LOAD(U4, rows[1] + place), c = LOAD(U4, rows[2] + place), d = LOAD(U4, rows[3] + place);
      U4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      U4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      sums += f16_all(tap.weights[i]) * f16_of_bytes(__builtin_shufflevector(ab, cd, 0, 1, 4, 5));
      sums += f16_all(tap.weights[i + 1]) * f16_of_bytes(__builtin_shufflevector(ab, cd, 2, 3, 6, 7));
      sums += f16_all(tap.weights[i + 2]) * f16_of_bytes(__builtin_shufflevector(ab2, cd2, 0, 1, 4, 5));
      sums += f16_all(tap.weights[i + 3]) * f16_of_bytes(__builtin_shufflevector(ab2, cd2, 2, 3, 6, 7));
    }
    for (; i < tap.count; i++, place += 4) {
      U4 pixels = {
        LOAD(uint32_t, rows[0] + place), LOAD(uint32_t, rows[1] + place), LOAD(uint32_t, rows[2] + place), LOAD(uint32_t, rows[3] + place)};
      sums += f16_all(tap.weights[i]) * f16_of_bytes(pixels);
    }
    STORE(resampled[0] + (size_t)x * 4, __builtin_shufflevector(sums, sums, 0, 1, 2, 3));
    STORE(resampled[1] + (size_t)x * 4, __builtin_shufflevector(sums, sums, 4, 5, 6, 7));
    STORE(resampled[2] + (size_t)x * 4, __builtin_shufflevector(sums, sums, 8, 9, 10, 11));
    STORE(resampled[3] + (size_t)x * 4, __builtin_shufflevector(sums, sums, 12, 13, 14, 15));
  }
}
#endif
