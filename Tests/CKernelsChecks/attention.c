// Attention. The tolerance is 4e-6 of the maximum value, for two GEMMs and a softmax. In bf16, attention weights are
// rounded by up to one part in 512, with an error of 1e-4 before.
#include "plain.h"

struct heads {
  ck_attention shape;
  float *queries, *keys, *values, *out;
  size_t query_size, key_size, value_size, out_size;
  ck_score_mask masks[2];
  size_t mask_count;
  double *expected;
};

/// A matrix with padding between rows, or transposed, or with gaps everywhere.
static ck_strides random_steps(size_t rows, size_t columns, size_t *size) {
  ck_strides s = {(ptrdiff_t)(columns + random_size(0, 3)), 1};
  if (random_size(0, 2) == 0) s = (ck_strides){1, (ptrdiff_t)(rows + random_size(0, 3))};
  if (random_size(0, 5) == 0) s = (ck_strides){(ptrdiff_t)(2 * columns + random_size(0, 3)), 2};
  *size = rows == 0 || columns == 0 ? 0 : (rows - 1) * (size_t)s.row + (columns - 1) * (size_t)s.column + 1;
  return s;
}

static struct heads random_heads(size_t queries) {
  struct heads h = {
      .shape = {
          .queries = queries,
          .keys = random_size(1, random_bool() ? 20 : 300),
          .depth = random_size(1, 70),
          .width = random_size(1, 70)}};
  ck_attention *a = &h.shape;
  a->query = random_steps(queries, a->depth, &h.query_size), a->key = random_steps(a->keys, a->depth, &h.key_size);
  a->value = random_steps(a->keys, a->width, &h.value_size), a->out = random_steps(queries, a->width, &h.out_size);
  a->scale = (float)random_real(0.05, 0.5);
  h.queries = floats(h.query_size, -1, 1), h.keys = floats(h.key_size, -1, 1), h.values = floats(h.value_size, -1, 1);
  h.out = blank(h.out_size);
  h.mask_count = random_size(0, 2);
  for (size_t m = 0; m < h.mask_count; m++) {
    bool shared = random_bool();
    size_t n = (shared ? 1 : queries) * a->keys;
    float *numbers = floats(n, -2, 0);
    h.masks[m] = (ck_score_mask){numbers, shared ? 0 : (ptrdiff_t)a->keys, random_size(0, 2) == 0};
    for (size_t i = 0; i < n; i++) {
      if (h.masks[m].replaces)
        numbers[i] = random_size(0, 3) == 0 ? -30 : NAN;
      else if (random_size(0, 4) == 0 && i % a->keys != 0)
        numbers[i] = -INFINITY;
    }
  }
  return h;
}

static const char *heads_text(const struct heads *h) {
  static char text[256];
  const ck_attention *a = &h->shape;
  snprintf(
      text, sizeof text,
      "%zu queries, %zu keys, depth %zu, width %zu, steps %td %td, %td %td, %td %td, %td %td, %zu masks", a->queries,
      a->keys, a->depth, a->width, a->query.row, a->query.column, a->key.row, a->key.column, a->value.row,
      a->value.column, a->out.row, a->out.column, h->mask_count);
  return text;
}

static void plain_attention(struct heads *h, size_t begin, size_t end) {
  const ck_attention *a = &h->shape;
  h->expected = zeros(h->out_size);
  for (size_t i = 0; i < h->out_size; i++) h->expected[i] = UNTOUCHED;
  double *scores = zeros(a->keys);
  for (size_t q = begin; q < end; q++) {
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < a->keys; k++) {
      double score = 0;
      for (size_t d = 0; d < a->depth; d++)
        score += (double)h->queries[(ptrdiff_t)q * a->query.row + (ptrdiff_t)d * a->query.column] *
                 (double)h->keys[(ptrdiff_t)k * a->key.row + (ptrdiff_t)d * a->key.column];
      score *= (double)a->scale;
      for (size_t m = 0; m < h->mask_count; m++) {
        double mask = (double)h->masks[m].numbers[(ptrdiff_t)q * h->masks[m].row + (ptrdiff_t)k];
        score = !h->masks[m].replaces ? score + mask : mask == mask ? mask : score;
      }
      scores[k] = score, most = fmax(most, score);
    }
    for (size_t k = 0; k < a->keys; k++) sum += scores[k] = exp(scores[k] - most);
    for (size_t w = 0; w < a->width; w++) {
      double value = 0;
      for (size_t k = 0; k < a->keys; k++)
        value += scores[k] * (double)h->values[(ptrdiff_t)k * a->value.row + (ptrdiff_t)w * a->value.column];
      h->expected[(ptrdiff_t)q * a->out.row + (ptrdiff_t)w * a->out.column] = value / sum;
    }
  }
}

