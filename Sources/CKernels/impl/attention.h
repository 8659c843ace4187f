// Attention of one head, without the matrix of scores: a few queries at a time go through the keys block by block. A block's scores, their
// exponentials and what these make of the values stay in the first-level cache; what a query has summed up so far is scaled down
// whenever a greater score turns up. Scores lie in blocks of keys, [blocks, queries, CK_W], as block_strip.h gives and takes them.
// Operands and results may have any distance between their rows and their columns, so nobody has to transpose heads.
#include "../vmath.h"
#include "lanes.h"
#include "attention_strip.h"

/// Queries, and blocks of keys, at once.
#define CK_QUERIES_AT_ONCE (CK_STRIP < 14 ? 4 * CK_STRIP : 2 * CK_STRIP)
#define CK_KEYS_AT_ONCE (256 / CK_W)

CK_INLINE size_t queries_at_once(const ck_attention *a) {
  return a->queries < CK_QUERIES_AT_ONCE ? a->queries : CK_QUERIES_AT_ONCE;
}

CK_INLINE size_t keys_at_once(const ck_attention *a) {
  size_t blocks = blocks_of(a->keys);
  // A rest that is no more than half of a round goes with the round before it.
  return blocks <= CK_KEYS_AT_ONCE * 3 / 2 ? blocks : CK_KEYS_AT_ONCE;
}

size_t CK_FN(attention_packed_size)(const ck_attention *a) {
  return blocks_of(a->keys) * CK_W * a->depth + blocks_of(a->width) * CK_W * a->keys;
}

size_t CK_FN(attention_scratch_size)(const ck_attention *a) {
  size_t blocks = blocks_of(a->depth) + keys_at_once(a) + blocks_of(a->width) + 1;
  return queries_at_once(a) * (CK_W * blocks + 1) + CK_W;
}

void CK_FN(attention_pack_f32)(const ck_attention *a, const float *keys, const float *values, float *packed) {
  size_t blocks = blocks_of(a->keys), across = blocks_of(a->width);
  for (size_t b = 0; b < blocks; b++) {
    size_t lanes = (b | 1) < blocks ? 2 * CK_W : CK_W, here = a->keys - b * CK_W;
    lay_lanes(
        keys + (ptrdiff_t)(b * CK_W) * a->key.row, a->key.column, a->depth, a->key.row, here < CK_W ? here : CK_W, 1,
        packed + (b & ~(size_t)1) * CK_W * a->depth + (b & 1) * CK_W, lanes);
  }
  packed += blocks * CK_W * a->depth;
  for (size_t b = 0; b < across; b++) {
    size_t lanes = (b | 1) < across ? 2 * CK_W : CK_W, here = a->width - b * CK_W;
    lay_lanes(
        values + (ptrdiff_t)(b * CK_W) * a->value.column, a->value.row, a->keys, a->value.column,
        here < CK_W ? here : CK_W, 1, packed + (b & ~(size_t)1) * CK_W * a->keys + (b & 1) * CK_W, lanes);
  }
}

/// exp of what is not above zero; 0 where that is no normal number: masks of -100 would make some, and some processors multiply those slowly.
CK_INLINE vf exp_below_zero(vf x) {
#if defined(CK_TARGET_AVX512)
  // 2^t for t = n + f, n whole, f in 0 ..< 1: the instruction that scales takes n from t itself.
  vf t = x * 1.44269504f, f = _mm512_reduce_ps(t, _MM_FROUND_TO_NEG_INF);
  vf q = vf_fma(f, 0.00186714528f, 0.00901699347f);
  q = vf_fma(q, f, 0.0557999454f);
  q = vf_fma(q, f, 0.240164438f);
  q = vf_fma(q, f, 0.693151313f);
  q = vf_fma(q, f, 1.0f);
  return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(t, (vf)-126.0f, _CMP_NLT_UQ), q, t);
#else
  vi n;
  vf r = vf_exp_reduce(vf_above((vf)-87.0f, x), &n);
  vf e = (1.0f + (r + vf_exp_tail(r))) * vf_pow2i(n);
  return x < -87.0f ? (vf)0.0f : e;
#endif
}

CK_INLINE float greatest_lane(vf v) {
#define CK_STEP(step) v = vf_above(v, CK_FOLD_LANES(v, step));
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
  return v[0];
}

/// What a mask makes of scores.
CK_INLINE vf masked(vf v, vf mask, bool replaces) { return replaces ? (mask != mask ? v : mask) : v + mask; }

/// Lays masks over one query's scores of the keys from `key` on, `keys` of them; what fills up the last block becomes minus infinity.
static void mask_scores(
    const ck_score_mask *masks, size_t mask_count, size_t query, size_t key, float *scores, size_t step, size_t keys) {
  for (size_t k = 0; k < keys; k += CK_W, scores += step) {
    size_t lanes = keys - k < CK_W ? keys - k : CK_W;
    vf v = vf_load(scores);
    for (size_t m = 0; m < mask_count; m++) {
      const float *line = masks[m].numbers + (ptrdiff_t)query * masks[m].row + key + k;
      v = masked(v, lanes == CK_W ? vf_load(line) : vf_load_n(line, lanes), masks[m].replaces);
    }
    vf_store(scores, lanes == CK_W ? v : vf_keep_n(v, lanes, -INFINITY));
  }
}

