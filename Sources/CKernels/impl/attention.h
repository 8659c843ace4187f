// Attention of one head: for a few queries at a time their scores over all keys, the softmax of these, and its product with the values. The
// scores of the few queries are all that is there of the matrix; they lie in blocks of keys, [blocks, queries, CK_W], as block_strip.h
// gives and takes them. Queries, keys, values and results may have any distance between their rows, so nobody has to transpose heads.
#include "../vmath.h"
#include "block_strip.h"

/// Queries at once: their scores stay in the second-level cache.
CK_INLINE size_t queries_at_once(const ck_attention *a) {
  size_t most = ((size_t)1 << 16) / (blocks_of(a->keys) * CK_W);
  most = most < CK_STRIP ? CK_STRIP : most > 4 * CK_STRIP ? 4 * CK_STRIP : most / CK_STRIP * CK_STRIP;
  return a->queries < most ? a->queries : most;
}

size_t CK_FN(attention_packed_size)(const ck_attention *a) {
  return blocks_of(a->keys) * CK_W * a->depth + blocks_of(a->width) * CK_W * a->keys;
}

size_t CK_FN(attention_scratch_size)(const ck_attention *a) {
  size_t queries = queries_at_once(a);
  return queries * CK_W * (blocks_of(a->depth) + blocks_of(a->keys) + blocks_of(a->width)) + CK_W * ((queries + CK_W - 1) / CK_W);
}

void CK_FN(attention_pack_f32)(const ck_attention *a, const float *keys, const float *values, float *packed) {
  size_t blocks = blocks_of(a->keys);
  for (size_t first = 0; first < blocks; first += 2) {
    size_t lanes = first + 1 < blocks ? 2 * CK_W : CK_W, here = a->keys - first * CK_W;
    here = here < lanes ? here : lanes;
    float *to = packed + first * CK_W * a->depth;
    for (size_t i = 0; i < here; i++) {
      const float *key = keys + (ptrdiff_t)(first * CK_W + i) * a->key_row;
      for (size_t d = 0; d < a->depth; d++) to[d * lanes + i] = key[d];
    }
    for (size_t d = 0; d < a->depth; d++) {
      for (size_t i = here; i < lanes; i++) to[d * lanes + i] = 0;
    }
  }
  packed += blocks * CK_W * a->depth;
  size_t across = blocks_of(a->width);
  for (size_t first = 0; first < across; first += 2) {
    size_t lanes = first + 1 < across ? 2 * CK_W : CK_W, here = a->width - first * CK_W;
    here = here < lanes ? here : lanes;
    float *to = packed + first * CK_W * a->keys;
    for (size_t i = 0; i < a->keys; i++, to += lanes) {
      const float *value = values + (ptrdiff_t)i * a->value_row + first * CK_W;
      for (size_t j = 0; j < lanes; j += CK_W) {
        size_t n = here > j ? (here - j < CK_W ? here - j : CK_W) : 0;
        vf_store(to + j, n == CK_W ? vf_load(value + j) : vf_load_n(value + j, n));
      }
    }
  }
}

/// exp of what is not above zero.
CK_INLINE vf exp_below_zero(vf x) {
  vi n;
  vf r = vf_exp_reduce(vf_above(x, (vf)-105.0f), &n);
  return vf_scale(1.0f + (r + vf_exp_tail(r)), n);
}

/// The softmax but for its division, of one query's scores, `step` floats from a block to the next. Gives 1 / sum.
CK_INLINE float soften(float *scores, size_t step, size_t keys, const float *mask) {
  size_t blocks = blocks_of(keys), lanes = keys - (blocks - 1) * CK_W;
  vf most = -INFINITY;
  for (size_t b = 0; b < blocks; b++) {
    size_t n = b + 1 < blocks ? CK_W : lanes;
    vf v = vf_load(scores + b * step);
    if (mask) v += n == CK_W ? vf_load(mask + b * CK_W) : vf_load_n(mask + b * CK_W, n);
    if (n < CK_W) v = vf_keep_n(v, n, -INFINITY);
    if (mask || n < CK_W) vf_store(scores + b * step, v);
    most = vf_max(v, most);
  }
  float greatest = vf_max_lane(most);
  // All are minus infinity: what the softmax of nothing is, no number.
  vf sum = 0, other = 0;
  size_t b = 0;
  for (; b + 2 <= blocks; b += 2) {
    vf e = exp_below_zero(vf_load(scores + b * step) - greatest), f = exp_below_zero(vf_load(scores + (b + 1) * step) - greatest);
    vf_store(scores + b * step, e);
    vf_store(scores + (b + 1) * step, f);
    sum += e, other += f;
  }
  if (b < blocks) {
    vf e = exp_below_zero(vf_load(scores + b * step) - greatest);
    vf_store(scores + b * step, e);
    sum += e;
  }
  return 1.0f / vf_sum(sum + other);
}

