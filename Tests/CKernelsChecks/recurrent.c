// Recurrent layers. The tolerance of products is 2e-7 per element; gates and cells add 4e-6.
#include "plain.h"

static ck_recurrent_activations random_functions(bool usual) {
  if (usual)
    return (ck_recurrent_activations){.gate = CK_UNARY_SIGMOID, .cell = CK_UNARY_TANH, .output = CK_UNARY_TANH};
  static const ck_unary_op ops[] = {CK_UNARY_SIGMOID,  CK_UNARY_TANH,   CK_UNARY_HARD_SIGMOID,
                                    CK_UNARY_SOFTSIGN, CK_UNARY_LINEAR, CK_UNARY_IDENTITY};
#define ANY ops[random_size(0, 5)]
  return (ck_recurrent_activations){
      .gate = ANY,
      .cell = ANY,
      .output = ANY,
      .gate_alpha = 0.2f,
      .gate_beta = 0.5f,
      .cell_alpha = 0.7f,
      .cell_beta = 0.1f,
      .output_alpha = 0.4f,
      .output_beta = 0};
#undef ANY
}

static double gate(const ck_recurrent_activations *f, double x) {
  return plain_unary(f->gate, (double)f->gate_alpha, (double)f->gate_beta, x);
}
static double cell(const ck_recurrent_activations *f, double x) {
  return plain_unary(f->cell, (double)f->cell_alpha, (double)f->cell_beta, x);
}
static double output(const ck_recurrent_activations *f, double x) {
  return plain_unary(f->output, (double)f->output_alpha, (double)f->output_beta, x);
}
static double within(double x, float limit) {
  return fmin(fmax(x, -(double)limit), (double)limit);
}

static void check_cells(void) {
  size_t n = random_size(0, 300);
  ck_recurrent_activations f = random_functions(random_bool());
  float *i = floats(n, -2, 2), *forget = floats(n, -2, 2), *o = floats(n, -2, 2), *g = floats(n, -2, 2),
        *c = floats(n, -2, 2), *h = blank(n);
  float *pi = random_bool() ? NULL : floats(n, -1, 1), *pf = random_bool() ? NULL : floats(n, -1, 1),
        *po = random_bool() ? NULL : floats(n, -1, 1);
  float clip = random_bool() ? INFINITY : 0.5f, *z_out = blank(n), *rh = blank(n), *next = blank(n);
  double *cells = zeros(n), *states = zeros(n), *gates = zeros(n), *resets = zeros(n), *candidates = zeros(n);
  for (size_t k = 0; k < n; k++) {
    double old = (double)c[k], a = gate(&f, (double)i[k] + (pi ? (double)pi[k] * old : 0)),
           b = gate(&f, (double)forget[k] + (pf ? (double)pf[k] * old : 0));
    cells[k] = within(b * old + a * cell(&f, (double)g[k]), clip);
    states[k] = gate(&f, (double)o[k] + (po ? (double)po[k] * cells[k] : 0)) * output(&f, cells[k]);
    gates[k] = gate(&f, (double)i[k]), resets[k] = gate(&f, (double)forget[k]) * (double)g[k];
    candidates[k] = (1 - (double)i[k]) * cell(&f, (double)o[k]) + (double)i[k] * (double)g[k];
  }
  at("ck_gru_reset_f32", "n %zu, gate %d", n, f.gate);
  ck_gru_reset_f32(i, forget, &f, g, z_out, rh, n);
  expect(gates, z_out, n, 4e-6, 4e-6);
  expect(resets, rh, n, 4e-6, 4e-6);
  at("ck_gru_cell_f32", "n %zu, cell %d", n, f.cell);
  ck_gru_cell_f32(i, o, &f, g, next, n);
  expect(candidates, next, n, 4e-6, 4e-6);
  at("ck_lstm_cell_f32", "n %zu, functions %d %d %d, clip %g%s%s%s", n, f.gate, f.cell, f.output, (double)clip,
     pi ? ", of i" : "", pf ? ", of f" : "", po ? ", of o" : "");
  ck_lstm_cell_f32(i, forget, o, g, pi, pf, po, &f, clip, c, h, n);
  expect(cells, c, n, 4e-6, 4e-6);
  expect(states, h, n, 4e-6, 4e-6);
}

