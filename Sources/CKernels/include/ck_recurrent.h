// Recurrent layers: steps over packed weights, and the cells of LSTM and GRU for given gate pre-activations.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_elementwise.h"
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// Gate, cell-input and output functions with their parameters; Core ML's defaults are SIGMOID, TANH, TANH.
typedef struct ck_recurrent_activations {
  ck_unary_op gate, cell, output;
  float gate_alpha, gate_beta, cell_alpha, cell_beta, output_alpha, output_beta;
} ck_recurrent_activations;

/// n hidden units: i = gate(i + peephole_i c), f = gate(f + peephole_f c), c' = f c + i cell(g), clamped to -clip ...
/// clip (infinite clip: not clamped), o = gate(o + peephole_o c'), h = o output(c'). Updates `c` in place and writes
/// `h`. Peepholes may be NULL. `h` may alias any of the gates.
void ck_lstm_cell_f32(
    const float *i, const float *f, const float *o, const float *g, const float *_Nullable peephole_i,
    const float *_Nullable peephole_f, const float *_Nullable peephole_o, const ck_recurrent_activations *activations,
    float clip, float *c, float *h, size_t n);

/// z_out = gate(z), rh = gate(r) * h. `rh` is the input of the candidate's recurrent product. For the "reset after"
/// variant pass that product (plus bias) as `h`. z_out may alias z; rh may alias r or h.
void ck_gru_reset_f32(
    const float *z, const float *r, const ck_recurrent_activations *activations, const float *h, float *z_out,
    float *rh, size_t n);

/// h_out = (1 - z) cell(o) + z h, with z already activated and o the candidate's pre-activation. h_out may alias h.
void ck_gru_cell_f32(
    const float *z, const float *o, const ck_recurrent_activations *activations, const float *h, float *h_out,
    size_t n);

/// Weights of 1 to 4 gates, `hidden` rows of `depth` elements each. They are packed for products of units, each
/// `ck_recurrent_unit_size` hidden units.
typedef struct ck_recurrent_weights {
  size_t gates, hidden, depth;
  size_t order[4];  // indices of the gates in the stored weights and biases
  bool f16;
  const void *_Nullable packed;
} ck_recurrent_weights;

/// Hidden units of a unit. A unit's accumulators hold this many elements for each gate, gate after gate.
CK_KERNEL(base) size_t ck_recurrent_unit_size(size_t gates);
/// Elements of the packed weights.
CK_KERNEL(base) size_t ck_recurrent_packed_size(size_t gates, size_t hidden, size_t depth);
/// Packs one unit's part of one gate. `w` points to the first of the unit's rows in that gate; rows are `ldw` apart.
/// Calls for every gate of every unit fill the whole buffer.
CK_KERNEL(base) void ck_recurrent_pack_f32(
    size_t gates, size_t hidden, size_t depth, const float *w, size_t ldw, size_t gate, size_t unit, bool f16,
    void *packed);

/// out[row] = x[row] times the weights, plus the biases of all stored gates, for the given units. The output is laid
/// out unit after unit.
CK_KERNEL(base) void ck_recurrent_product_f32(
    const ck_recurrent_weights *weights, size_t rows, const float *x, size_t ldx, const float *_Nullable bias,
    float *out, size_t ldo, size_t unit_begin, size_t unit_end);

typedef enum {
  CK_RECURRENT_PLAIN,          // h' = cell(sum)
  CK_RECURRENT_LSTM,           // gates i, f, o, g
  CK_RECURRENT_GRU_GATES,      // r, z: next = r h, and z
  CK_RECURRENT_GRU_CANDIDATE,  // g of r h (passed as `h`): next = z old + (1 - z) g
  CK_RECURRENT_GRU_AFTER,      // r, z, g: the reset gate multiplies the recurrent product of g, with `bias`
} ck_recurrent_kind;

/// One time step of a layer. States have `ld` elements per batch item; elements from `hidden` on are padding but must
/// be finite. `next` aliases no other state.
typedef struct ck_recurrent_step {
  ck_recurrent_kind kind;
  ck_recurrent_weights weights;
  size_t batch, ld, ldsums;
  const float *_Nullable sums;  // the input's contribution with biases, as ck_recurrent_product_f32 writes it
  const float *_Nullable h;
  float *_Nullable next;
  float *_Nullable c;            // LSTM: updated in place
  float *_Nullable z;            // GRU in two parts: the update gate
  const float *_Nullable old;    // GRU_CANDIDATE: the previous state
  const float *_Nullable bias;   // GRU_AFTER: bias of the recurrent product
  const float *_Nullable peephole;  // LSTM: peepholes of i, f, o
  bool coupled;                  // LSTM: f = 1 - i
  float limit;                   // gates and candidates are clamped to -limit ... limit before their functions
  float clip;                    // LSTM: cells are clamped to -clip ... clip
  ck_recurrent_activations functions;
} ck_recurrent_step;

/// `backward`: processes the units from last to first. If steps alternate the direction, each one finds in the cache
/// what the previous one read last.
CK_KERNEL(base) void ck_recurrent_step_f32(
    const ck_recurrent_step *step, size_t unit_begin, size_t unit_end, bool backward);

#pragma clang assume_nonnull end