/// Exponentials of one query's scores in place, over the greatest so far, which is added to `most`; what lies in `sums` and `results`
/// is scaled to match. NaN passes by the comparisons and arrives in the sum.
CK_INLINE void soften(
    float *scores, size_t step, size_t blocks, float *most, float *sums, float *results, size_t result_step, size_t wide) {
  vf high = vf_load(scores), other = high;
  size_t b = 1;
  for (; b + 2 <= blocks; b += 2) {
    high = vf_above(vf_load(scores + b * step), high);
    other = vf_above(vf_load(scores + (b + 1) * step), other);
  }
  if (b < blocks) high = vf_above(vf_load(scores + b * step), high);
  float old = *most, now = greatest_lane(vf_above(vf_above(high, other), (vf)old));
  // Nothing but minus infinity so far: nothing to subtract, and nothing is added up.
  float base = now == -INFINITY ? 0 : now;
  vf sum = vf_load(sums), more = 0;
  if (now > old) {
    *most = now;
    vf factor = exp_below_zero((vf)(old - base));
    sum *= factor;
    for (size_t w = 0; w < wide; w++) vf_store(results + w * result_step, vf_load(results + w * result_step) * factor);
  }
  for (b = 0; b + 2 <= blocks; b += 2) {
    vf e = exp_below_zero(vf_load(scores + b * step) - base), f = exp_below_zero(vf_load(scores + (b + 1) * step) - base);
    vf_store(scores + b * step, e);
    vf_store(scores + (b + 1) * step, f);
    sum += e, more += f;
  }
  if (b < blocks) {
    vf e = exp_below_zero(vf_load(scores + b * step) - base);
    vf_store(scores + b * step, e);
    sum += e;
  }
  vf_store(sums, sum + more);
}

/// Finished rows: divided by their sums, which are zero where all scores were minus infinity: what the softmax of nothing is, no number.
CK_INLINE void finish_rows(
    const ck_attention *a, const float *results, size_t room, const float *sums, float *out, size_t count) {
  size_t wide = blocks_of(a->width);
  for (size_t q = 0; q < count; q++, out += a->out.row) {
    float share = 1.0f / vf_sum(vf_load(sums + q * CK_W));
    for (size_t b = 0; b < wide; b++) {
      size_t lanes = a->width - b * CK_W < CK_W ? a->width - b * CK_W : CK_W;
      vf v = vf_load(results + (b * room + q) * CK_W) * share;
      float *to = out + (ptrdiff_t)(b * CK_W) * a->out.column;
      if (a->out.column == 1) {
        vf_store_n(to, v, lanes);
      } else {
        for (size_t i = 0; i < lanes; i++) to[(ptrdiff_t)i * a->out.column] = v[i];
      }
    }
  }
}

void CK_FN(attention_f32)(
    const ck_attention *a, const float *queries, const float *packed, const ck_score_mask *masks, size_t mask_count,
    float *out, float *scratch, size_t query_begin, size_t query_end) {
  size_t room = queries_at_once(a), key_blocks = blocks_of(a->keys), deep = blocks_of(a->depth), wide = blocks_of(a->width);
  size_t at_once = keys_at_once(a);
  float *scores = scratch + room * CK_W * deep, *results = scores + room * CK_W * at_once;
  float *sums = results + room * CK_W * wide, *most = sums + room * CK_W;
  const float *values = packed + key_blocks * CK_W * a->depth;
  for (size_t first = query_begin, count; first < query_end; first += count) {
    size_t left = query_end - first, tiles = (left + room - 1) / room;
    count = (left + tiles - 1) / tiles;
    for (size_t b = 0; b < deep; b++) {
      size_t lanes = a->depth - b * CK_W < CK_W ? a->depth - b * CK_W : CK_W;
      lay_lanes(
          queries + (ptrdiff_t)first * a->query.row + (ptrdiff_t)(b * CK_W) * a->query.column, a->query.row, count,
          a->query.column, lanes, a->scale, scratch + b * room * CK_W, CK_W);
    }
    for (size_t q = 0; q < count; q++) most[q] = -INFINITY;
    memset(sums, 0, count * CK_W * sizeof *sums);
    for (size_t block = 0; block < key_blocks; block += at_once) {
      size_t blocks = key_blocks - block < at_once ? key_blocks - block : at_once, key = block * CK_W;
      size_t keys = a->keys - key < blocks * CK_W ? a->keys - key : blocks * CK_W;
      attend(scratch, room, a->depth, packed + key * a->depth, 2 * CK_W * a->depth, blocks, scores, count, false);
      for (size_t q = 0; q < count; q++) {
        if (mask_count > 0) {
          mask_scores(masks, mask_count, first + q, key, scores + q * CK_W, room * CK_W, keys);
        } else if (keys < blocks * CK_W) {
          float *last = scores + ((blocks - 1) * room + q) * CK_W;
          vf_store(last, vf_keep_n(vf_load(last), keys - (blocks - 1) * CK_W, -INFINITY));
        }
        soften(
            scores + q * CK_W, room * CK_W, blocks, most + q, sums + q * CK_W, results + q * CK_W, room * CK_W,
            block == 0 ? 0 : wide);
      }
      // Of the values' last unit, one block wide, a key has half as many numbers.
      size_t pairs = wide & ~(size_t)1;
      attend(
          scores, room, keys, values + key * 2 * CK_W, 2 * CK_W * a->keys, pairs, results, count, block > 0);
      if (pairs < wide) {
        attend(
            scores, room, keys, values + pairs * CK_W * a->keys + key * CK_W, 0, 1, results + pairs * room * CK_W, count,
            block > 0);
      }
    }
    finish_rows(a, results, room, sums, out + (ptrdiff_t)first * a->out.row, count);
  }
}

#include "attention_few.h"