/// Weights as stored, [gates * hidden, depth], and packed.
static ck_recurrent_weights random_weights(
    size_t gates, size_t hidden, size_t depth, float **stored, size_t stored_gates) {
  ck_recurrent_weights w = {.gates = gates, .hidden = hidden, .depth = depth, .f16 = random_bool()};
  size_t size = ck_recurrent_unit_size(gates), units = (hidden + size - 1) / size, ldw = depth + random_size(0, 2);
  size_t shift = random_size(0, stored_gates - 1);
  for (size_t g = 0; g < gates; g++) w.order[g] = (g + shift) % stored_gates;
  float *all = floats(stored_gates * hidden * ldw, -1, 1);
  for (size_t i = 0; i < stored_gates * hidden * ldw; i++) all[i] = (float)plain_half(plain_half_of((double)all[i]));
  void *packed = take(ck_recurrent_packed_size(gates, hidden, depth) * (w.f16 ? 2 : 4));
  for (size_t u = 0; u < units; u++) {
    for (size_t g = 0; g < gates; g++)
      ck_recurrent_pack_f32(
          gates, hidden, depth, all + (w.order[g] * hidden + u * size) * ldw, ldw, g, u, w.f16, packed);
  }
  w.packed = packed;
  *stored = floats(stored_gates * hidden * depth, 0, 0);
  for (size_t i = 0; i < stored_gates * hidden * depth && depth > 0; i++)
    (*stored)[i] = all[i / depth * ldw + i % depth];
  return w;
}

static double product(const float *row, const float *x, size_t depth) {
  double sum = 0;
  for (size_t k = 0; k < depth; k++) sum += (double)row[k] * (double)x[k];
  return sum;
}

static void check_product(size_t gates) {
  size_t hidden = random_size(1, 90), depth = random_size(0, 80), rows = random_size(0, 20),
         size = ck_recurrent_unit_size(gates);
  size_t units = (hidden + size - 1) / size, wide = units * gates * size, ldx = depth + random_size(0, 2),
         ldo = wide + random_size(0, 2);
  size_t begin = random_size(0, units), end = random_size(begin, units);
  float *w, *x = floats(rows * ldx, -1, 1), *bias = random_bool() ? NULL : floats(gates * hidden, -1, 1),
            *out = blank(rows * ldo);
  at("ck_recurrent_product_f32", "%zu gates, hidden %zu, depth %zu, %zu rows, %zu and %zu apart, units %zu to %zu%s",
     gates, hidden, depth, rows, ldx, ldo, begin, end, bias ? " with biases" : "");
  ck_recurrent_weights weights = random_weights(gates, hidden, depth, &w, gates);
  double *expected = zeros(rows * ldo);
  for (size_t i = 0; i < rows * ldo; i++) {
    size_t column = i % ldo, unit = column / (gates * size), g = column % (gates * size) / size,
           at = unit * size + column % size;
    if (column >= wide || unit < begin || unit >= end) {
      expected[i] = UNTOUCHED;
    } else if (at < hidden) {
      size_t row = weights.order[g] * hidden + at;
      expected[i] = product(w + row * depth, x + i / ldo * ldx, depth) + (bias ? (double)bias[row] : 0);
    }
  }
  ck_recurrent_product_f32(&weights, rows, x, ldx, bias, out, ldo, begin, end);
  expect(expected, out, rows * ldo, 2e-7, product_bound(depth));
}

/// Compares a step's output for the existing hidden units, without the padding.
static void expect_states(
    const double *expected, const float *found, size_t batch, size_t hidden, size_t ld, double bound) {
  float *dense = take(batch * hidden * 4);
  for (size_t i = 0; i < batch; i++) memcpy(dense + i * hidden, found + i * ld, hidden * 4);
  expect(expected, dense, batch * hidden, 4e-6, bound);
}

