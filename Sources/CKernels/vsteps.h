// Rounding to integer multiples of a quantization scale.
#pragma once
#include "vexp.h"

/// The integer nearest to the exact x / s, ties to even, clamped to +-1024. NaN (also 0 / 0) gives 0.
///
/// The rounded quotient may be on a tie, or beyond it, where the exact quotient is not; the remainder of x decides.
/// Products of an 11-bit integer and half of the digits of s are exact, and so are both differences, with or without
/// FMA.
CK_INLINE vf vf_nearest_step(vf x, vf s) {
  vf r = vf_clamp_nan(x / s, -1024.0f, 1024.0f);
  r = r != r ? (vf){0} : r;
  r = (r + CK_ROUND_MAGIC) - CK_ROUND_MAGIC;
  vf high = (vf)((vu)s & 0xfffff000u), low = s - high;
  vf rest = (x - r * high) - r * low, half = 0.5f * vf_abs(s);
  rest = s < 0.0f ? -rest : rest;
  r = rest > half ? r + 1.0f : r;
  return rest < -half ? r - 1.0f : r;
}
