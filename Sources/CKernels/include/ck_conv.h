// Convolution and pooling, fp32, channel-first, one image per call ([channels, depth, height, width]).
//
// Global pooling is ck_reduce_f32 over [channels, spatial, 1].
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_elementwise.h"
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// The geometry of a convolution or pooling window. All fields must be set; every extent, stride and dilation is at
/// least 1.
/// - A 2-D window has in_d = out_d = kernel_d = stride_d = dilation_d = 1 and pad_d = 0.
/// - A 1-D window has the same values in h too.
///
/// The output size implies the padding after the end. Output o reads input o * stride - pad + k * dilation, zero
/// outside.
typedef struct ck_window {
  ptrdiff_t in_channels, out_channels, groups;
  ptrdiff_t in_d, in_h, in_w;
  ptrdiff_t out_d, out_h, out_w;
  ptrdiff_t kernel_d, kernel_h, kernel_w;
  ptrdiff_t stride_d, stride_h, stride_w;
  ptrdiff_t dilation_d, dilation_h, dilation_w;
  ptrdiff_t pad_d, pad_h, pad_w;  // before the first element
} ck_window;

/// out = activation(x + bias[channel]). `bias` may be NULL. CK_UNARY_IDENTITY applies no activation.
typedef struct ck_epilogue {
  const float *_Nullable bias;
  ck_unary_op activation;
  float alpha, beta;
} ck_epilogue;

/// groups = in_channels, out_channels is a multiple m of it, 2-D (depth 1). Weights are [out_channels, kernel_h,
/// kernel_w]. Output channel c reads input channel c / m. Writes output channels channel_begin ..< channel_end of
/// `out`. `in` and `out` point to channel 0.
CK_KERNEL(base) void ck_depthwise_conv2d_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Any groups that divide both channel counts, 1-D to 3-D, without scratch memory. For shapes where im2col does not
/// pay. Weights are [out_channels, in_channels / groups, kernel_d, kernel_h, kernel_w].
CK_KERNEL(base) void ck_conv_direct_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Transposed convolution: every input adds its kernel to output i * stride - pad + k * dilation (dropped outside
/// `out`). Weights are [in_channels, out_channels / groups, kernel_d, kernel_h, kernel_w].
CK_KERNEL(base) void ck_conv_transpose_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Lays out input channels channel_begin ..< channel_end for output rows row_begin ..< row_end. A row is one (d, h) of
/// the output, so there are out_d * out_h. `columns` is [channels, kernel_d, kernel_h, kernel_w, rows, out_w],
/// contiguous, zero where the window is outside. Weights [out, channels * kernel] times `columns` is the convolution.
CK_KERNEL(base) void ck_im2col_f32(
    const ck_window *shape, const float *in, ptrdiff_t channel_begin, ptrdiff_t channel_end, ptrdiff_t row_begin,
    ptrdiff_t row_end, float *columns);

/// The transpose of im2col, for transposed convolution by GEMM. Adds columns [channels, kernel_d, kernel_h, kernel_w,
/// in_d, in_h, in_w] into output channels channel_begin ..< channel_end, which it clears first. Here the window slides
/// over `out`: element (k, i) goes to output i * stride - pad + k * dilation. `columns` points to channel
/// channel_begin, `out` to channel 0.
CK_KERNEL(base) void ck_col2im_f32(
    const ck_window *shape, const float *columns, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Applies the epilogue in place to `channels` rows of `spatial` values, `stride` apart. The first row uses
/// bias[channel_begin].
void ck_epilogue_f32(
    const ck_epilogue *epilogue, ptrdiff_t channel_begin, float *tile, size_t channels, size_t spatial, size_t stride);

/// Pooling of channels channel_begin ..< channel_end (in_channels = out_channels; groups ignored). Maximum: padding
/// never wins, NaN does. A window wholly outside gives -inf.
CK_KERNEL(base) void ck_max_pool_f32(
    const ck_window *shape, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Average: the sum over the window, divided by the window's whole size. With `exclude_padding` the divisor is the
/// number of elements inside the input; a window without any gives 0.
CK_KERNEL(base) void ck_average_pool_f32(
    const ck_window *shape, bool exclude_padding, const float *in, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end);

/// sqrt of the sum of squares over the window.
CK_KERNEL(base) void ck_l2_pool_f32(
    const ck_window *shape, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

#pragma clang assume_nonnull end