static void check_step(ck_recurrent_kind kind) {
  static const size_t gates_of[] = {1, 4, 2, 1, 3};
  size_t gates = gates_of[kind], hidden = random_size(1, 90), batch = random_size(1, 14),
         size = ck_recurrent_unit_size(gates);
  size_t units = (hidden + size - 1) / size, widest = 4 * ck_block_size(),
         ld = (hidden + widest - 1) / widest * widest + random_size(0, 3);
  size_t ldsums = units * gates * size + random_size(0, 3), begin = random_size(0, units),
         end = random_size(begin, units), n = batch * ld;
  bool usual = random_bool(), backward = random_bool();
  float *w, *sums = floats(batch * ldsums, -1, 1), *h = floats(n, -1, 1), *old = floats(n, -1, 1);
  float *next = blank(n), *c = floats(n, -1, 1), *z = kind == CK_RECURRENT_GRU_GATES ? blank(n) : floats(n, 0, 1);
  ck_recurrent_step s = {
      .kind = kind,
      .weights = random_weights(gates, hidden, hidden, &w, gates),
      .batch = batch,
      .ld = ld,
      .ldsums = ldsums,
      .sums = sums,
      .h = h,
      .next = next,
      .c = c,
      .z = z,
      .old = old,
      .limit = usual || random_bool() ? INFINITY : 1.0f,
      .clip = usual || random_bool() ? INFINITY : 0.4f,
      .functions = random_functions(usual),
      .coupled = !usual && random_bool()};
  if (random_bool()) s.bias = floats(hidden, -1, 1);
  if (!usual && random_bool()) s.peephole = floats(3 * hidden, -1, 1);
  const ck_recurrent_activations *f = &s.functions;
  size_t dense = batch * hidden;
  double *states = zeros(dense), *cells = zeros(dense), *shares = zeros(dense);
  for (size_t i = 0; i < dense; i++) {
    size_t item = i / hidden, at = i % hidden, unit = at / size, place = item * ld + at;
    double sum[4], part[4], input[4];
    for (size_t g = 0; g < gates; g++) {
      part[g] = product(w + (s.weights.order[g] * hidden + at) * hidden, h + item * ld, hidden);
      input[g] = (double)sums[item * ldsums + unit * gates * size + g * size + at % size], sum[g] = part[g] + input[g];
    }
    double before = (double)c[place], state = (double)h[place], share;
    cells[i] = before, shares[i] = kind == CK_RECURRENT_GRU_GATES ? UNTOUCHED : (double)z[place];
    if (unit < begin || unit >= end) {
      states[i] = UNTOUCHED;
      continue;
    }
#define GATE(x) gate(f, within(x, s.limit))
#define CELL(x) cell(f, within(x, s.limit))
    switch (kind) {
      case CK_RECURRENT_PLAIN: states[i] = CELL(sum[0]); break;
      case CK_RECURRENT_LSTM: {
        const float *p = s.peephole;
        double in = GATE(sum[0] + (p ? (double)p[at] * before : 0));
        double keep = s.coupled ? 1 - in : GATE(sum[1] + (p ? (double)p[hidden + at] * before : 0));
        cells[i] = within(keep * before + in * CELL(sum[3]), s.clip);
        states[i] = GATE(sum[2] + (p ? (double)p[2 * hidden + at] * cells[i] : 0)) * output(f, cells[i]);
        break;
      }
      case CK_RECURRENT_GRU_GATES: states[i] = GATE(sum[0]) * state, shares[i] = GATE(sum[1]); break;
      case CK_RECURRENT_GRU_CANDIDATE:
        share = (double)z[place], states[i] = share * (double)old[place] + (1 - share) * CELL(sum[0]);
        break;
      case CK_RECURRENT_GRU_AFTER:
        share = GATE(sum[1]);
        states[i] =
            share * state + (1 - share) * CELL(GATE(sum[0]) * (part[2] + (s.bias ? (double)s.bias[at] : 0)) + input[2]);
        break;
    }
  }
  at("ck_recurrent_step_f32",
     "kind %d, %zu items, hidden %zu, %zu and %zu apart, units %zu to %zu%s, functions %d %d %d, limit %g, clip "
     "%g%s%s%s",
     kind, batch, hidden, ld, ldsums, begin, end, backward ? " backward" : "", f->gate, f->cell, f->output,
     (double)s.limit, (double)s.clip, s.coupled ? ", coupled" : "", s.peephole ? ", peepholes" : "",
     s.weights.f16 ? ", fp16" : "");
  ck_recurrent_step_f32(&s, begin, end, backward);
  double bound = 4 * product_bound(hidden) + 4e-6;
  expect_states(states, next, batch, hidden, ld, bound);
  expect_states(cells, c, batch, hidden, ld, bound);
  expect_states(shares, z, batch, hidden, ld, bound);
}

void check_recurrent(void) {
  for (size_t turn = 0; turn < 40; turn++) {
    check_cells(), release();
    for (size_t gates = 1; gates <= 4; gates++) check_product(gates), release();
    for (int kind = CK_RECURRENT_PLAIN; kind <= CK_RECURRENT_GRU_AFTER; kind++)
      check_step((ck_recurrent_kind)kind), release();
  }
}
