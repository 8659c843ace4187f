// The weights of a quantized matrix: 4-bit and 8-bit codes are looked up, shifted, scaled and rounded in registers.
#pragma once
#include "../f16.h"

/// The values of sixteen codes.
struct table16 {
  vf part[16 / CK_W];
};

CK_INLINE vf lookup16(const struct table16 *table, vi index) {
#if defined(CK_TARGET_AVX512)
  return _mm512_permutexvar_ps((__m512i)index, table->part[0]);
#elif defined(CK_TARGET_AVX2)
  __m256 low = _mm256_permutevar8x32_ps(table->part[0], (__m256i)index);
  __m256 high = _mm256_permutevar8x32_ps(table->part[1], (__m256i)index);
  return _mm256_blendv_ps(low, high, (__m256)(index << 28));  // bit 3 of the index
#elif defined(CK_TARGET_NEON)
  uint8x16x4_t bytes;
  for (int i = 0; i < 4; i++) bytes.val[i] = (uint8x16_t)table->part[i];
  return (vf)vqtbl4q_u8(bytes, (uint8x16_t)(((vu)index & 15) * 0x04040404u + 0x03020100u));
#else
  vf v;
  for (int i = 0; i < CK_W; i++) v[i] = ((const float *)table->part)[index[i] & 15];
  return v;
#endif
}

/// Permutes lanes from column order to the order in which codes of this kind are loaded, or back. Only 4-bit codes with
/// AVX-512 have a different order: column 0, column 8, column 1, column 9, and so on.
CK_INLINE vf ordered(vf v, int kind, bool back) {
#if defined(CK_TARGET_AVX512)
  const __m512i codes = _mm512_set_epi32(15, 7, 14, 6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0);
  const __m512i columns = _mm512_set_epi32(15, 13, 11, 9, 7, 5, 3, 1, 14, 12, 10, 8, 6, 4, 2, 0);
  return kind == CK_CODES_4BIT ? (vf)_mm512_permutexvar_ps(back ? columns : codes, v) : v;
#else
  (void)kind, (void)back;
  return v;
#endif
}

/// Loads the values of CK_W 4-bit codes from `p` on, in load order. Lookups use four bits of a lane only, so the bits
/// above them do not matter.
CK_INLINE vf load_nibbles(const uint8_t *p, const struct table16 *table) {
#if defined(CK_TARGET_AVX512)
  // Shifts each 32-bit half of the repeated eight bytes so that its own code is in the lowest bits. A load and a shift
  // do not delay the lookups.
  const __m512i starts = _mm512_set_epi32(28, 28, 24, 24, 20, 20, 16, 16, 12, 12, 8, 8, 4, 4, 0, 0);
  int64_t codes;
  memcpy(&codes, p, sizeof codes);
  return lookup16(table, (vi)_mm512_srlv_epi32(_mm512_set1_epi64(codes), starts));
#elif defined(CK_TARGET_AVX2)
  int32_t codes;
  memcpy(&codes, p, sizeof codes);
  return lookup16(table, (vi)_mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_set_epi32(28, 24, 20, 16, 12, 8, 4, 0)));
#elif defined(CK_TARGET_NEON)
  uint16_t codes;
  memcpy(&codes, p, sizeof codes);
  return lookup16(table, (vi)((vu)(uint32_t)codes >> (vu){0, 4, 8, 12}));
#else
  vi index;
  for (int i = 0; i < CK_W; i++) index[i] = p[i / 2] >> (i % 2 * 4);
  return lookup16(table, index);
#endif
}

CK_INLINE vf load_codes(const uint8_t *p, const struct table16 *table, int kind) {
  if (kind == CK_CODES_4BIT) return load_nibbles(p, table);
  if (kind == CK_CODES_I8) {
    vsb q;
    memcpy(&q, p, sizeof q);
    return vf_of_vi(__builtin_convertvector(q, vi));
  }
  vb q;
  memcpy(&q, p, sizeof q);
  return vf_of_vi(__builtin_convertvector(q, vi));
}

