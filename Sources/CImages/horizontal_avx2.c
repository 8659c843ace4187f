// The horizontal pass with AVX2. A vector holds the same pixel of two rows.
#include "passes.h"
#include "vectors.h"

#if defined(__x86_64__)
#pragma STDC FP_CONTRACT OFF

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));

#define AVX2 __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))
#define UNROLLED _Pragma("clang loop unroll(full)")

INLINE_AVX2 F8 f8_of_bytes(B8 bytes) { return __builtin_convertvector(__builtin_convertvector(bytes, I8), F8); }
INLINE_AVX2 F8 f8_all(float value) { return (F8){value, value, value, value, value, value, value, value}; }

AVX2 void cimages_horizontal_colours_avx2(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]) {
  for (int32_t x = 0; x < columns->count; x++) {
    Tap tap = columns->taps[x];
    F8 sums[BLOCK / 2] = {0};
    size_t place = (size_t)tap.first * 4;
    int32_t i = 0;
    for (; i + 4 <= tap.count; i += 4, place += 16) {
      UNROLLED for (int pair = 0; pair < BLOCK / 2; pair++) {
        U4 upper = LOAD(U4, rows[2 * pair] + place), lower = LOAD(U4, rows[2 * pair + 1] + place);
        B16 front = (B16)__builtin_shufflevector(upper, lower, 0, 4, 1, 5), back = (B16)__builtin_shufflevector(upper, lower, 2, 6, 3, 7);
        sums[pair] += f8_all(tap.weights[i]) * f8_of_bytes(__builtin_shufflevector(front, front, 0, 1, 2, 3, 4, 5, 6, 7));
        sums[pair] += f8_all(tap.weights[i + 1]) * f8_of_bytes(__builtin_shufflevector(front, front, 8, 9, 10, 11, 12, 13, 14, 15));
        sums[pair] += f8_all(tap.weights[i + 2]) * f8_of_bytes(__builtin_shufflevector(back, back, 0, 1, 2, 3, 4, 5, 6, 7));
        sums[pair] += f8_all(tap.weights[i + 3]) * f8_of_bytes(__builtin_shufflevector(back, back, 8, 9, 10, 11, 12, 13, 14, 15));
      }
    }
    for (; i < tap.count; i++, place += 4) {
      UNROLLED for (int pair = 0; pair < BLOCK / 2; pair++) {
        uint32_t pixels[2] = {LOAD(uint32_t, rows[2 * pair] + place), LOAD(uint32_t, rows[2 * pair + 1] + place)};
        sums[pair] += f8_all(tap.weights[i]) * f8_of_bytes(LOAD(B8, pixels));
      }
    }
    UNROLLED for (int pair = 0; pair < BLOCK / 2; pair++) {
      STORE(resampled[2 * pair] + (size_t)x * 4, __builtin_shufflevector(sums[pair], sums[pair], 0, 1, 2, 3));
      STORE(resampled[2 * pair + 1] + (size_t)x * 4, __builtin_shufflevector(sums[pair], sums[pair], 4, 5, 6, 7));
    }
  }
}
#endif
