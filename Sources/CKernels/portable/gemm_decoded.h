// Quantized weights decoded into the packed layout of gemm_prepacked.h: a unit's weights of one K block, in scratch
// memory. Codes are transposed as 32-bit words first, so that a vector holds the codes of CK_W columns of the product.
#include "gemv_codes.h"
#include "lanes.h"
#include "prefetch.h"

/// Codes of a 32-bit word.
CK_INLINE size_t word_codes(int kind) { return kind == CK_CODES_4BIT ? 8 : 4; }

/// Floats of scratch memory for K blocks of `depth` elements: the weights, and for CK_W columns the words, scales and
/// offsets. Blocks have 16 elements at least, or are whole rows.
CK_INLINE size_t decoded_size(size_t depth) { return depth * 2 * CK_W + (depth / 4 + 2 + 2 * (depth / 16 + 2)) * CK_W; }

/// Transposes elements `first` ..< `last`, of 32 bits, of n rows, at most CK_W. The rows are `row_bytes` apart. The other
/// lanes are 0. Prefetches the same elements of the next unit.
CK_INLINE void words_turn(const void *rows, size_t row_bytes, size_t n, size_t first, size_t last, float *words) {
  for (size_t i = first; i < last; i += CK_W, words += CK_W * CK_W) {
    size_t count = last - i < CK_W ? last - i : CK_W;
    vf a[CK_W];
    for (size_t j = 0; j < CK_W; j++) {
      const float *line = (const float *)((const char *)rows + j * row_bytes) + i;
      if (j < n && (i - first) % 16 == 0) prefetch_later((const char *)line + 2 * CK_W * row_bytes);
      a[j] = j >= n ? (vf)0.0f : count == CK_W ? vf_load(line) : vf_load_n(line, count);
    }
    square_turn(a);
    for (size_t j = 0; j < count; j++) vf_store(words + j * CK_W, a[j]);
  }
}

/// Transposes scales or offsets `first` ..< `last` of n rows from `row` on.
CK_INLINE void entries_turn(
    const ck_quantized_matrix *w, const float *entries, size_t row, size_t n, size_t first, size_t last, float *to) {
  if (w->row_block == 1 && w->entries > 1) {
    words_turn(entries + row * w->entries, w->entries * sizeof *entries, n, first, last, to);
    return;
  }
  for (size_t j = 0; j < CK_W; j++) {
    const float *from = entries + (row + (j < n ? j : 0)) / w->row_block * w->entries;
    for (size_t i = first; i < last; i++) to[(i - first) * CK_W + j] = from[i];
  }
}

/// The weights of the codes in the lowest bits of `words`.
CK_INLINE vf decoded(vu words, const struct table16 *table, vf scale, vf offset, int kind, bool scaled, enum rounding rounding) {
  vf v = kind == CK_CODES_4BIT ? lookup16(table, (vi)words)
         : kind == CK_CODES_I8 ? vf_of_vi((vi)(words << 24) >> 24)
                               : vf_of_vi((vi)(words & 255u));
  if (!scaled) return v;
  if (rounding != ROUND_NORMAL) v -= offset;
  if (rounding == ROUND_NONE) return v * scale;
  if (rounding == ROUND_HALF) return vf_round_f16(v * scale);
  vf folded = v * (scale * CK_FOLD);
  return vf_fma(v, scale, folded) - folded;
}