void CK_FN(attention_f32)(
    const ck_attention *a, const float *queries, const float *packed, const float *mask, float *out, float *scratch,
    size_t query_begin, size_t query_end) {
  size_t room = queries_at_once(a), key_blocks = blocks_of(a->keys), deep = blocks_of(a->depth), wide = blocks_of(a->width);
  float *scores = scratch + room * CK_W * deep, *results = scores + room * CK_W * key_blocks;
  float *shares = results + room * CK_W * wide;
  const float *values = packed + key_blocks * CK_W * a->depth;
  struct ending plain = {.clamp = {-INFINITY, INFINITY, true}, .lanes = CK_W};
  for (size_t first = query_begin; first < query_end; first += room) {
    size_t count = query_end - first < room ? query_end - first : room;
    // Keys that any of these queries looks at.
    size_t seen = a->keys;
    if (a->causal) {
      ptrdiff_t last = (ptrdiff_t)(first + count) + a->causal_offset;
      seen = last < 1 ? 1 : (size_t)last < a->keys ? (size_t)last : a->keys;
    }
    size_t blocks = blocks_of(seen);
    for (size_t l = 0; l < a->depth; l += CK_W) {
      size_t lanes = a->depth - l < CK_W ? a->depth - l : CK_W;
      const float *from = queries + (ptrdiff_t)first * a->query_row + l;
      float *to = scratch + l * room;
      for (size_t q = 0; q < count; q++, from += a->query_row, to += CK_W)
        vf_store(to, a->scale * (lanes == CK_W ? vf_load(from) : vf_load_n(from, lanes)));
    }
    struct strip s = {
        .groups = deep, .width = CK_W, .last = a->depth - (deep - 1) * CK_W, .group = (ptrdiff_t)(room * CK_W), .taps_y = 1,
        .taps_x = 1, .position = CK_W, .out_block = (ptrdiff_t)(room * CK_W)};
    for (size_t b = 0; b < blocks; b += 2) {
      size_t pair = b + 1 < key_blocks ? 2 : 1;
      s.weights = packed + b * CK_W * a->depth;
      strips_run(strips_for(CK_W, pair), &s, &plain, scratch, scores + b * room * CK_W, count);
    }
    for (size_t q = 0; q < count; q++) {
      size_t keys = seen;
      if (a->causal) {
        ptrdiff_t last = (ptrdiff_t)(first + q) + 1 + a->causal_offset;
        keys = last < 1 ? 1 : (size_t)last < seen ? (size_t)last : seen;
        for (size_t b = blocks_of(keys); b < blocks; b++) vf_store(scores + (b * room + q) * CK_W, (vf)0.0f);
      }
      shares[q] = soften(
          scores + q * CK_W, room * CK_W, keys, mask ? mask + (ptrdiff_t)(first + q) * a->mask_row : NULL);
    }
    s.groups = blocks, s.last = seen - (blocks - 1) * CK_W;
    for (size_t b = 0; b < wide; b += 2) {
      size_t pair = b + 1 < wide ? 2 : 1;
      s.weights = values + b * CK_W * a->keys;
      strips_run(strips_for(CK_W, pair), &s, &plain, scores, results + b * room * CK_W, count);
    }
    for (size_t q = 0; q < count; q++) {
      float *to = out + (ptrdiff_t)(first + q) * a->out_row;
      for (size_t b = 0; b < wide; b++) {
        size_t lanes = a->width - b * CK_W < CK_W ? a->width - b * CK_W : CK_W;
        vf_store_n(to + b * CK_W, vf_load(results + (b * room + q) * CK_W) * shares[q], lanes);
      }
    }
  }
}
