// Gradients of pooling, fp32, channel-first, one image per call. Windows are not dilated.
#pragma once
#include "ck_conv.h"
#pragma clang assume_nonnull begin

/// Adds each window's gradient, [channels, out_d, out_h, out_w], to the first maximum among its elements in `in`.
/// Clears `out` first.
void ck_max_pool_gradient_f32(
    const ck_window *shape, const float *in, const float *gradient, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end);

/// Adds each window's gradient to all of its elements. Clears `out` first.
void ck_pool_sum_gradient_f32(
    const ck_window *shape, const float *gradient, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

#pragma clang assume_nonnull end