/// Decodes elements `k_begin` ..< `k_end` of n weight rows from `row` on. Vectors of the result are `step` floats apart.
CK_INLINE void decode_lanes(
    const ck_quantized_matrix *w, size_t row, size_t n, size_t k_begin, size_t k_end, int kind, bool scaled,
    enum rounding rounding, float *words, float *to, size_t step) {
  const size_t per = word_codes(kind), bits = 32 / per, first = k_begin / per, last = (k_end + per - 1) / per;
  const size_t row_bytes = w->ldw / per * sizeof(uint32_t);
  words_turn((const char *)w->codes + row * row_bytes, row_bytes, n, first, last, words);
  const size_t first_entry = k_begin / w->block, last_entry = (k_end + w->block - 1) / w->block;
  float *scales = words + (last - first) * CK_W, *offsets = scales + (last_entry - first_entry) * CK_W;
  if (scaled) entries_turn(w, w->scale, row, n, first_entry, last_entry, scales);
  if (scaled && w->offset) entries_turn(w, w->offset, row, n, first_entry, last_entry, offsets);
  struct table16 table;
  for (size_t l = k_begin; l < k_end;) {
    const size_t number = l / w->block, next = (number + 1) * w->block, end = next < k_end ? next : k_end;
    const size_t place = (number - first_entry) * CK_W;
    const vf scale = scaled ? vf_load(scales + place) : (vf)1.0f;
    const vf offset = scaled && w->offset ? vf_load(offsets + place) : (vf)0.0f;
    if (kind == CK_CODES_4BIT) {
      const float *values = w->has_tables ? w->table + 16 * (row / w->row_block * w->entries + number) : w->table;
      for (int i = 0; i < 16 / CK_W; i++) table.part[i] = vf_load(values + i * CK_W);
    }
    while (l < end) {
      const float *word = words + (l / per - first) * CK_W;
      size_t skip = l % per, stop = l - skip + per < end ? l - skip + per : end;
      vu codes = (vu)vf_load(word) >> (uint32_t)(skip * bits);
      if (stop - l == per) {
#pragma clang loop unroll(full)
        for (size_t i = 0; i < per; i++) {
          vf_store(to + i * step, decoded(codes >> (uint32_t)(i * bits), &table, scale, offset, kind, scaled, rounding));
        }
        l = stop, to += per * step;
      } else {
        for (; l < stop; l++, to += step, codes >>= (uint32_t)bits) {
          vf_store(to, decoded(codes, &table, scale, offset, kind, scaled, rounding));
        }
      }
    }
  }
}

CK_INLINE void decode_kind(
    const ck_quantized_matrix *w, size_t row, size_t n, size_t k_begin, size_t k_end, int kind, enum rounding rounding,
    float *words, float *to, size_t step) {
#define CK_DECODE(scaled, rounding) decode_lanes(w, row, n, k_begin, k_end, kind, scaled, rounding, words, to, step)
  if (!w->scale) CK_DECODE(false, ROUND_NONE);
  else if (rounding == ROUND_NORMAL) CK_DECODE(true, ROUND_NORMAL);
  else if (rounding == ROUND_NORMAL_SHIFTED) CK_DECODE(true, ROUND_NORMAL_SHIFTED);
  else if (rounding == ROUND_HALF) CK_DECODE(true, ROUND_HALF);
  else CK_DECODE(true, ROUND_NONE);
#undef CK_DECODE
}

/// Decodes elements `k_begin` ..< `k_end` of n weight rows from `row` on into a unit of `lanes` columns. `to` has
/// decoded_size floats.
static void decode_unit(
    const ck_quantized_matrix *w, size_t row, size_t n, size_t lanes, size_t k_begin, size_t k_end, float *to) {
  float *words = to + (k_end - k_begin) * lanes;
  bool normal = w->rounds && w->normal;
  if (w->kind == CK_CODES_4BIT) normal = normal && !w->has_tables && values_are_short(w->table, 16);
  enum rounding rounding = normal ? (w->offset ? ROUND_NORMAL_SHIFTED : ROUND_NORMAL) : w->rounds ? ROUND_HALF : ROUND_NONE;
  for (size_t j = 0; j < lanes; j += CK_W) {
    size_t count = n <= j ? 0 : n - j < CK_W ? n - j : CK_W;
    if (count == 0) {
      for (size_t l = 0; l < k_end - k_begin; l++) vf_store(to + l * lanes + j, (vf)0.0f);
    } else if (w->kind == CK_CODES_4BIT) {
      decode_kind(w, row + j, count, k_begin, k_end, CK_CODES_4BIT, rounding, words, to + j, lanes);
    } else if (w->kind == CK_CODES_I8) {
      decode_kind(w, row + j, count, k_begin, k_end, CK_CODES_I8, rounding, words, to + j, lanes);
    } else {
      decode_kind(w, row + j, count, k_begin, k_end, CK_CODES_U8, rounding, words, to + j, lanes);
    }
  }
}
