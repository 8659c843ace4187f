// Convolution of groups narrower than a block, with as many outputs as inputs: a vector of the input is every group's channels, and each of
// them in turn is spread over its group's lanes.
#include "block_strip.h"

/// In every group of N lanes, its lane `i`.
CK_INLINE vf group_lane(vf v, int N, int i) {
#if CK_W == 16
#define CK_SPREAD(N, I)                                                                                                        \
  __builtin_shufflevector(                                                                                                     \
      v, v, (I), 1 / N * N + (I), 2 / N * N + (I), 3 / N * N + (I), 4 / N * N + (I), 5 / N * N + (I), 6 / N * N + (I),         \
      7 / N * N + (I), 8 / N * N + (I), 9 / N * N + (I), 10 / N * N + (I), 11 / N * N + (I), 12 / N * N + (I), 13 / N * N + (I), \
      14 / N * N + (I), 15 / N * N + (I))
#elif CK_W == 8
#define CK_SPREAD(N, I)                                                                                                \
  __builtin_shufflevector(                                                                                             \
      v, v, (I), 1 / N * N + (I), 2 / N * N + (I), 3 / N * N + (I), 4 / N * N + (I), 5 / N * N + (I), 6 / N * N + (I), \
      7 / N * N + (I))
#else
#define CK_SPREAD(N, I) __builtin_shufflevector(v, v, (I), 1 / N * N + (I), 2 / N * N + (I), 3 / N * N + (I))
#endif
  switch (N * 8 + i) {
    case 2 * 8 + 0: return CK_SPREAD(2, 0);
    case 2 * 8 + 1: return CK_SPREAD(2, 1);
#if CK_W >= 8
    case 4 * 8 + 0: return CK_SPREAD(4, 0);
    case 4 * 8 + 1: return CK_SPREAD(4, 1);
    case 4 * 8 + 2: return CK_SPREAD(4, 2);
    case 4 * 8 + 3: return CK_SPREAD(4, 3);
#endif
#if CK_W == 16
    case 8 * 8 + 0: return CK_SPREAD(8, 0);
    case 8 * 8 + 1: return CK_SPREAD(8, 1);
    case 8 * 8 + 2: return CK_SPREAD(8, 2);
    case 8 * 8 + 3: return CK_SPREAD(8, 3);
    case 8 * 8 + 4: return CK_SPREAD(8, 4);
    case 8 * 8 + 5: return CK_SPREAD(8, 5);
    case 8 * 8 + 6: return CK_SPREAD(8, 6);
    case 8 * 8 + 7: return CK_SPREAD(8, 7);
#endif
    default: return v;
  }
}

CK_INLINE void narrow_sums(int P, int N, const struct strip *s, const struct ending *e, const float *in, float *out) {
  vf sum[CK_STRIP];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) sum[p] = 0;
  const float *weights = (const float *)s->weights + s->taps_before * N * CK_W;
  for (ptrdiff_t y = 0; y < s->taps_y; y++, weights += s->taps_between * N * CK_W) {
    const float *q = in + y * s->tap_y;
    for (ptrdiff_t x = 0; x < s->taps_x; x++, q += s->tap_x, weights += N * CK_W) {
      vf w[8];
#pragma clang loop unroll(full)
      for (int i = 0; i < N; i++) w[i] = vf_load(weights + i * CK_W);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; p++) {
        vf v = vf_load(q + p * s->position);
#pragma clang loop unroll(full)
        for (int i = 0; i < N; i++) sum[p] = vf_fma(group_lane(v, N, i), w[i], sum[p]);
      }
    }
  }
  strip_end(P, 1, s, e, sum, sum, out);
}

#define CK_NARROW_ENTRY(P, N) \
  static void narrow_##N##_##P(const struct strip *s, const struct ending *e, const float *in, float *out) { narrow_sums(P, N, s, e, in, out); }
#define CK_NARROW_NAME(P, N) narrow_##N##_##P,
#define CK_NARROW_SET(N)              \
  CK_STRIP_WIDTHS(CK_NARROW_ENTRY, N) \
  static const strip_function narrows_##N[CK_STRIP + 1] = {NULL, CK_STRIP_WIDTHS(CK_NARROW_NAME, N)};
CK_NARROW_SET(1)
CK_NARROW_SET(2)
#if CK_W >= 8
CK_NARROW_SET(4)
#endif
#if CK_W == 16
CK_NARROW_SET(8)
#endif

/// The functions for groups of so many channels, by number of positions.
CK_INLINE struct strips narrows_for(size_t channels) {
#if CK_W == 16
  if (channels == 8) return (struct strips){narrows_8, CK_STRIP};
#endif
#if CK_W >= 8
  if (channels == 4) return (struct strips){narrows_4, CK_STRIP};
#endif
  return (struct strips){channels == 2 ? narrows_2 : narrows_1, CK_STRIP};
}
