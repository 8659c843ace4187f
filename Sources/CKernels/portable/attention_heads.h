// Attention of one head without a matrix of all scores (flash attention). A few queries at a time pass over the keys in
// blocks. A block's scores, their exponentials and the partial results stay in L1. When a greater score appears, the
// kernel scales down the partial results.
//
// Scores are stored in blocks of keys, [blocks, queries, CK_W], the layout of block_strip.h. Operands and results may
// have any strides between rows and between columns, so heads need no transpose.
#pragma once
#if defined(CK_TARGET_AVX512BF16)
#include "lanes_bf16.h"
#else
#include "lanes.h"
#endif
#include "attention_softmax.h"

/// Queries per iteration, and blocks of keys per iteration.
#define CK_QUERIES_AT_ONCE (CK_STRIP < 14 ? 4 * CK_STRIP : 2 * CK_STRIP)
#define CK_KEYS_AT_ONCE (256 / CK_W)

CK_INLINE size_t queries_at_once(const ck_attention *a) {
  return a->queries < CK_QUERIES_AT_ONCE ? a->queries : CK_QUERIES_AT_ONCE;
}

CK_INLINE size_t keys_at_once(const ck_attention *a) {
  size_t blocks = blocks_of(a->keys);
  // A remainder of at most half an iteration joins the iteration before it.
  return blocks <= CK_KEYS_AT_ONCE * 3 / 2 ? blocks : CK_KEYS_AT_ONCE;
}

/// Elements along K for a length of `n`: pairs if bf16, else single elements.
#if defined(CK_TARGET_AVX512BF16)
CK_INLINE size_t along(size_t n) { return (n + 1) / 2; }
#else
CK_INLINE size_t along(size_t n) { return n; }
#endif

CK_INLINE size_t packed_keys(const ck_attention *a) {
  return blocks_of(a->keys) * CK_W * along(a->depth);
}

CK_INLINE size_t packed_heads(const ck_attention *a) {
  return packed_keys(a) + blocks_of(a->width) * CK_W * along(a->keys);
}

CK_INLINE size_t heads_scratch(const ck_attention *a) {
  size_t blocks = blocks_of(along(a->depth)) + keys_at_once(a) + blocks_of(a->width) + 1;
  return queries_at_once(a) * (CK_W * blocks + 1) + CK_W;
}

/// Packs `count` scaled queries to [blocks of elements along K, room, CK_W].
static void lay_queries(const ck_attention *a, const float *queries, size_t count, size_t room, float *to) {
#if defined(CK_TARGET_AVX512BF16)
  const size_t size = 2 * CK_W;
#else
  const size_t size = CK_W;
#endif
  for (size_t d = 0; d < a->depth; d += size, to += room * CK_W) {
    const float *from = queries + (ptrdiff_t)d * a->query.column;
    size_t here = a->depth - d < size ? a->depth - d : size;
#if defined(CK_TARGET_AVX512BF16)
    lay_pair_rows(from, a->query.row, count, a->query.column, here, a->scale, to);
#else
    lay_lanes(from, a->query.row, count, a->query.column, here, a->scale, to, CK_W);
#endif
  }
}

static void attention_heads(
    const ck_attention *a, const float *queries, const float *packed, const ck_score_mask *masks,
    size_t mask_count, float *out, float *scratch, size_t query_begin, size_t query_end) {
  size_t room = queries_at_once(a), key_blocks = blocks_of(a->keys), wide = blocks_of(a->width), at_once = keys_at_once(a);
  size_t depth = along(a->depth), sources = along(a->keys);
  float *scores = scratch + room * CK_W * blocks_of(depth), *results = scores + room * CK_W * at_once;
  float *sums = results + room * CK_W * wide, *most = sums + room * CK_W;
  const float *values = packed + packed_keys(a);
  for (size_t first = query_begin, count; first < query_end; first += count) {
    size_t left = query_end - first, tiles = (left + room - 1) / room;
    count = (left + tiles - 1) / tiles;
    lay_queries(a, queries + (ptrdiff_t)first * a->query.row, count, room, scratch);
    for (size_t q = 0; q < count; q++) most[q] = -INFINITY;
    memset(sums, 0, count * CK_W * sizeof *sums);
    for (size_t block = 0; block < key_blocks; block += at_once) {
      size_t blocks = key_blocks - block < at_once ? key_blocks - block : at_once, key = block * CK_W;
      size_t keys = a->keys - key < blocks * CK_W ? a->keys - key : blocks * CK_W;
      attend(scratch, room, depth, packed + key * depth, 2 * CK_W * depth, blocks, scores, count, false);
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
      // The last unit of the values may be one block wide; then it has half as many elements per key.
      size_t pairs = wide & ~(size_t)1, from = along(key), here = along(keys);
      attend(scores, room, here, values + from * 2 * CK_W, 2 * CK_W * sources, pairs, results, count, block > 0);
      if (pairs < wide) {
        attend(
            scores, room, here, values + pairs * CK_W * sources + from * CK_W, 0, 1, results + pairs * room * CK_W, count,
            block > 0);
      }
    }
    finish_rows(a, results, room, sums, out + (ptrdiff_t)first * a->out.row, count);
  }
}
