// Recurrent layers: steps over packed weights, and cells of LSTM and GRU given the gates' pre-activations.
//
//   ck_recurrent_product_f32  (weights, rows, x, ldx, bias?, out, ldo, unit_begin, unit_end)
//   ck_recurrent_step_f32     (step, unit_begin, unit_end, backward)
//   ck_lstm_cell_f32          (i, f, o, g, peephole_i?, peephole_f?, peephole_o?, activations, clip, c, h, n)
//   ck_gru_reset_f32          (z, r, activations, h, z_out, rh, n)
//   ck_gru_cell_f32           (z, o, activations, h, h_out, n)
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

/// Weights of 1 to 4 gates, `hidden` rows of `depth` each, packed for products by units: `ck_recurrent_unit_size` hidden units each.
typedef struct ck_recurrent_weights {
  size_t gates, hidden, depth;
  size_t order[4];  // the gates' numbers where they are stored, and have their biases
  bool f16;
  const void *_Nullable packed;
} ck_recurrent_weights;

/// Hidden units of a unit; its sums are as many numbers of each gate, one gate after the other.
size_t ck_recurrent_unit_size(size_t gates);
/// Numbers of packed weights.
size_t ck_recurrent_packed_size(size_t gates, size_t hidden, size_t depth);
/// Packs what a unit has of a gate: `w` is the first of its rows there, rows `ldw` apart. Every gate of every unit makes all of it.
void ck_recurrent_pack_f32(
    size_t gates, size_t hidden, size_t depth, const float *w, size_t ldw, size_t gate, size_t unit, bool f16,
    void *packed);

/// out[row] = x[row] times the weights, plus the biases of all stored gates, unit after unit, for some units.
void ck_recurrent_product_f32(
    const ck_recurrent_weights *weights, size_t rows, const float *x, size_t ldx, const float *_Nullable bias, float *out,
    size_t ldo, size_t unit_begin, size_t unit_end);

typedef enum {
  CK_RECURRENT_PLAIN,          // h' = cell(sum)
  CK_RECURRENT_LSTM,           // gates i, f, o, g
  CK_RECURRENT_GRU_GATES,      // r, z: next = r h, and z
  CK_RECURRENT_GRU_CANDIDATE,  // g of r h (`h` here): next = z old + (1 - z) g
  CK_RECURRENT_GRU_AFTER,      // r, z, g: the reset gate multiplies the recurrent product of g, with `bias`
} ck_recurrent_kind;

/// A step of a layer. States are `ld` numbers an item, of which those behind `hidden` mean nothing but are finite; `next` is none of the
/// others.
typedef struct ck_recurrent_step {
  ck_recurrent_kind kind;
  ck_recurrent_weights weights;
  size_t batch, ld, ldsums;
  const float *_Nullable sums;  // the input's part, with biases, as the product gives it
  const float *_Nullable h;
  float *_Nullable next;
  float *_Nullable c;            // LSTM: in place
  float *_Nullable z;            // GRU in two parts
  const float *_Nullable old;    // GRU_CANDIDATE: the state before
  const float *_Nullable bias;   // GRU_AFTER
  const float *_Nullable peephole;  // LSTM: of i, f, o
  bool coupled;                  // LSTM: f = 1 - i
  float limit;                   // gates and candidates are clamped to it before their functions
  float clip;                    // LSTM: cells are clamped to it
  ck_recurrent_activations functions;
} ck_recurrent_step;

/// `backward`: from the last unit to the first. Steps that take turns find in the cache what the one before read last.
void ck_recurrent_step_f32(const ck_recurrent_step *step, size_t unit_begin, size_t unit_end, bool backward);

#pragma clang assume_nonnull end
