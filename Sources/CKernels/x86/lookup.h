// Dequantization by table lookup with packed indices.
#include "../vector.h"

/// Looks up `n` indices of fewer than eight bits each, packed from the lowest bit up. `per` indices fill exactly
/// `bytes` bytes.
CK_INLINE void lookup_packed(
    size_t bits, size_t per, size_t bytes, const uint8_t *indices, const float *table, float *out, size_t n) {
  uint64_t mask = ((uint64_t)1 << bits) - 1;
  size_t i = 0;
  for (; i + per <= n; i += per, indices += bytes) {
    uint64_t word = 0;
    for (size_t b = 0; b < bytes; b++) word |= (uint64_t)indices[b] << (8 * b);
    for (size_t k = 0; k < per; k++) out[i + k] = table[word >> (bits * k) & mask];
  }
  size_t rest = n - i, rest_bytes = (rest * bits + 7) / 8;
  uint64_t word = 0;
  for (size_t b = 0; b < rest_bytes; b++) word |= (uint64_t)indices[b] << (8 * b);
  for (size_t k = 0; k < rest; k++) out[i + k] = table[word >> (bits * k) & mask];
}

#if defined(CK_TARGET_AVX512VBMI)
/// Processes indices of one, two, three, four or six bits, 64 at a time. Eight indices fill `bits` bytes. One
/// permutation moves these bytes to a 64-bit lane, and one instruction extracts the eight indices from it. Returns the
/// number of processed indices, a multiple of 64.
CK_INLINE size_t lookup_blocks(size_t bits, const uint8_t *indices, const float *table, float *out, size_t n) {
  size_t entries = (size_t)1 << bits;
  __m512 values[4];
  for (size_t part = 0; part < (entries + 15) / 16; part++) {
    values[part] = _mm512_maskz_loadu_ps(entries >= 16 ? 0xffff : (__mmask16)((1u << entries) - 1), table + 16 * part);
  }
  uint8_t from[64], shift[64];
  for (size_t lane = 0; lane < 64; lane++) {
    size_t byte = lane % 8;
    from[lane] = (uint8_t)(lane / 8 * bits + (byte < bits ? byte : 0));
    shift[lane] = (uint8_t)(byte * bits);
  }
  const __m512i spread = _mm512_loadu_si512(from), shifts = _mm512_loadu_si512(shift);
  const __m512i low = _mm512_set1_epi8((char)(entries - 1));
  const __mmask64 bytes = _bzhi_u64(~0ull, (unsigned)(8 * bits));
  size_t i = 0;
  for (; i + 64 <= n; i += 64, indices += 8 * bits) {
    __m512i packed = _mm512_permutexvar_epi8(spread, _mm512_maskz_loadu_epi8(bytes, indices));
    uint8_t each[64];
    _mm512_storeu_si512(each, _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, packed), low));
    for (size_t k = 0; k < 64; k += 16) {
      __m512i index = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(each + k)));
      __m512 value = bits <= 4 ? _mm512_permutexvar_ps(index, values[0])
                               : _mm512_permutex2var_ps(values[0], index, values[1]);
      if (bits == 6) {
        __m512 high = _mm512_permutex2var_ps(values[2], index, values[3]);
        value = _mm512_mask_blend_ps(_mm512_test_epi32_mask(index, _mm512_set1_epi32(32)), value, high);
      }
      _mm512_storeu_ps(out + i + k, value);
    }
  }
  return i;
}
#endif

bool CK_FN(lookup_f32)(size_t bits, const uint8_t *indices, const float *table, float *out, size_t n) {
#if defined(CK_TARGET_AVX512VBMI)
  size_t done = 0;
  switch (bits) {
    case 1: done = lookup_blocks(1, indices, table, out, n); break;
    case 2: done = lookup_blocks(2, indices, table, out, n); break;
    case 3: done = lookup_blocks(3, indices, table, out, n); break;
    case 4: done = lookup_blocks(4, indices, table, out, n); break;
    case 6: done = lookup_blocks(6, indices, table, out, n); break;
    default: break;
  }
  indices += done / 8 * bits;
  out += done;
  n -= done;
#endif
  switch (bits) {
    case 1: lookup_packed(1, 8, 1, indices, table, out, n); return true;
    case 2: lookup_packed(2, 4, 1, indices, table, out, n); return true;
    case 3: lookup_packed(3, 8, 3, indices, table, out, n); return true;
    case 4: {
      size_t i = 0;
#if defined(CK_TARGET_AVX512)
      const __m512 values = _mm512_loadu_ps(table);
      for (; i + 16 <= n; i += 16) {
        __m128i packed = _mm_loadl_epi64((const __m128i *)(indices + i / 2));
        __m128i both = _mm_unpacklo_epi8(packed, _mm_srli_epi16(packed, 4));  // the permutation uses four bits only
        _mm512_storeu_ps(out + i, _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(both), values));
      }
#elif defined(CK_TARGET_NEON)
      uint8x16x4_t values;  // one instruction looks up a table of 64 bytes
      for (int part = 0; part < 4; part++) values.val[part] = vld1q_u8((const uint8_t *)(table + 4 * part));
      for (; i + 8 <= n; i += 8) {
        uint8_t both[8];
        for (size_t k = 0; k < 4; k++) both[2 * k] = indices[i / 2 + k] & 15, both[2 * k + 1] = indices[i / 2 + k] >> 4;
        uint16x8_t each = vmovl_u8(vld1_u8(both));
        vu low = vmovl_u16(vget_low_u16(each)), high = vmovl_u16(vget_high_u16(each));
        vst1q_u8((uint8_t *)(out + i), vqtbl4q_u8(values, (uint8x16_t)(low * 0x04040404u + 0x03020100u)));
        vst1q_u8((uint8_t *)(out + i + 4), vqtbl4q_u8(values, (uint8x16_t)(high * 0x04040404u + 0x03020100u)));
      }
#endif
      lookup_packed(4, 2, 1, indices + i / 2, table, out + i, n - i);
      return true;
    }
    case 6: lookup_packed(6, 4, 3, indices, table, out, n); return true;
    case 8:
      for (size_t i = 0; i < n; i++) out[i] = table[indices[i]];
      return true;
    default: return false;
  }
}
