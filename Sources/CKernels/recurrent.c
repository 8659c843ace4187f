// Recurrent cells, in blocks that stay in L1. Each function is one call of a unary kernel.
#include <math.h>

#include "table.h"

enum { BLOCK = 128 };

static void clip_block(float *x, float clip, size_t n) {
  if (!(clip < INFINITY)) return;
  ck_table()->unary_f32[CK_UNARY_CLIP](-clip, clip, x, x, n);
}

/// to = function(from + peephole * cell).
static void gate_block(
    const float *from, const float *peephole, const float *cell, ck_unary_op function, float alpha, float beta,
    float *to, size_t n) {
  if (peephole) {
    for (size_t k = 0; k < n; k++) to[k] = from[k] + peephole[k] * cell[k];
  } else {
    for (size_t k = 0; k < n; k++) to[k] = from[k];
  }
  ck_table()->unary_f32[function](alpha, beta, to, to, n);
}

void ck_lstm_cell_f32(
    const float *i, const float *f, const float *o, const float *g, const float *peephole_i, const float *peephole_f,
    const float *peephole_o, const ck_recurrent_activations *a, float clip, float *c, float *h, size_t n) {
  float gate_i[BLOCK], gate_f[BLOCK], gate_g[BLOCK], gate_o[BLOCK];
  for (size_t at = 0; at < n; at += BLOCK) {
    size_t m = n - at < BLOCK ? n - at : BLOCK;
    float *cell = c + at;
    gate_block(i + at, peephole_i ? peephole_i + at : NULL, cell, a->gate, a->gate_alpha, a->gate_beta, gate_i, m);
    gate_block(f + at, peephole_f ? peephole_f + at : NULL, cell, a->gate, a->gate_alpha, a->gate_beta, gate_f, m);
    gate_block(g + at, NULL, cell, a->cell, a->cell_alpha, a->cell_beta, gate_g, m);
    for (size_t k = 0; k < m; k++) cell[k] = gate_f[k] * cell[k] + gate_i[k] * gate_g[k];
    clip_block(cell, clip, m);
    gate_block(o + at, peephole_o ? peephole_o + at : NULL, cell, a->gate, a->gate_alpha, a->gate_beta, gate_o, m);
    ck_table()->unary_f32[a->output](a->output_alpha, a->output_beta, cell, gate_g, m);
    for (size_t k = 0; k < m; k++) h[at + k] = gate_o[k] * gate_g[k];
  }
}

void ck_gru_reset_f32(
    const float *z, const float *r, const ck_recurrent_activations *a, const float *h, float *z_out, float *rh,
    size_t n) {
  float reset[BLOCK];
  for (size_t at = 0; at < n; at += BLOCK) {
    size_t m = n - at < BLOCK ? n - at : BLOCK;
    ck_table()->unary_f32[a->gate](a->gate_alpha, a->gate_beta, r + at, reset, m);
    ck_table()->unary_f32[a->gate](a->gate_alpha, a->gate_beta, z + at, z_out + at, m);
    for (size_t k = 0; k < m; k++) rh[at + k] = reset[k] * h[at + k];
  }
}

void ck_gru_cell_f32(
    const float *z, const float *o, const ck_recurrent_activations *a, const float *h, float *h_out, size_t n) {
  float candidate[BLOCK];
  for (size_t at = 0; at < n; at += BLOCK) {
    size_t m = n - at < BLOCK ? n - at : BLOCK;
    ck_table()->unary_f32[a->cell](a->cell_alpha, a->cell_beta, o + at, candidate, m);
    for (size_t k = at; k < at + m; k++) h_out[k] = (1 - z[k]) * candidate[k - at] + z[k] * h[k];
  }
}
