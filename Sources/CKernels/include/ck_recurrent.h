// One step of LSTM and GRU cells, given the gates' pre-activations (input and recurrent products plus biases).
//
//   ck_lstm_cell_f32  (i, f, o, g, peephole_i?, peephole_f?, peephole_o?, activations, clip, c, h, n)
//   ck_gru_reset_f32  (z, r, activations, h, z_out, rh, n)
//   ck_gru_cell_f32   (z, o, activations, h, h_out, n)
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_elementwise.h"
#pragma clang assume_nonnull begin

/// Gate, cell-input and output functions with their parameters; Core ML's defaults are SIGMOID, TANH, TANH.
typedef struct ck_recurrent_activations {
  ck_unary_op gate, cell, output;
  float gate_alpha, gate_beta, cell_alpha, cell_beta, output_alpha, output_beta;
} ck_recurrent_activations;

/// n units: i = gate(i + peephole_i c), f = gate(f + peephole_f c), c' = f c + i cell(g), clamped to -clip ... clip (clip
/// infinite: not), o = gate(o + peephole_o c'), h = o output(c'). `c` is updated in place, `h` written. Peepholes may be NULL.
/// `h` may alias any of the gates.
void ck_lstm_cell_f32(
    const float *i, const float *f, const float *o, const float *g, const float *_Nullable peephole_i,
    const float *_Nullable peephole_f, const float *_Nullable peephole_o, const ck_recurrent_activations *activations,
    float clip, float *c, float *h, size_t n);

/// z_out = gate(z), rh = gate(r) * h: `rh` is what the recurrent product of the candidate is taken of. With `h` replaced by
/// that product (plus bias), it is the "reset after" form. z_out may alias z, rh may alias r or h.
void ck_gru_reset_f32(
    const float *z, const float *r, const ck_recurrent_activations *activations, const float *h, float *z_out, float *rh,
    size_t n);

/// h_out = (1 - z) cell(o) + z h, with z already activated and o the candidate's pre-activation. h_out may alias h.
void ck_gru_cell_f32(
    const float *z, const float *o, const ck_recurrent_activations *activations, const float *h, float *h_out, size_t n);

#pragma clang assume_nonnull end
