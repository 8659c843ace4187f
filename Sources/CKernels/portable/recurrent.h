// Recurrent layers over packed weights. A unit is CK_W or more hidden units. Its weights are [depth][vectors][CK_W],
// with the vectors of the first gate before those of the second. One sequential pass over them gives the accumulators
// of all gates in registers.
#include "../f16.h"
#include "../vmath.h"

/// Vectors per gate in a unit: enough accumulators to hide the FMA latency.
CK_INLINE size_t vectors_each(size_t gates) { return gates == 1 ? 4 : gates == 2 ? 2 : 1; }
CK_INLINE size_t vectors_of(size_t gates) { return vectors_each(gates) * gates; }

enum { MOST_VECTORS = 4 };

// Rows per iteration: as many as there are registers for their accumulators.
#if defined(CK_TARGET_AVX512) || defined(CK_TARGET_NEON)
enum { MOST_ITEMS = 8 };
CK_INLINE size_t items_at_once(int vectors) { return vectors == 3 ? 8 : 6; }
#else
enum { MOST_ITEMS = 2 };
CK_INLINE size_t items_at_once(int vectors) { return (void)vectors, 2; }
#endif

/// How many of the remaining rows to process next. All groups have about the same size, because a small group reads the
/// weights for little work.
CK_INLINE size_t next_items(size_t left, int vectors) {
  size_t most = items_at_once(vectors), sets = (left + most - 1) / most;
  return (left + sets - 1) / sets;
}

size_t CK_FN(recurrent_unit_size)(size_t gates) { return vectors_each(gates) * CK_W; }

size_t CK_FN(recurrent_packed_size)(size_t gates, size_t hidden, size_t depth) {
  size_t wide = vectors_each(gates) * CK_W;
  return (hidden + wide - 1) / wide * gates * wide * depth;
}

void CK_FN(recurrent_pack_f32)(
    size_t gates, size_t hidden, size_t depth, const float *w, size_t ldw, size_t gate, size_t unit, bool f16,
    void *packed) {
  size_t wide = vectors_each(gates) * CK_W, all = gates * wide;
  size_t rows = hidden - unit * wide < wide ? hidden - unit * wide : wide;
  size_t start = unit * depth * all + gate * wide;
  for (size_t k = 0; k < depth; k++) {
    float column[MOST_VECTORS * CK_W] = {0};
    for (size_t r = 0; r < rows; r++) column[r] = w[r * ldw + k];
    for (size_t v = 0; v < wide; v += CK_W) {
      if (f16) {
        vf_store_f16((uint16_t *)packed + start + k * all + v, vf_load(column + v));
      } else {
        vf_store((float *)packed + start + k * all + v, vf_load(column + v));
      }
    }
  }
}

CK_INLINE vf weight_at(const void *w, size_t at, bool f16) {
  return f16 ? vf_from_f16((const uint16_t *)w + at) : vf_load((const float *)w + at);
}

/// sums[n * V + v] += x[n] times the weights of a unit, for N rows of x.
CK_INLINE void add_products(
    const void *w, bool f16, size_t depth, const float *x, size_t ldx, vf *sums, const int V, const int N) {
  size_t k = 0;
  vf own[MOST_ITEMS * MOST_VECTORS];  // local, so that it stays in registers; memory behind a pointer would not
#pragma clang loop unroll(full)
  for (int i = 0; i < N * V; i++) own[i] = sums[i];
  if (N == 1) {
    // One row: four independent accumulators over K, because the FMA latency exceeds the load time.
    enum { APART = 4 };
    vf more[(APART - 1) * MOST_VECTORS];
#pragma clang loop unroll(full)
    for (int i = 0; i < (APART - 1) * V; i++) more[i] = 0;
    for (; k + APART <= depth; k += APART) {
#pragma clang loop unroll(full)
      for (int v = 0; v < V; v++) {
        own[v] = vf_fma(weight_at(w, (k * (size_t)V + (size_t)v) * CK_W, f16), (vf)x[k], own[v]);
      }
#pragma clang loop unroll(full)
      for (int i = 0; i < (APART - 1) * V; i++) {
        size_t next = k + 1 + (size_t)(i / V);
        more[i] = vf_fma(weight_at(w, (next * (size_t)V + (size_t)(i % V)) * CK_W, f16), (vf)x[next], more[i]);
      }
    }
#pragma clang loop unroll(full)
    for (int v = 0; v < V; v++) own[v] = (own[v] + more[v]) + (more[V + v] + more[2 * V + v]);
  }
  for (; k < depth; k++) {
    vf wide[MOST_VECTORS];
#pragma clang loop unroll(full)
    for (int v = 0; v < V; v++) wide[v] = weight_at(w, (k * (size_t)V + (size_t)v) * CK_W, f16);
#pragma clang loop unroll(full)
    for (int i = 0; i < N * V; i++) own[i] = vf_fma(wide[i % V], (vf)x[(size_t)(i / V) * ldx + k], own[i]);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < N * V; i++) sums[i] = own[i];
}

