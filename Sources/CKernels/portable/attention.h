// Attention of one head, fp32.
#include "attention_heads.h"

size_t CK_FN(attention_packed_size)(const ck_attention *a) { return packed_heads(a); }

size_t CK_FN(attention_scratch_size)(const ck_attention *a) { return heads_scratch(a); }

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

void CK_FN(attention_f32)(
    const ck_attention *a, const float *queries, const float *packed, const ck_score_mask *masks, size_t mask_count,
    float *out, float *scratch, size_t query_begin, size_t query_end) {
  attention_heads(a, queries, packed, masks, mask_count, out, scratch, query_begin, query_end);
}

#include "attention_few.h"
