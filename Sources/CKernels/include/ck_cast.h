// Conversions between element types.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

typedef enum ck_type {
  CK_TYPE_F16,
  CK_TYPE_F32,
  CK_TYPE_F64,
  CK_TYPE_I8,
  CK_TYPE_U8,
  CK_TYPE_I16,
  CK_TYPE_U16,
  CK_TYPE_I32,
  CK_TYPE_U32,
  CK_TYPE_I64,
  CK_TYPE_U64,
  CK_TYPE_BOOL,
  CK_TYPE_COUNT
} ck_type;

/// Bytes of one element; 0 if `type` is not a valid type.
size_t ck_type_size(ck_type type);

/// out[i] = in[i] converted to another type, n elements. `out` may alias `in` when the two sizes are equal.
/// - Floating to integer truncates toward zero and saturates; NaN gives 0.
/// - Integer to narrower integer keeps the low bits.
/// - Anything to floating rounds to nearest even (F16 above 65519: infinity).
/// - To BOOL is x != 0 (NaN: true); from BOOL gives 0 or 1.
///
/// Returns false and writes nothing if `from` or `to` is not a valid type.
bool ck_cast(ck_type from, ck_type to, const void *in, void *out, size_t n);

CK_KERNEL(base) void ck_f16_to_f32(const uint16_t *in, float *out, size_t n);
CK_KERNEL(base) void ck_f32_to_f16(const float *in, uint16_t *out, size_t n);

/// out = (in - zero_point) scale over [outer, channels, inner]. Each channel has one scale and one zero point (NULL:
/// 0).
CK_KERNEL(base) void ck_dequantize_i8_f32(
    const int8_t *in, const float *scale, const int8_t *_Nullable zero_point, float *out, size_t outer, size_t channels,
    size_t inner);
CK_KERNEL(base) void ck_dequantize_u8_f32(
    const uint8_t *in, const float *scale, const uint8_t *_Nullable zero_point, float *out, size_t outer,
    size_t channels, size_t inner);

/// out = clamp(round_half_even(in / scale) + zero_point) over [outer, channels, inner]. NaN gives the zero point.
CK_KERNEL(base) void ck_quantize_f32_i8(
    const float *in, const float *scale, const int8_t *_Nullable zero_point, int8_t *out, size_t outer, size_t channels,
    size_t inner);
CK_KERNEL(base) void ck_quantize_f32_u8(
    const float *in, const float *scale, const uint8_t *_Nullable zero_point, uint8_t *out, size_t outer,
    size_t channels, size_t inner);

/// out[i] = table[index i]. Indices have `bits` = 1, 2, 3, 4, 6 or 8 bits. They are packed without gaps from the least
/// significant bit of the first byte. `table` has 2^bits entries. Returns false and writes nothing for other widths.
CK_KERNEL(base, avx512vbmi) bool ck_lookup_f32(
    size_t bits, const uint8_t *indices, const float *table, float *out, size_t n);

/// x[i] = (x[i] - offset[e]) scale[e] in place, where e = (first + i) / run. So `run` consecutive elements share an
/// entry, and x[0] is element `first` (less than `run`) of its run. offset NULL: 0.
CK_KERNEL(base) void ck_shift_scale_f32(
    float *x, const float *scale, const float *_Nullable offset, size_t run, size_t first, size_t n);

/// As ck_shift_scale_f32. The difference and the product are in double precision and rounded once.
CK_KERNEL(base) void ck_shift_scale_exact_f32(
    float *x, const float *scale, const float *_Nullable offset, size_t run, size_t first, size_t n);

/// Rounds every element to binary16, in place.
CK_KERNEL(base) void ck_round_f16_f32(float *x, size_t n);

/// out[i] = the next of `values` where bit first + i of `mask` is set, else 0. Bits count from the least significant
/// bit of the first byte. Returns the number of values used and reads no others.
CK_KERNEL(base) size_t ck_spread_f32(const uint8_t *mask, size_t first, const float *values, float *out, size_t n);

#pragma clang assume_nonnull end
