// Assembles the channels of one output block from lanes of several input blocks. Concat and split at channels that are
// not multiples of CK_W use it, and channel permutations.
#include "../window.h"

#if defined(CK_TARGET_AVX512)
CK_INLINE vf moved(vf v, vf from, vi lanes) {
  return _mm512_mask_permutexvar_ps(v, _mm512_cmpge_epi32_mask((__m512i)lanes, _mm512_setzero_si512()), (__m512i)lanes, from);
}
#elif defined(CK_TARGET_AVX2)
CK_INLINE vf moved(vf v, vf from, vi lanes) {
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(from, (__m256i)lanes), v, (__m256)lanes);
}
#elif defined(CK_TARGET_NEON)
/// Converts lane indices to byte indices. A negative lane gives indices beyond the table, for which the instruction
/// keeps the old value.
CK_INLINE vf moved(vf v, vf from, vi lanes) {
  vu bytes = (vu)lanes * 0x04040404u + 0x03020100u;
  return (vf)vqtbx1q_u8((uint8x16_t)v, (uint8x16_t)from, (uint8x16_t)bytes);
}
#else
CK_INLINE vf moved(vf v, vf from, vi lanes) {
  for (int i = 0; i < CK_W; i++) v[i] = lanes[i] < 0 ? v[i] : from[lanes[i] & (CK_W - 1)];
  return v;
}
#endif

/// Combines `count` parts for all positions. A part replaces lane i of the result by its lane `lanes[i]`, unless that
/// index is negative. Lanes that no part replaces are 0.
CK_INLINE void move_parts(int count, const ck_block_part *parts, float *out, size_t area) {
  vi lanes[CK_W];
#pragma clang loop unroll(full)
  for (int j = 0; j < count; j++) lanes[j] = vi_load(parts[j].lanes);
  for (size_t i = 0; i < area * CK_W; i += CK_W) {
    vf v = 0;
#pragma clang loop unroll(full)
    for (int j = 0; j < count; j++) v = moved(v, vf_load(parts[j].in + i), lanes[j]);
    vf_store(out + i, v);
  }
}

void CK_FN(block_move_f32)(const ck_block_part *parts, size_t count, float *out, size_t area) {
  if (count == 1) {
    move_parts(1, parts, out, area);
  } else if (count == 2) {
    move_parts(2, parts, out, area);
  } else if (count == 3) {
    move_parts(3, parts, out, area);
  } else if (count == 4) {
    move_parts(4, parts, out, area);
  } else {
    for (size_t i = 0; i < area * CK_W; i += CK_W) {
      vf v = 0;
      for (size_t j = 0; j < count; j++) v = moved(v, vf_load(parts[j].in + i), vi_load(parts[j].lanes));
      vf_store(out + i, v);
    }
  }
}
