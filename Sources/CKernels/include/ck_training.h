// Gradients of pools, float32, channel-first, one image a call; windows are not dilated.
//
//   ck_max_pool_gradient_f32   (shape, in, gradient, out, channel_begin, channel_end)
//   ck_pool_sum_gradient_f32   (shape, gradient, out, channel_begin, channel_end)
#pragma once
#include "ck_conv.h"
#pragma clang assume_nonnull begin

/// The gradient of each window, [channels, out_d, out_h, out_w], goes to the first greatest of its elements in `in`; `out` is cleared first.
void ck_max_pool_gradient_f32(
    const ck_window *shape, const float *in, const float *gradient, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end);

/// The gradient of each window goes to all of its elements; `out` is cleared first.
void ck_pool_sum_gradient_f32(
    const ck_window *shape, const float *gradient, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

#pragma clang assume_nonnull end
