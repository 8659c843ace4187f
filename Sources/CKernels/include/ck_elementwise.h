// Elementwise operations: unary, binary with broadcasting, comparisons, logic, select.
//
// Broadcasting: `shape` is the shape of the contiguous output. A stride of 0 repeats an operand along that axis;
// negative and other strides are allowed. Rank is at most CK_MAX_RANK; rank 0 is one element. For a greater rank a
// function returns false and writes nothing. `out` may alias an operand that has the output's own contiguous strides.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

enum { CK_MAX_RANK = 8 };

/// Functions of one value x with up to two parameters a (alpha) and b (beta). A NaN input gives a NaN output, except in
/// CK_UNARY_STEPS and CK_UNARY_POSITIVE_STEPS.
typedef enum ck_unary_op {
  CK_UNARY_IDENTITY,
  CK_UNARY_ABS,
  CK_UNARY_NEG,
  CK_UNARY_SIGN,        // -1, 0, 1
  CK_UNARY_SQUARE,
  CK_UNARY_RECIPROCAL,  // 1 / (x + a)
  CK_UNARY_SQRT,
  CK_UNARY_RSQRT,       // 1 / sqrt(x + a)
  CK_UNARY_EXP,
  CK_UNARY_EXP2,
  CK_UNARY_EXPM1,
  CK_UNARY_LOG,         // log(x + a)
  CK_UNARY_LOG1P,
  CK_UNARY_FLOOR,
  CK_UNARY_CEIL,
  CK_UNARY_ROUND,       // to nearest, ties to even
  CK_UNARY_TRUNC,
  CK_UNARY_SIN,
  CK_UNARY_COS,
  CK_UNARY_TAN,
  CK_UNARY_ASIN,
  CK_UNARY_ACOS,
  CK_UNARY_ATAN,
  CK_UNARY_SINH,
  CK_UNARY_COSH,
  CK_UNARY_TANH,
  CK_UNARY_ASINH,
  CK_UNARY_ACOSH,
  CK_UNARY_ATANH,
  CK_UNARY_ERF,
  CK_UNARY_POW,               // x ^ a
  CK_UNARY_LINEAR,            // a x + b
  CK_UNARY_CLIP,              // min(max(x, a), b)
  CK_UNARY_THRESHOLD,         // max(x, a)
  CK_UNARY_RELU,
  CK_UNARY_RELU6,
  CK_UNARY_CLAMPED_RELU,      // min(x >= 0 ? x : a x, b)
  CK_UNARY_LEAKY_RELU,        // x >= 0 ? x : a x
  CK_UNARY_THRESHOLDED_RELU,  // x >= a ? x : 0
  CK_UNARY_ELU,               // x >= 0 ? x : a (exp(x) - 1)
  CK_UNARY_SIGMOID,
  CK_UNARY_HARD_SIGMOID,      // min(max(a x + b, 0), 1)
  CK_UNARY_HARD_SWISH,        // x min(max(x + 3, 0), 6) / 6
  CK_UNARY_SILU,              // x sigmoid(x)
  CK_UNARY_SCALED_TANH,       // a tanh(b x)
  CK_UNARY_SOFTPLUS,          // log(1 + exp(x))
  CK_UNARY_PARAMETRIC_SOFTPLUS,  // a log(1 + exp(b x))
  CK_UNARY_SOFTSIGN,          // x / (1 + |x|)
  CK_UNARY_GELU,              // x (1 + erf(x / sqrt 2)) / 2
  CK_UNARY_GELU_TANH,         // x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  CK_UNARY_GELU_SIGMOID,      // x sigmoid(1.702 x)
  CK_UNARY_MISH,              // x tanh(log(1 + exp(x)))
  CK_UNARY_STEPS,             // a min(max(round(x / a), b), b + 255), ties to even, NaN as 0; b: integer, -255 ... 0
  CK_UNARY_POSITIVE_STEPS,    // as CK_UNARY_STEPS, clamped to 0 ... b
  CK_UNARY_HARD_SWISH_SCALED,  // x min(max(a x + b / 2, 0), b)
  CK_UNARY_HARD_SWISH_CUT,     // x >= b ? x min(max(a x + 1 / 2, 0), 1) : 0
  CK_UNARY_COUNT
} ck_unary_op;

