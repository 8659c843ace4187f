// Attention of one query: keys and values are read once, where they are. Included by attention.h.

/// Of `count` keys the products with the query, `depth` numbers each.
static void few_scores(
    const float *query, ptrdiff_t query_column, size_t depth, const float *keys, ck_steps step, size_t count, float *scores) {
  if (query_column != 1 || step.column != 1) {
    for (size_t k = 0; k < count; k++, keys += step.row) {
      float sum = 0;
      for (size_t d = 0; d < depth; d++) sum += query[(ptrdiff_t)d * query_column] * keys[(ptrdiff_t)d * step.column];
      scores[k] = sum;
    }
    return;
  }
  size_t whole = depth / CK_W * CK_W, rest = depth - whole;
  for (size_t k = 0; k < count; k++, keys += step.row) {
    vf sum = 0, more = 0;
    size_t d = 0;
    for (; d + 2 * CK_W <= whole; d += 2 * CK_W) {
      sum = vf_fma(vf_load(query + d), vf_load(keys + d), sum);
      more = vf_fma(vf_load(query + d + CK_W), vf_load(keys + d + CK_W), more);
    }
    if (d < whole) sum = vf_fma(vf_load(query + d), vf_load(keys + d), sum);
    if (rest > 0) more = vf_fma(vf_load_n(query + whole, rest), vf_load_n(keys + whole, rest), more);
    scores[k] = vf_sum(sum + more);
  }
}

/// Adds the values by their shares to up to four vectors of the result.
CK_INLINE void few_values(
    int vectors, const float *shares, const float *values, ck_steps step, size_t count, size_t last, float *sums) {
  vf sum[4];
#pragma clang loop unroll(full)
  for (int j = 0; j < vectors; j++) sum[j] = vf_load(sums + j * CK_W);
  for (size_t k = 0; k < count; k++, values += step.row) {
    vf share = shares[k];
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) {
      const float *from = values + j * CK_W;
      sum[j] = vf_fma(share, j + 1 < vectors || last == CK_W ? vf_load(from) : vf_load_n(from, last), sum[j]);
    }
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < vectors; j++) vf_store(sums + j * CK_W, sum[j]);
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
    few_scores(query, a->query.column, a->depth, parts[p].keys, parts[p].key, parts[p].count, scores + key);
  for (; key < blocks * CK_W; key++) scores[key] = -INFINITY;
  for (size_t b = 0; b < blocks; b++) {
    size_t lanes = a->keys - b * CK_W;
    vf v = a->scale * vf_load(scores + b * CK_W);
    vf_store(scores + b * CK_W, lanes < CK_W ? vf_keep_n(v, lanes, -INFINITY) : v);
  }
  if (mask_count > 0) mask_scores(masks, mask_count, number, 0, scores, CK_W, a->keys);
  soften(scores, CK_W, blocks, &most, sums, results, CK_W, 0);
  const float *shares = scores;
  for (size_t p = 0; p < part_count; shares += parts[p++].count) {
    const float *values = parts[p].values;
    ck_steps step = parts[p].value;
    size_t count = parts[p].count;
    for (size_t w = 0; w < a->width; w += 4 * CK_W) {
      size_t left = a->width - w < 4 * CK_W ? a->width - w : 4 * CK_W, last = left - (blocks_of(left) - 1) * CK_W;
      float *to = results + w;
      if (step.column != 1) {
        for (size_t i = 0; i < left; i++) {
          const float *from = values + (ptrdiff_t)(w + i) * step.column;
          for (size_t k = 0; k < count; k++) to[i] += shares[k] * from[(ptrdiff_t)k * step.row];
        }
        continue;
      }
      switch (blocks_of(left)) {
        case 1: few_values(1, shares, values + w, step, count, last, to); break;
        case 2: few_values(2, shares, values + w, step, count, last, to); break;
        case 3: few_values(3, shares, values + w, step, count, last, to); break;
        default: few_values(4, shares, values + w, step, count, last, to); break;
      }
    }
  }
  finish_rows(a, results, 1, sums, out, 1);
}
