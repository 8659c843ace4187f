// Attention of one query. Keys and values are read once, in place and in their storage type. Included by attention.h.
#include "../f16.h"

/// Loads CK_W elements from index `at`, or the first `lanes` of them and zeros.
CK_INLINE vf stored_lanes(ck_stored stored, const void *from, ptrdiff_t at, size_t lanes) {
  if (stored == CK_STORED_F16) {
    const uint16_t *f16 = (const uint16_t *)from + at;
    if (lanes == CK_W) return vf_from_f16(f16);
    uint16_t some[CK_W] = {0};
    memcpy(some, f16, lanes * sizeof *some);
    return vf_from_f16(some);
  }
  const float *floats = (const float *)from + at;
  vf v = lanes == CK_W ? vf_load(floats) : vf_load_n(floats, lanes);
  return stored == CK_STORED_F32_ROUNDED ? vf_round_f16(v) : v;
}

/// scores[k] = dot product of the query with key k, for `count` keys of `depth` elements.
CK_INLINE void scores_of(
    ck_stored stored, const float *query, ptrdiff_t query_column, size_t depth, const void *keys, ck_strides step, size_t count,
    float *scores) {
  ptrdiff_t at = 0;
  if (query_column != 1 || step.column != 1) {
    for (size_t k = 0; k < count; k++, at += step.row) {
      float sum = 0;
      for (size_t d = 0; d < depth; d++)
        sum += query[(ptrdiff_t)d * query_column] * stored_lanes(stored, keys, at + (ptrdiff_t)d * step.column, 1)[0];
      scores[k] = sum;
    }
    return;
  }
  size_t whole = depth / CK_W * CK_W, rest = depth - whole;
  for (size_t k = 0; k < count; k++, at += step.row) {
    vf sum = 0, more = 0;
    size_t d = 0;
    for (; d + 2 * CK_W <= whole; d += 2 * CK_W) {
      sum = vf_fma(vf_load(query + d), stored_lanes(stored, keys, at + (ptrdiff_t)d, CK_W), sum);
      more = vf_fma(vf_load(query + d + CK_W), stored_lanes(stored, keys, at + (ptrdiff_t)(d + CK_W), CK_W), more);
    }
    if (d < whole) sum = vf_fma(vf_load(query + d), stored_lanes(stored, keys, at + (ptrdiff_t)d, CK_W), sum);
    if (rest > 0) more = vf_fma(vf_load_n(query + whole, rest), stored_lanes(stored, keys, at + (ptrdiff_t)whole, rest), more);
    scores[k] = vf_sum(sum + more);
  }
}

static void few_scores(const ck_attention *a, const float *query, const ck_attention_part *part, float *scores) {
#define CK_SCORES(STORED) scores_of(STORED, query, a->query.column, a->depth, part->keys, part->key, part->count, scores)
  switch (part->key_stored) {
    case CK_STORED_F16: CK_SCORES(CK_STORED_F16); break;
    case CK_STORED_F32_ROUNDED: CK_SCORES(CK_STORED_F32_ROUNDED); break;
    default: CK_SCORES(CK_STORED_F32); break;
  }
#undef CK_SCORES
}

/// Adds the weighted values to up to four vectors of the result.
CK_INLINE void few_values(
    ck_stored stored, int vectors, const float *shares, const void *values, ptrdiff_t at, ptrdiff_t row, size_t count,
    size_t last, float *sums) {
  vf sum[4];
#pragma clang loop unroll(full)
  for (int j = 0; j < vectors; j++) sum[j] = vf_load(sums + j * CK_W);
  for (size_t k = 0; k < count; k++, at += row) {
    vf share = shares[k];
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++)
      sum[j] = vf_fma(share, stored_lanes(stored, values, at + j * CK_W, j + 1 < vectors ? CK_W : last), sum[j]);
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < vectors; j++) vf_store(sums + j * CK_W, sum[j]);
}

/// Adds a part's weighted values to the `width` elements of the result.
CK_INLINE void values_of(ck_stored stored, const ck_attention_part *part, size_t width, const float *shares, float *results) {
  const void *values = part->values;
  ck_strides step = part->value;
  size_t count = part->count;
  for (size_t w = 0; w < width; w += 4 * CK_W) {
    size_t left = width - w < 4 * CK_W ? width - w : 4 * CK_W, last = left - (blocks_of(left) - 1) * CK_W;
    float *to = results + w;
    ptrdiff_t at = (ptrdiff_t)w * step.column;
    if (step.column != 1) {
      for (size_t i = 0; i < left; i++, at += step.column) {
        for (size_t k = 0; k < count; k++) to[i] += shares[k] * stored_lanes(stored, values, at + (ptrdiff_t)k * step.row, 1)[0];
      }
      continue;
    }
    switch (blocks_of(left)) {
      case 1: few_values(stored, 1, shares, values, at, step.row, count, last, to); break;
      case 2: few_values(stored, 2, shares, values, at, step.row, count, last, to); break;
      case 3: few_values(stored, 3, shares, values, at, step.row, count, last, to); break;
      default: few_values(stored, 4, shares, values, at, step.row, count, last, to); break;
    }
  }
}

static void add_values(const ck_attention_part *part, size_t width, const float *shares, float *results) {
  switch (part->value_stored) {
    case CK_STORED_F16: values_of(CK_STORED_F16, part, width, shares, results); break;
    case CK_STORED_F32_ROUNDED: values_of(CK_STORED_F32_ROUNDED, part, width, shares, results); break;
    default: values_of(CK_STORED_F32, part, width, shares, results); break;
  }
}

size_t CK_FN(attention_few_scratch_size)(const ck_attention *a) {
  return (blocks_of(a->keys) + blocks_of(a->width) + 2) * CK_W;
}

void CK_FN(attention_few_f32)(
    const ck_attention *a, const float *query, const ck_attention_part *parts, size_t part_count,
    const ck_score_mask *masks, size_t mask_count, size_t number, float *out, float *scratch) {
  size_t blocks = blocks_of(a->keys), wide = blocks_of(a->width), key = 0;
  float *scores = scratch, *results = scratch + blocks * CK_W, *sums = results + wide * CK_W, most = -INFINITY;
  memset(results, 0, (wide + 1) * CK_W * sizeof *results);
  for (size_t p = 0; p < part_count; key += parts[p++].count)
    few_scores(a, query, parts + p, scores + key);
  for (; key < blocks * CK_W; key++) scores[key] = -INFINITY;
  for (size_t b = 0; b < blocks; b++) {
    size_t lanes = a->keys - b * CK_W;
    vf v = a->scale * vf_load(scores + b * CK_W);
    vf_store(scores + b * CK_W, lanes < CK_W ? vf_keep_n(v, lanes, -INFINITY) : v);
  }
  if (mask_count > 0) mask_scores(masks, mask_count, number, 0, scores, CK_W, a->keys);
  soften(scores, CK_W, blocks, &most, sums, results, CK_W, 0);
  const float *shares = scores;
  for (size_t p = 0; p < part_count; shares += parts[p++].count) add_values(parts + p, a->width, shares, results);
  finish_rows(a, results, 1, sums, out, 1);
}
