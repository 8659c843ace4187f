// Numbers as whole steps of a scale: what a byte keeps.
#pragma once
#include "vexp.h"

/// The integer nearest to the exact x / s, ties to even, as far as 1024 either way; NaN (0 / 0 too) gives 0.
///
/// A quotient that was rounded may lie on a tie, or beyond it, where the exact one does not: what is left of x tells. Products of an integer of
/// eleven bits and half of the digits of s are exact, and so are both differences, with or without fused multiplications.
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
