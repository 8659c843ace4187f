// Cumulative sums of [outer, axis, inner] along the middle axis. Lines (inner = 1) are processed by vectors: a sum over
// the lanes, then the carry is added. Otherwise tiles of columns run down the axis. Float sums are kept in double, so
// each result is rounded once whatever the axis length.
#include "../vector.h"

enum {
  HALF = CK_W / 2,  // doubles of a register
  TILE = 4,         // vectors of columns whose sums stay in registers
};
typedef __attribute__((ext_vector_type(HALF))) float hf;
typedef __attribute__((ext_vector_type(HALF))) double hd;

// Moves the lanes of `v` up by `step`, or down if `step` is negative, and fills with `zero`. A lane is only added to
// lanes that follow it, so a NaN or an infinity reaches the same results as in a scalar loop.
#define CK_FROM(lane, step) ((lane) >= (step) && (lane) - (step) < HALF ? (lane) - (step) : HALF)
#if CK_W == 16
#define CK_MOVE(v, zero, s)                                                                                     \
  __builtin_shufflevector(                                                                                      \
      v, zero, CK_FROM(0, s), CK_FROM(1, s), CK_FROM(2, s), CK_FROM(3, s), CK_FROM(4, s), CK_FROM(5, s),        \
      CK_FROM(6, s), CK_FROM(7, s))
#define CK_EACH_MOVE(F) F(1) F(2) F(4)
#elif CK_W == 8
#define CK_MOVE(v, zero, s) \
  __builtin_shufflevector(v, zero, CK_FROM(0, s), CK_FROM(1, s), CK_FROM(2, s), CK_FROM(3, s))
#define CK_EACH_MOVE(F) F(1) F(2)
#else
#define CK_MOVE(v, zero, s) __builtin_shufflevector(v, zero, CK_FROM(0, s), CK_FROM(1, s))
#define CK_EACH_MOVE(F) F(1)
#endif

/// The zeros that fill moved lanes. With AVX-512 the compiler must not know the value. Otherwise it would use a masked
/// expand, which takes three operations on the shuffle port. A two-register permutation takes one.
CK_INLINE hd filling_zero(void) {
  hd zero = 0;
#if defined(CK_TARGET_AVX512)
  __asm__("" : "+v"(zero));
#endif
  return zero;
}

/// The inclusive prefix sum over the lanes, or suffix sum if `reverse`.
CK_INLINE hd sum_lanes(hd v, hd zero, bool reverse) {
#define CK_STEP(step) v += reverse ? CK_MOVE(v, zero, -step) : CK_MOVE(v, zero, step);
  CK_EACH_MOVE(CK_STEP)
#undef CK_STEP
  return v;
}

/// The next CK_W results of a line. `carry` holds the sum of all previous elements in every lane. Only one addition
/// depends on the previous vector; the work among lanes overlaps.
CK_INLINE vf cumsum_next(vf x, hd *carry, hd zero, bool exclusive, bool reverse) {
  hd first = sum_lanes(__builtin_convertvector(reverse ? x.hi : x.lo, hd), zero, reverse);
  hd second = sum_lanes(__builtin_convertvector(reverse ? x.lo : x.hi, hd), zero, reverse);
  hd first_total = (hd)first[reverse ? 0 : HALF - 1], second_total = (hd)second[reverse ? 0 : HALF - 1];
  if (exclusive) {
    // Subtracting the element from the inclusive sum would give NaN at an infinity.
    first = reverse ? CK_MOVE(first, zero, -1) : CK_MOVE(first, zero, 1);
    second = reverse ? CK_MOVE(second, zero, -1) : CK_MOVE(second, zero, 1);
  }
  hf near = __builtin_convertvector(*carry + first, hf);
  hf far = __builtin_convertvector(*carry + (first_total + second), hf);
  *carry += first_total + second_total;
  vf y;
  y.lo = reverse ? far : near;
  y.hi = reverse ? near : far;
  return y;
}

CK_INLINE void cumsum_line(const float *in, float *out, size_t n, bool exclusive, bool reverse) {
  const hd zero = filling_zero();
  hd carry = 0;
  size_t left = n;
  for (; left >= CK_W; left -= CK_W) {
    size_t at = reverse ? left - CK_W : n - left;
    vf_store(out + at, cumsum_next(vf_load(in + at), &carry, zero, exclusive, reverse));
  }
  if (left == 0) return;
  // Lanes beyond the remainder are zeros. With `reverse` they come first, which is harmless.
  size_t at = reverse ? 0 : n - left;
  vf_store_n(out + at, cumsum_next(vf_load_n(in + at, left), &carry, zero, exclusive, reverse), left);
}