#if defined(CK_TARGET_AVX512) || defined(CK_TARGET_NEON)
#define CK_ITEM_COUNTS_4(F) F(1) F(2) F(3) F(4) F(5) F(6)
#define CK_ITEM_COUNTS_3(F) CK_ITEM_COUNTS_4(F) F(7) F(8)
#else
#define CK_ITEM_COUNTS_4(F) F(1) F(2)
#define CK_ITEM_COUNTS_3(F) CK_ITEM_COUNTS_4(F)
#endif

/// Rows of x times the weights of some units.
#define CK_PRODUCT(V, H)                                                                                              \
  static void product_##V##_##H(                                                                                      \
      const ck_recurrent_weights *s, size_t rows, const float *x, size_t ldx, const float *bias, float *out,      \
      size_t ldo, size_t unit_begin, size_t unit_end) {                                                                \
    size_t each = vectors_each(s->gates), wide = each * CK_W;                                                         \
    for (size_t u = unit_begin; u < unit_end; u++) {                                                                  \
      const char *w = (const char *)s->packed + u * s->depth * V * CK_W * (H ? 2 : 4);                                \
      vf start[V];                                                                                                    \
      for (size_t v = 0; v < V; v++) {                                                                                \
        size_t at = u * wide + v % each * CK_W;                                                                       \
        start[v] = 0;                                                                                                 \
        if (bias && at < s->hidden) {                                                                                 \
          size_t left = s->hidden - at;                                                                               \
          start[v] = vf_load_n(bias + s->order[v / each] * s->hidden + at, left < CK_W ? left : CK_W);                  \
        }                                                                                                             \
      }                                                                                                               \
      for (size_t row = 0; row < rows;) {                                                                             \
        vf sums[V * MOST_ITEMS];                                                                                      \
        size_t count = next_items(rows - row, V);                                                                     \
        const float *from = x + row * ldx;                                                                            \
        float *to = out + row * ldo + u * V * CK_W;                                                                   \
        switch (count) { CK_ITEM_COUNTS_##V(CK_PRODUCT_ITEMS_##V##_##H) }                                                 \
        row += count;                                                                                                 \
      }                                                                                                               \
    }                                                                                                                 \
  }
#define CK_PRODUCT_ITEMS(V, H, N)                                                                      \
  case N:                                                                                              \
    for (size_t i = 0; i < V * N; i++) sums[i] = start[i % V];                                         \
    add_products(w, H, s->depth, from, ldx, sums, V, N);                                               \
    for (size_t i = 0; i < V * N; i++) vf_store(to + i / V * ldo + i % V * CK_W, sums[i]);             \
    break;
#define CK_PRODUCT_ITEMS_3_0(N) CK_PRODUCT_ITEMS(3, 0, N)
#define CK_PRODUCT_ITEMS_3_1(N) CK_PRODUCT_ITEMS(3, 1, N)
#define CK_PRODUCT_ITEMS_4_0(N) CK_PRODUCT_ITEMS(4, 0, N)
#define CK_PRODUCT_ITEMS_4_1(N) CK_PRODUCT_ITEMS(4, 1, N)
CK_PRODUCT(3, 0)
CK_PRODUCT(3, 1)
CK_PRODUCT(4, 0)
CK_PRODUCT(4, 1)

void CK_FN(recurrent_product_f32)(
    const ck_recurrent_weights *s, size_t rows, const float *x, size_t ldx, const float *bias, float *out,
    size_t ldo, size_t unit_begin, size_t unit_end) {
  (vectors_of(s->gates) == 3 ? (s->f16 ? product_3_1 : product_3_0) : (s->f16 ? product_4_1 : product_4_0))(
      s, rows, x, ldx, bias, out, ldo, unit_begin, unit_end);
}

// MARK: the functions of gates

CK_INLINE vf limited(const ck_recurrent_step *s, vf x) {
  return s->limit < INFINITY ? vf_clamp_nan(x, -s->limit, s->limit) : x;
}

/// Applies any unary op, by the table of unary kernels.
static __attribute__((noinline)) void any_function(ck_unary_op op, float alpha, float beta, float *x) {
  ck_table()->unary_f32[op](alpha, beta, x, x, CK_W);
}

CK_INLINE vf function_of(ck_unary_op op, float alpha, float beta, vf x) {
  switch (op) {
    case CK_UNARY_SIGMOID: return vf_sigmoid_soon(x);
    case CK_UNARY_TANH: return vf_tanh(x);
    case CK_UNARY_IDENTITY: return x;
    default: {
      float memory[CK_W];
      vf_store(memory, x);
      any_function(op, alpha, beta, memory);
      return vf_load(memory);
    }
  }
}

CK_INLINE vf gate_of(const ck_recurrent_step *s, bool usual, vf x) {
  if (usual) return vf_sigmoid_soon(x);
  return function_of(s->functions.gate, s->functions.gate_alpha, s->functions.gate_beta, limited(s, x));
}
CK_INLINE vf cell_of(const ck_recurrent_step *s, bool usual, vf x) {
  if (usual) return vf_tanh(x);
  return function_of(s->functions.cell, s->functions.cell_alpha, s->functions.cell_beta, limited(s, x));
}
CK_INLINE vf output_of(const ck_recurrent_step *s, bool usual, vf x) {
  if (usual) return vf_tanh(x);
  return function_of(s->functions.output, s->functions.output_alpha, s->functions.output_beta, x);
}

/// The LSTM cell for the gates i, f, o, g of some hidden units of one item.
CK_INLINE void lstm_unit(const ck_recurrent_step *s, bool usual, const vf *sums, size_t item, size_t at) {
  float *c = s->c + item * s->ld + at;
  vf old = vf_load(c), i = sums[0], f = sums[1], o = sums[2];
  size_t left = s->weights.hidden - at < CK_W ? s->weights.hidden - at : CK_W;
  if (!usual && s->peephole) {
    i += vf_load_n(s->peephole + at, left) * old;
    f += vf_load_n(s->peephole + s->weights.hidden + at, left) * old;
  }
  i = gate_of(s, usual, i);
  f = !usual && s->coupled ? 1.0f - i : gate_of(s, usual, f);
  vf cell = vf_fma(f, old, i * cell_of(s, usual, sums[3]));
  if (!usual) {
    if (s->clip < INFINITY) cell = vf_clamp_nan(cell, -s->clip, s->clip);
    if (s->peephole) o += vf_load_n(s->peephole + 2 * s->weights.hidden + at, left) * cell;
  }
  vf_store(c, cell);
  vf_store(s->next + item * s->ld + at, gate_of(s, usual, o) * output_of(s, usual, cell));
}

/// Applies the cell to a unit's accumulators for one item. `u` is the index of the unit.
CK_INLINE void finish_unit(const ck_recurrent_step *s, bool usual, const vf *sums, size_t item, size_t u) {
  const float *h = s->h + item * s->ld, *gates = s->sums + item * s->ldsums;
  float *next = s->next + item * s->ld, *z = s->z ? s->z + item * s->ld : NULL;
  switch (s->kind) {
    case CK_RECURRENT_LSTM: lstm_unit(s, usual, sums, item, u * CK_W); break;
    case CK_RECURRENT_PLAIN:
      for (size_t v = 0; v < 4; v++) vf_store(next + (4 * u + v) * CK_W, cell_of(s, usual, sums[v]));
      break;
    case CK_RECURRENT_GRU_GATES:
      for (size_t v = 0; v < 2; v++) {
        size_t at = (2 * u + v) * CK_W;
        vf_store(next + at, gate_of(s, usual, sums[v]) * vf_load(h + at));
        vf_store(z + at, gate_of(s, usual, sums[2 + v]));
      }
      break;
    case CK_RECURRENT_GRU_CANDIDATE:
      for (size_t v = 0; v < 4; v++) {
        size_t at = (4 * u + v) * CK_W;
        vf share = vf_load(z + at), new = cell_of(s, usual, sums[v]);
        vf_store(next + at, vf_fma(share, vf_load(s->old + item * s->ld + at) - new, new));
      }
      break;
    case CK_RECURRENT_GRU_AFTER: {
      size_t at = u * CK_W;
      vf reset = gate_of(s, usual, sums[0]), share = gate_of(s, usual, sums[1]);
      vf new = cell_of(s, usual, vf_fma(reset, sums[2], vf_load(gates + 3 * at + 2 * CK_W)));
      vf_store(next + at, vf_fma(share, vf_load(h + at) - new, new));
      break;
    }
  }
}

/// Initial accumulators: the input's contribution. The exception is the candidate that the reset gate multiplies
/// (GRU_AFTER), which starts with the recurrent bias.
CK_INLINE vf first_sum(const ck_recurrent_step *s, size_t item, size_t u, size_t v, int V) {
  if (V == 3 && v == 2) {
    size_t at = u * CK_W, left = s->weights.hidden - at < CK_W ? s->weights.hidden - at : CK_W;
    return s->bias ? vf_load_n(s->bias + at, left) : (vf)0.0f;
  }
  return vf_load(s->sums + item * s->ldsums + (u * (size_t)V + v) * CK_W);
}

#define CK_STEP_OF(V, H)                                                                                              \
  static void step_##V##_##H(                                                                                         \
      const ck_recurrent_step *s, size_t unit_begin, size_t unit_end, bool backward, bool usual) {                    \
    for (size_t number = unit_begin; number < unit_end; number++) {                                                   \
      size_t u = backward ? unit_end - 1 - (number - unit_begin) : number;                                            \
      const char *w = (const char *)s->weights.packed + u * s->weights.depth * V * CK_W * (H ? 2 : 4);                \
      for (size_t item = 0; item < s->batch;) {                                                                       \
        vf sums[V * MOST_ITEMS];                                                                                      \
        size_t count = next_items(s->batch - item, V);                                                                \
        const float *from = s->h + item * s->ld;                                                                      \
        for (size_t i = 0; i < V * count; i++) sums[i] = first_sum(s, item + i / V, u, i % V, V);                     \
        switch (count) { CK_ITEM_COUNTS_##V(CK_STEP_ITEMS_##V##_##H) }                                                    \
        if (usual) {                                                                                                  \
          for (size_t n = 0; n < count; n++) finish_unit(s, true, sums + n * V, item + n, u);                         \
        } else {                                                                                                      \
          for (size_t n = 0; n < count; n++) finish_unit(s, false, sums + n * V, item + n, u);                        \
        }                                                                                                             \
        item += count;                                                                                                \
      }                                                                                                               \
    }                                                                                                                 \
  }
#define CK_STEP_ITEMS(V, H, N) \
  case N: add_products(w, H, s->weights.depth, from, s->ld, sums, V, N); break;
#define CK_STEP_ITEMS_3_0(N) CK_STEP_ITEMS(3, 0, N)
#define CK_STEP_ITEMS_3_1(N) CK_STEP_ITEMS(3, 1, N)
#define CK_STEP_ITEMS_4_0(N) CK_STEP_ITEMS(4, 0, N)
#define CK_STEP_ITEMS_4_1(N) CK_STEP_ITEMS(4, 1, N)
CK_STEP_OF(3, 0)
CK_STEP_OF(3, 1)
CK_STEP_OF(4, 0)
CK_STEP_OF(4, 1)

void CK_FN(recurrent_step_f32)(const ck_recurrent_step *s, size_t unit_begin, size_t unit_end, bool backward) {
  const ck_recurrent_activations *f = &s->functions;
  bool isLSTM = s->kind == CK_RECURRENT_LSTM;
  bool usual = f->cell == CK_UNARY_TANH && (s->kind == CK_RECURRENT_PLAIN || f->gate == CK_UNARY_SIGMOID) &&
               !(s->limit < INFINITY) && !s->coupled &&
               (!isLSTM || (f->output == CK_UNARY_TANH && !s->peephole && !(s->clip < INFINITY)));
  (vectors_of(s->weights.gates) == 3 ? (s->weights.f16 ? step_3_1 : step_3_0)
                                     : (s->weights.f16 ? step_4_1 : step_4_0))(s, unit_begin, unit_end, backward, usual);
}
