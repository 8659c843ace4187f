// Softmax and normalizations, fp32. In all except ck_local_response_norm_f32, `out` may alias `in`. gamma and beta may
// be NULL (1 and 0). Each has one element per column, or per channel where the input has channels.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// exp(x - max) / sum along the middle axis of [outer, axis, inner].
CK_KERNEL(base) void ck_softmax_f32(const float *in, float *out, size_t outer, size_t axis, size_t inner);

/// Softmax of scale * in + mask along the rows of [rows, columns]. `mask` is one row of `columns`, or NULL. A row that
/// is -inf throughout gives NaN, as the formula does.
CK_KERNEL(base) void ck_softmax_scaled_f32(
    const float *in, float scale, const float *_Nullable mask, float *out, size_t rows, size_t columns);

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta along the rows of [rows, columns]. The variance is the
/// population variance.
CK_KERNEL(base) void ck_layer_norm_f32(
    const float *in, const float *_Nullable gamma, const float *_Nullable beta, float epsilon, float *out, size_t rows,
    size_t columns);

/// x / sqrt(mean(x^2) + epsilon) * gamma along the rows of [rows, columns].
CK_KERNEL(base) void ck_rms_norm_f32(
    const float *in, const float *_Nullable gamma, float epsilon, float *out, size_t rows, size_t columns);

/// Normalizes every (batch, group) of [batch, channels, spatial] over its channels and positions. gamma and beta have
/// one element per channel. `groups` must divide `channels`; groups = channels is instance norm.
CK_KERNEL(base) void ck_group_norm_f32(
    const float *in, const float *_Nullable gamma, const float *_Nullable beta, float epsilon, float *out, size_t batch,
    size_t channels, size_t groups, size_t spatial);

/// (x - mean[c]) / sqrt(variance[c] + epsilon) * gamma[c] + beta[c] over [batch, channels, spatial]. If variance is
/// NULL, the factor is gamma alone.
CK_KERNEL(base) void ck_batch_norm_f32(
    const float *in, const float *mean, const float *_Nullable variance, const float *_Nullable gamma,
    const float *_Nullable beta, float epsilon, float *out, size_t batch, size_t channels, size_t spatial);

/// x / sqrt(sum(x^2) + epsilon) along the rows of [rows, columns].
CK_KERNEL(base) void ck_l2_norm_f32(const float *in, float epsilon, float *out, size_t rows, size_t columns);

/// x / (k + alpha / size * sum of x^2 over `size` neighboring channels)^beta over [batch, channels, spatial]. The
/// neighbors are those of c - size / 2 ... c + (size - 1) / 2 that exist. `out` must NOT alias `in`.
CK_KERNEL(base) void ck_local_response_norm_f32(
    const float *in, size_t size, float alpha, float beta, float k, float *out, size_t batch, size_t channels,
    size_t spatial);

#pragma clang assume_nonnull end