/// Processes V vectors of columns. The last one has `lanes` valid lanes if that is below CK_W.
CK_INLINE void cumsum_columns(
    const float *in, float *out, size_t axis, size_t stride, int V, size_t lanes, bool exclusive, bool reverse) {
  vd sum[TILE];
  for (int v = 0; v < V; v++) sum[v] = 0;
  for (size_t a = 0; a < axis; a++) {
    size_t at = (reverse ? axis - 1 - a : a) * stride;
    for (int v = 0; v < V; v++, at += CK_W) {
      vd before = sum[v];
      sum[v] += vd_of(lanes < CK_W ? vf_load_n(in + at, lanes) : vf_load(in + at));
      vf y = vf_of_vd(exclusive ? before : sum[v]);
      if (lanes < CK_W) {
        vf_store_n(out + at, y, lanes);
      } else {
        vf_store(out + at, y);
      }
    }
  }
}

CK_INLINE void cumsum(
    const float *in, float *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {
  for (size_t o = 0; o < outer; o++, in += axis * inner, out += axis * inner) {
    if (inner == 1) {
      cumsum_line(in, out, axis, exclusive, reverse);
      continue;
    }
    size_t i = 0;
    for (; i + TILE * CK_W <= inner; i += TILE * CK_W)
      cumsum_columns(in + i, out + i, axis, inner, TILE, CK_W, exclusive, reverse);
    for (; i + CK_W <= inner; i += CK_W) cumsum_columns(in + i, out + i, axis, inner, 1, CK_W, exclusive, reverse);
    if (i < inner) cumsum_columns(in + i, out + i, axis, inner, 1, inner - i, exclusive, reverse);
  }
}

void CK_FN(cumsum_f32)(
    const float *in, float *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {
  // Inlined four times, so that the inner loops have no conditions.
  if (exclusive && reverse) {
    cumsum(in, out, outer, axis, inner, true, true);
  } else if (exclusive) {
    cumsum(in, out, outer, axis, inner, true, false);
  } else if (reverse) {
    cumsum(in, out, outer, axis, inner, false, true);
  } else {
    cumsum(in, out, outer, axis, inner, false, false);
  }
}

// int32: lines are processed by whole vectors too, all lanes in one step. Sums wrap, so their order does not matter.

#define CK_BELOW(lane, s) ((lane) < (s) ? CK_W : (lane) - (s))
#define CK_FOUR_BELOW(lane, s) CK_BELOW(lane, s), CK_BELOW(lane + 1, s), CK_BELOW(lane + 2, s), CK_BELOW(lane + 3, s)
#if CK_W == 16
#define CK_UP(v, s)                                                                                     \
  __builtin_shufflevector(                                                                              \
      v, (vu){0}, CK_FOUR_BELOW(0, s), CK_FOUR_BELOW(4, s), CK_FOUR_BELOW(8, s), CK_FOUR_BELOW(12, s))
#define CK_EACH_UP(F) F(1) F(2) F(4) F(8)
#define CK_TURNED(v) __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#elif CK_W == 8
#define CK_UP(v, s) __builtin_shufflevector(v, (vu){0}, CK_FOUR_BELOW(0, s), CK_FOUR_BELOW(4, s))
#define CK_EACH_UP(F) F(1) F(2) F(4)
#define CK_TURNED(v) __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#else
#define CK_UP(v, s) __builtin_shufflevector(v, (vu){0}, CK_FOUR_BELOW(0, s))
#define CK_EACH_UP(F) F(1) F(2)
#define CK_TURNED(v) __builtin_shufflevector(v, v, 3, 2, 1, 0)
#endif

CK_INLINE void cumsum_whole_line(const int32_t *in, int32_t *out, size_t n, bool exclusive, bool reverse) {
  uint32_t before = 0;
  size_t k = 0;
  for (; k + CK_W <= n; k += CK_W) {
    size_t at = reverse ? n - CK_W - k : k;
    vu sums = (vu)vi_load(in + at);
    if (reverse) sums = CK_TURNED(sums);
#define CK_STEP(step) sums += CK_UP(sums, step);
    CK_EACH_UP(CK_STEP)
#undef CK_STEP
    vu y = (exclusive ? CK_UP(sums, 1) : sums) + before;
    vi_store(out + at, (vi)(reverse ? CK_TURNED(y) : y));
    before += sums[CK_W - 1];
  }
  for (; k < n; k++) {
    size_t at = reverse ? n - 1 - k : k;
    uint32_t with = before + (uint32_t)in[at];
    out[at] = (int32_t)(exclusive ? before : with);
    before = with;
  }
}

enum { WHOLE_TILE = 64 };

void CK_FN(cumsum_i32)(
    const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {
  for (size_t o = 0; o < outer; o++, in += axis * inner, out += axis * inner) {
    if (inner == 1) {
      cumsum_whole_line(in, out, axis, exclusive, reverse);
      continue;
    }
    for (size_t begin = 0; begin < inner; begin += WHOLE_TILE) {
      size_t n = inner - begin < WHOLE_TILE ? inner - begin : WHOLE_TILE;
      uint32_t sum[WHOLE_TILE] = {0};
      for (size_t a = 0; a < axis; a++) {
        size_t at = (reverse ? axis - 1 - a : a) * inner + begin;
        for (size_t i = 0; i < n; i++) {
          uint32_t before = sum[i];
          sum[i] += (uint32_t)in[at + i];
          out[at + i] = (int32_t)(exclusive ? before : sum[i]);
        }
      }
    }
  }
}
