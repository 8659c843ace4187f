// Running sums: a vector of a line at a time where the axis is the last, side by side where others lie behind it.
#include "../vector.h"

#include "../include/ck_reduce.h"

// The lanes moved up by `step`, zeros below.
#define CK_LANE(i, step) ((i) < (step) ? CK_W : (i) - (step))
#define CK_LANES4(i, step) CK_LANE(i, step), CK_LANE(i + 1, step), CK_LANE(i + 2, step), CK_LANE(i + 3, step)
#if CK_W == 16
#define CK_UP(v, zero, step) \
  __builtin_shufflevector(v, zero, CK_LANES4(0, step), CK_LANES4(4, step), CK_LANES4(8, step), CK_LANES4(12, step))
#define CK_EACH_UP(F) F(1) F(2) F(4) F(8)
#define CK_TURNED(v) __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#elif CK_W == 8
#define CK_UP(v, zero, step) __builtin_shufflevector(v, zero, CK_LANES4(0, step), CK_LANES4(4, step))
#define CK_EACH_UP(F) F(1) F(2) F(4)
#define CK_TURNED(v) __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#else
#define CK_UP(v, zero, step) __builtin_shufflevector(v, zero, CK_LANES4(0, step))
#define CK_EACH_UP(F) F(1) F(2)
#define CK_TURNED(v) __builtin_shufflevector(v, v, 3, 2, 1, 0)
#endif

// A number waits for one addition a vector only, of what the vectors before it came to. No lane sees one behind it, so that an infinity or NaN
// reaches what comes after it and nothing else, as number by number.
#define CK_ONE_STEP(step) sums += CK_UP(sums, zero, step);
#define CK_CUMSUM_LINE(name, type, vector, total, totals)                                                             \
  CK_INLINE void cumsum_line_##name(const type *in, type *out, size_t n, bool exclusive, bool reverse) {              \
    const totals zero = 0;                                                                                            \
    total before = 0;                                                                                                 \
    size_t k = 0;                                                                                                     \
    for (; k + CK_W <= n; k += CK_W) {                                                                                \
      size_t at = reverse ? n - CK_W - k : k;                                                                         \
      vector x;                                                                                                       \
      memcpy(&x, in + at, sizeof x);                                                                                  \
      totals sums = __builtin_convertvector(reverse ? CK_TURNED(x) : x, totals);                                      \
      CK_EACH_UP(CK_ONE_STEP)                                                                                         \
      x = __builtin_convertvector((exclusive ? CK_UP(sums, zero, 1) : sums) + before, vector);                        \
      if (reverse) x = CK_TURNED(x);                                                                                  \
      memcpy(out + at, &x, sizeof x);                                                                                 \
      before += sums[CK_W - 1];                                                                                       \
    }                                                                                                                 \
    for (; k < n; k++) {                                                                                              \
      size_t at = reverse ? n - 1 - k : k;                                                                            \
      total with = before + (total)in[at];                                                                            \
      out[at] = (type)(exclusive ? before : with);                                                                    \
      before = with;                                                                                                  \
    }                                                                                                                 \
  }
CK_CUMSUM_LINE(f32, float, vf, double, vd)
CK_CUMSUM_LINE(i32, int32_t, vi, uint32_t, vu)

enum { CUMSUM_TILE = 64 };

#define CK_CUMSUM(name, type, total)                                                                                  \
  void CK_FN(cumsum_##name)(                                                                                          \
      const type *in, type *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {             \
    for (size_t o = 0; o < outer; o++, in += axis * inner, out += axis * inner) {                                     \
      if (inner == 1) {                                                                                               \
        if (reverse) {                                                                                                \
          exclusive ? cumsum_line_##name(in, out, axis, true, true) : cumsum_line_##name(in, out, axis, false, true); \
        } else {                                                                                                      \
          exclusive ? cumsum_line_##name(in, out, axis, true, false)                                                  \
                    : cumsum_line_##name(in, out, axis, false, false);                                                \
        }                                                                                                             \
        continue;                                                                                                     \
      }                                                                                                               \
      for (size_t begin = 0; begin < inner; begin += CUMSUM_TILE) {                                                   \
        size_t n = inner - begin < CUMSUM_TILE ? inner - begin : CUMSUM_TILE;                                         \
        total sum[CUMSUM_TILE] = {0};                                                                                 \
        for (size_t a = 0; a < axis; a++) {                                                                           \
          size_t at = (reverse ? axis - 1 - a : a) * inner + begin;                                                   \
          for (size_t i = 0; i < n; i++) {                                                                            \
            total before = sum[i];                                                                                    \
            sum[i] = before + (total)in[at + i];                                                                      \
            out[at + i] = (type)(exclusive ? before : sum[i]);                                                        \
          }                                                                                                           \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }
CK_CUMSUM(f32, float, double)
CK_CUMSUM(i32, int32_t, uint32_t)