/// out[i] = op(in[i]) for n values. `out` may alias `in`. Errors are a few 1e-7 relative to the result, or (GELU) to
/// max(|x|, 1). vexp.h and vactivation.h state the bounds. TAN to ACOSH use libm.
void ck_unary_f32(ck_unary_op op, float alpha, float beta, const float *in, float *out, size_t n);

/// As ck_unary_f32 over [outer, channels, inner], with one alpha and one beta (NULL: 0) per channel. PReLU is op
/// LEAKY_RELU. `out` may alias `in`.
void ck_unary_per_channel_f32(
    ck_unary_op op, const float *alpha, const float *_Nullable beta, const float *in, float *out, size_t outer,
    size_t channels, size_t inner);

/// int32: IDENTITY, ABS, NEG, SIGN, SQUARE, CLIP, THRESHOLD, RELU, LINEAR, wrapping on overflow. For any other op it
/// returns false and writes nothing. `out` may alias `in`.
bool ck_unary_i32(ck_unary_op op, int32_t alpha, int32_t beta, const int32_t *in, int32_t *out, size_t n);

/// MAX and MIN return NaN if either operand is NaN. FLOOR_DIV is floor(a / b) of the exact quotient. MOD has the sign
/// of b (Python's `//` and `%`; a // 0 is a / 0, and a mod 0 is NaN).
///
/// int32: wraps on overflow (INT32_MIN / -1 = INT32_MIN, remainder 0). a // 0, a mod 0 and a DIV 0 are 0.
typedef enum ck_binary_op {
  CK_BINARY_ADD,
  CK_BINARY_SUB,
  CK_BINARY_MUL,
  CK_BINARY_DIV,        // int32: toward zero
  CK_BINARY_MAX,
  CK_BINARY_MIN,
  CK_BINARY_POW,        // int32: wraps; a negative exponent gives 1 / a^|b| toward zero, 0 for a = 0
  CK_BINARY_FLOOR_DIV,
  CK_BINARY_MOD,
  CK_BINARY_COUNT
} ck_binary_op;

bool ck_binary_f32(
    ck_binary_op op, const float *a, const float *b, float *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b);
bool ck_binary_i32(
    ck_binary_op op, const int32_t *a, const int32_t *b, int32_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b);

/// Comparisons with NaN are false, except NE.
typedef enum ck_compare_op {
  CK_COMPARE_EQ,
  CK_COMPARE_NE,
  CK_COMPARE_LT,
  CK_COMPARE_LE,
  CK_COMPARE_GT,
  CK_COMPARE_GE,
  CK_COMPARE_COUNT
} ck_compare_op;

bool ck_compare_f32(
    ck_compare_op op, const float *a, const float *b, uint8_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b);
bool ck_compare_i32(
    ck_compare_op op, const int32_t *a, const int32_t *b, uint8_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b);

typedef enum ck_logical_op { CK_LOGICAL_AND, CK_LOGICAL_OR, CK_LOGICAL_XOR, CK_LOGICAL_COUNT } ck_logical_op;

bool ck_logical_u8(
    ck_logical_op op, const uint8_t *a, const uint8_t *b, uint8_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b);

/// out[i] = in[i] == 0. `out` may alias `in`.
void ck_logical_not_u8(const uint8_t *in, uint8_t *out, size_t n);

/// out = condition ? a : b for elements of 1, 2, 4 or 8 bytes. Returns false for another size or a rank above
/// CK_MAX_RANK.
bool ck_select(
    size_t element_size, const uint8_t *condition, const void *a, const void *b, void *out, size_t rank,
    const ptrdiff_t *shape, const ptrdiff_t *strides_condition, const ptrdiff_t *strides_a, const ptrdiff_t *strides_b);

#pragma clang assume_nonnull end