/// How weights are rounded: not at all, or to fp16. The last two give the results of ROUND_HALF in fewer instructions,
/// for short values and entries that ck_rounds_normally accepts: without offsets, and with offsets. A product then has
/// at most 21 bits, and is 0 or within the normal numbers of fp16.
enum rounding { ROUND_NONE, ROUND_HALF, ROUND_NORMAL, ROUND_NORMAL_SHIFTED };

// A product p of at most 24 bits is rounded to the 11 bits of fp16, ties to even, by (p + fold p) - fold p. The last bit
// of the sum has the weight of the eleventh bit of p, and no other step rounds.
#define CK_FOLD 8192.0f

/// The largest magnitude of short values.
#define CK_MOST_VALUE 256.0f

/// Whether all values are integers of at most CK_MOST_VALUE.
CK_INLINE bool values_are_short(const float *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!(values[i] >= -CK_MOST_VALUE && values[i] <= CK_MOST_VALUE) || values[i] != (float)(int32_t)values[i]) return false;
  }
  return true;
}

/// The parameters that convert a block's codes to weights. For 4-bit codes the table contains scale, offset and
/// rounding.
struct entry {
  struct table16 table;
  vf scale, offset;
};

/// A weight without rounding, or with ROUND_HALF.
CK_INLINE vf weight_of(vf v, const struct entry *e, enum rounding rounding) {
  v = (v - e->offset) * e->scale;
  return rounding == ROUND_NONE ? v : vf_round_f16(v);
}

/// The table of 4-bit values that entries share, and the exact multiples of its values that ROUND_NORMAL reads.
struct values {
  struct table16 plain, folded, sum;
};

CK_INLINE struct values values_read(const float *table) {
  struct values v;
  for (int i = 0; i < 16 / CK_W; i++) {
    v.plain.part[i] = vf_load(table + i * CK_W);
    v.folded.part[i] = v.plain.part[i] * -CK_FOLD;
    v.sum.part[i] = v.plain.part[i] * (CK_FOLD + 1);
  }
  return v;
}

/// Reads entry `at`. `values` holds the table of 4-bit codes.
CK_INLINE void entry_read(
    struct entry *e, const struct values *values, const float *scale, const float *offset, size_t at, int kind,
    enum rounding rounding) {
  if (rounding == ROUND_NONE && !scale) {
    e->table = values->plain;
    return;
  }
  e->scale = scale[at];
  e->offset = rounding == ROUND_NORMAL || (rounding != ROUND_NORMAL_SHIFTED && !offset) ? 0.0f : offset[at];
  if (kind != CK_CODES_4BIT) return;
  for (int i = 0; i < 16 / CK_W; i++) {
    vf v = values->plain.part[i];
    if (rounding == ROUND_NORMAL) {
      v = vf_fma(values->folded.part[i], e->scale, values->sum.part[i] * e->scale);
    } else if (rounding == ROUND_NORMAL_SHIFTED) {
      v = (v - e->offset) * e->scale;
      v = vf_fma(v, (vf)-CK_FOLD, vf_fma(v, (vf)CK_FOLD, v));
    } else {
      v = weight_of(v, e, rounding);
    }
    e->table.part[i] = v;
  }
}

/// The weights of CK_W codes from `p` on, in load order.
CK_INLINE vf weights_of(const uint8_t *p, const struct entry *e, int kind, enum rounding rounding) {
  vf v = load_codes(p, &e->table, kind);
  if (kind == CK_CODES_4BIT) return v;
  if (rounding == ROUND_NONE || rounding == ROUND_HALF) return weight_of(v, e, rounding);
  if (rounding == ROUND_NORMAL_SHIFTED) {
    v = (v - e->offset) * e->scale;
    return vf_fma(v, (vf)-CK_FOLD, vf_fma(v, (vf)CK_FOLD, v));
  }
  vf folded = v * (e->scale * CK_FOLD);
  return vf_fma(v, e->scale, folded) - folded;
}
