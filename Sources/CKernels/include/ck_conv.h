// Convolution and pooling, float32, channel-first, one image a call ([channels, depth, height, width]).
//
//   ck_depthwise_conv2d_f32   (shape, in, weights, epilogue, out, channel_begin, channel_end)
//   ck_conv_direct_f32        (shape, in, weights, epilogue, out, channel_begin, channel_end)
//   ck_conv_transpose_f32     (shape, in, weights, epilogue, out, channel_begin, channel_end)
//   ck_im2col_f32             (shape, in, channel_begin, channel_end, row_begin, row_end, columns)
//   ck_col2im_f32             (shape, columns, out, channel_begin, channel_end)
//   ck_epilogue_f32           (epilogue, channel_begin, tile, channels, spatial, stride)
//   ck_max_pool_f32, ck_average_pool_f32, ck_l2_pool_f32   (shape, in, out, channel_begin, channel_end)
// Global pooling is ck_reduce_f32 over [channels, spatial, 1].
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_elementwise.h"
#pragma clang assume_nonnull begin

/// The geometry of a convolution or pooling window. All fields are set, every extent, stride and dilation at least 1: a 2-D
/// window has in_d = out_d = kernel_d = stride_d = dilation_d = 1, pad_d = 0, a 1-D one the same in h besides. Padding
/// after the end is what the output size implies. Output o reads input o * stride - pad + k * dilation, zero outside.
typedef struct ck_window {
  ptrdiff_t in_channels, out_channels, groups;
  ptrdiff_t in_d, in_h, in_w;
  ptrdiff_t out_d, out_h, out_w;
  ptrdiff_t kernel_d, kernel_h, kernel_w;
  ptrdiff_t stride_d, stride_h, stride_w;
  ptrdiff_t dilation_d, dilation_h, dilation_w;
  ptrdiff_t pad_d, pad_h, pad_w;  // before the first element
} ck_window;

/// out = activation(x + bias[channel]): `bias` may be NULL, CK_UNARY_IDENTITY leaves the sum.
typedef struct ck_epilogue {
  const float *_Nullable bias;
  ck_unary_op activation;
  float alpha, beta;
} ck_epilogue;

/// groups = in_channels, out_channels a multiple m of it; 2-D (depth 1). weights [out_channels, kernel_h, kernel_w]; output
/// channel c reads input channel c / m. Writes output channels channel_begin ..< channel_end of `out`, which points to
/// channel 0, as `in` does.
void ck_depthwise_conv2d_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Any groups that divide both channel counts, 1-D to 3-D, without scratch memory: for shapes where im2col does not pay.
/// weights [out_channels, in_channels / groups, kernel_d, kernel_h, kernel_w].
void ck_conv_direct_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Transposed convolution: every input adds its kernel to output i * stride - pad + k * dilation (dropped outside `out`).
/// weights [in_channels, out_channels / groups, kernel_d, kernel_h, kernel_w].
void ck_conv_transpose_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Lays out input channels channel_begin ..< channel_end for output rows row_begin ..< row_end (a row is one (d, h) of the
/// output, so out_d * out_h in all): columns [channels, kernel_d, kernel_h, kernel_w, rows, out_w], contiguous, zero where
/// the window is outside. columns times weights [out, channels * kernel] is the convolution.
void ck_im2col_f32(
    const ck_window *shape, const float *in, ptrdiff_t channel_begin, ptrdiff_t channel_end, ptrdiff_t row_begin,
    ptrdiff_t row_end, float *columns);

/// The transpose of im2col, for transposed convolution by GEMM: columns [channels, kernel_d, kernel_h, kernel_w, in_d, in_h,
/// in_w] are summed into output channels channel_begin ..< channel_end, cleared first. Here the window slides over `out`:
/// element (k, i) goes to output i * stride - pad + k * dilation. `columns` and `out` point to the first channel and
/// channel 0 respectively.
void ck_col2im_f32(
    const ck_window *shape, const float *columns, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Applies the epilogue in place to `channels` rows of `spatial` values, `stride` apart; the first row is channel
/// channel_begin of the bias.
void ck_epilogue_f32(
    const ck_epilogue *epilogue, ptrdiff_t channel_begin, float *tile, size_t channels, size_t spatial, size_t stride);

/// Pooling of channels channel_begin ..< channel_end (in_channels = out_channels; groups ignored). Maximum: padding never
/// wins, NaN does; a window wholly outside gives -inf.
void ck_max_pool_f32(
    const ck_window *shape, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

/// Average: the sum over the window divided by the number of its elements inside the input (`exclude_padding`; 0 for none),
/// else by the window's whole size.
void ck_average_pool_f32(
    const ck_window *shape, bool exclude_padding, const float *in, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end);

/// sqrt of the sum of squares over the window.
void ck_l2_pool_f32(
    const ck_window *shape, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end);

#pragma clang assume_nonnull end
