// Loads and window geometry for convolution and pooling.
#pragma once
#include "vector.h"

/// Lanes first ... first + CK_W - 1 of a row of `length` values. Lanes outside are `fill`; memory there is not
/// accessed.
CK_INLINE vf row_load(const float *row, ptrdiff_t first, ptrdiff_t length, float fill) {
  // No branches: convolutions call this with the same arguments for several rows, so the compiler computes the masks
  // once.
  ptrdiff_t low = first < 0 ? -first : 0, high = length - first < CK_W ? length - first : CK_W;
  low = low > CK_W ? CK_W : low;
  high = high < 0 ? 0 : high;
#if defined(CK_TARGET_AVX512)
  __mmask16 mask = (__mmask16)(_bzhi_u32(0xffffu, (unsigned)high) & ~_bzhi_u32(0xffffu, (unsigned)low));
  return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), mask, row + first);
#elif defined(CK_TARGET_AVX2)
  vi lane = vi_lanes();
  vi inside = (lane >= (int32_t)low) & (lane < (int32_t)high);
  vf v = _mm256_maskload_ps(row + first, (__m256i)inside);
  return inside ? v : (vf)fill;
#elif defined(CK_TARGET_NEON)
  if (low == 0 && high == CK_W) return vf_load(row + first);
  vf v = fill;
  for (ptrdiff_t i = low; i < high; i++) v[i] = row[first + i];
  return v;
#else
  vf v = fill;
  for (ptrdiff_t i = low; i < high; i++) v[i] = row[first + i];
  return v;
#endif
}

CK_INLINE vf vf_even(vf a, vf b) {
#if CK_W == 16
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif CK_W == 8
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#else
  return __builtin_shufflevector(a, b, 0, 2, 4, 6);
#endif
}
CK_INLINE vf vf_odd(vf a, vf b) {
#if CK_W == 16
  return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif CK_W == 8
  return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
  return __builtin_shufflevector(a, b, 1, 3, 5, 7);
#endif
}

/// Values first, first + stride, ... of a row, `fill` outside. `inside` promises first >= 0 and first + stride * CK_W
/// <= length, so that whole vectors can be read.
CK_INLINE vf row_load_strided(
    const float *row, ptrdiff_t first, ptrdiff_t stride, ptrdiff_t length, bool inside, float fill) {
  if (stride == 1) return inside ? vf_load(row + first) : row_load(row, first, length, fill);
  if (stride == 2) {
    return inside ? vf_even(vf_load(row + first), vf_load(row + first + CK_W))
                  : vf_even(row_load(row, first, length, fill), row_load(row, first + CK_W, length, fill));
  }
  vf v = fill;
  for (int i = 0; i < CK_W; i++, first += stride) {
    if (first >= 0 && first < length) v[i] = row[first];
  }
  return v;
}

/// Stores the first `count` lanes, all of them if count >= CK_W.
CK_INLINE void row_store(float *out, vf v, ptrdiff_t count) {
  if (count >= CK_W) {
    vf_store(out, v);
  } else {
    vf_store_n(out, v, (size_t)count);
  }
}

struct taps {
  ptrdiff_t begin, end;
};

/// The kernel positions begin ..< end whose input start + k * dilation is in 0 ..< length.
CK_INLINE struct taps taps_inside(ptrdiff_t start, ptrdiff_t dilation, ptrdiff_t kernel, ptrdiff_t length) {
  ptrdiff_t begin = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
  ptrdiff_t end = start >= length ? 0 : (length - 1 - start) / dilation + 1;
  if (begin > kernel) begin = kernel;
  if (end > kernel) end = kernel;
  if (end < begin) end = begin;
  return (struct taps){begin, end};
}

/// An activation that is a clamp is applied to vectors before they are stored. Others need a pass over the row.
struct clamp {
  float low, high;
  bool complete;
};

CK_INLINE struct clamp clamp_of(const ck_epilogue *epilogue) {
  switch (epilogue->activation) {
    case CK_UNARY_IDENTITY: return (struct clamp){-INFINITY, INFINITY, true};
    case CK_UNARY_RELU: return (struct clamp){0, INFINITY, true};
    case CK_UNARY_RELU6: return (struct clamp){0, 6, true};
    case CK_UNARY_CLIP: return (struct clamp){epilogue->alpha, epilogue->beta, true};
    default: return (struct clamp){-INFINITY, INFINITY, false};
  }
}

CK_INLINE vf vf_clamp(vf v, struct clamp c) { return vf_clamp_nan(v, c.low, c.high); }