static void check_many(void) {
  struct heads h = random_heads(random_size(1, 70));
  const ck_attention *a = &h.shape;
  size_t begin = random_bool() ? 0 : random_size(0, a->queries),
         end = random_bool() ? a->queries : random_size(begin, a->queries);
  at("ck_attention_f32", "%s, queries %zu to %zu", heads_text(&h), begin, end);
  float *packed = blank(ck_attention_packed_size(a)), *scratch = blank(ck_attention_scratch_size(a));
  plain_attention(&h, begin, end);
  ck_attention_pack_f32(a, h.keys, h.values, packed);
  ck_attention_f32(a, h.queries, packed, h.masks, h.mask_count, h.out, scratch, begin, end);
  expect(h.expected, h.out, h.out_size, 0, 4e-6);
}

/// Uses values of eight bits, which are exact in bf16.
static void check_pairs(void) {
  if (!ck_low_precision_supported()) return;
  struct heads h = random_heads(random_size(1, 70));
  ck_attention *a = &h.shape;
  a->scale = random_bool() ? 0.25f : 0.5f;
  for (size_t i = 0; i < h.query_size; i++) h.queries[i] = roundf(h.queries[i] * 128) / 128;
  for (size_t i = 0; i < h.key_size; i++) h.keys[i] = roundf(h.keys[i] * 128) / 128;
  for (size_t i = 0; i < h.value_size; i++) h.values[i] = roundf(h.values[i] * 128) / 128;
  size_t begin = random_bool() ? 0 : random_size(0, a->queries), end = random_size(begin, a->queries);
  at("ck_attention_bf16_f32", "%s, queries %zu to %zu", heads_text(&h), begin, end);
  float *packed = blank(ck_attention_bf16_packed_size(a)), *scratch = blank(ck_attention_bf16_scratch_size(a));
  plain_attention(&h, begin, end);
  ck_attention_pack_bf16(a, h.keys, h.values, packed);
  ck_attention_bf16_f32(a, h.queries, packed, h.masks, h.mask_count, h.out, scratch, begin, end);
  expect(h.expected, h.out, h.out_size, 0, 2.1e-3);
}

/// Converts values to a storage type, and sets `from` to the values as stored.
static const void *stored_as(ck_stored stored, float *from, size_t n) {
  if (stored == CK_STORED_F32) return from;
  float *unrounded = take(n * sizeof *from);
  uint16_t *f16 = take(n * sizeof *f16);
  for (size_t i = 0; i < n; i++) {
    unrounded[i] = from[i], f16[i] = plain_half_of((double)from[i]), from[i] = (float)plain_half(f16[i]);
  }
  return stored == CK_STORED_F16 ? (const void *)f16 : unrounded;
}

static void check_few(void) {
  struct heads h = random_heads(random_size(1, 3));
  ck_attention *a = &h.shape;
  size_t number = random_size(0, a->queries - 1), count = random_size(0, a->keys);
  ck_stored key = (ck_stored)random_size(0, 2), value = (ck_stored)random_size(0, 2);
  size_t n = (a->keys - 1) * (size_t)a->key.row + (a->depth - 1) * (size_t)a->key.column + 1;
  size_t m = (a->keys - 1) * (size_t)a->value.row + (a->width - 1) * (size_t)a->value.column + 1;
  const char *keys = stored_as(key, h.keys, n), *values = stored_as(value, h.values, m);
  size_t key_size = key == CK_STORED_F16 ? 2 : 4, value_size = value == CK_STORED_F16 ? 2 : 4;
  ck_attention_part parts[2] = {
      {keys, values, a->key, a->value, count, key, value},
      {keys + count * (size_t)a->key.row * key_size, values + count * (size_t)a->value.row * value_size, a->key,
       a->value, a->keys - count, key, value}};
  at("ck_attention_few_f32", "%s, query %zu, %zu keys in the first part, stored %d and %d", heads_text(&h), number,
     count, key, value);
  float *scratch = blank(ck_attention_few_scratch_size(a));
  plain_attention(&h, number, number + 1);
  ck_attention_few_f32(
      a, h.queries + (ptrdiff_t)number * a->query.row, parts, 2, h.masks, h.mask_count, number,
      h.out + (ptrdiff_t)number * a->out.row, scratch);
  expect(h.expected, h.out, h.out_size, 0, 4e-6);
}

void check_attention(void) {
  for (size_t turn = 0; turn < 80; turn++) {
    check_many(), release();
    check_few(), release();
    check_pairs(), release();
  }
}
