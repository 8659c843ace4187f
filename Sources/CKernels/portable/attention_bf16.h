// Attention of one head in bf16. Queries, keys, values and attention weights are bf16 pairs. Scores, the softmax and
// all accumulators are fp32.
#include "attention_heads.h"

size_t CK_FN(attention_bf16_packed_size)(const ck_attention *a) { return packed_heads(a); }

size_t CK_FN(attention_bf16_scratch_size)(const ck_attention *a) { return heads_scratch(a); }

void CK_FN(attention_pack_bf16)(const ck_attention *a, const float *keys, const float *values, float *packed) {
  size_t blocks = blocks_of(a->keys), across = blocks_of(a->width), deep = along(a->depth);
  size_t sources = along(a->keys);
  for (size_t b = 0; b < blocks; b++) {
    size_t lanes = (b | 1) < blocks ? 2 * CK_W : CK_W, here = a->keys - b * CK_W;
    lay_pairs(
        keys + (ptrdiff_t)(b * CK_W) * a->key.row, a->key.column, a->depth, a->key.row, here < CK_W ? here : CK_W,
        packed + (b & ~(size_t)1) * CK_W * deep + (b & 1) * CK_W, lanes);
  }
  packed += packed_keys(a);
  for (size_t b = 0; b < across; b++) {
    size_t lanes = (b | 1) < across ? 2 * CK_W : CK_W, here = a->width - b * CK_W;
    lay_pairs(
        values + (ptrdiff_t)(b * CK_W) * a->value.column, a->value.row, a->keys, a->value.column,
        here < CK_W ? here : CK_W, packed + (b & ~(size_t)1) * CK_W * sources + (b & 1) * CK_W, lanes);
  }
}

void CK_FN(attention_bf16_f32)(
    const ck_attention *a, const float *queries, const float *packed, const ck_score_mask *masks, size_t mask_count,
    float *out, float *scratch, size_t query_begin, size_t query_end) {
  attention_heads(a, queries, packed, masks, mask_count, out, scratch, query_begin, query_end);
}
