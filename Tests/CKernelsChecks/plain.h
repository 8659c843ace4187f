// Reference implementations: plain loops in double precision, which the families share.
#pragma once
#include "check.h"

double plain_unary(ck_unary_op op, double alpha, double beta, double x);
double plain_half(uint16_t half);
uint16_t plain_half_of(double x);

/// Random windows with every kind of edge: padding on both sides, strides, dilation.
struct window_kind {
  bool deep, dilates;
  size_t most_kernel, most_stride, most_height, most_width;
};
ck_window random_window(struct window_kind kind, size_t in_channels, size_t out_channels, size_t groups);
/// Text of a window for `at`.
const char *window_text(const ck_window *w);
static inline size_t in_area(const ck_window *w) {
  return (size_t)(w->in_d * w->in_h * w->in_w);
}
static inline size_t out_area(const ck_window *w) {
  return (size_t)(w->out_d * w->out_h * w->out_w);
}
static inline size_t kernel_area(const ck_window *w) {
  return (size_t)(w->kernel_d * w->kernel_h * w->kernel_w);
}
static inline size_t filter_size(const ck_window *w) {
  return (size_t)(w->in_channels / w->groups) * kernel_area(w);
}

/// The input index at a tap of an output position's window. Returns whether it is inside the input.
bool plain_tap(
    const ck_window *w, ptrdiff_t z, ptrdiff_t y, ptrdiff_t x, ptrdiff_t a, ptrdiff_t b, ptrdiff_t c, size_t *place);
/// A convolution's sums [out_channels, out_area] for weights [out_channels, in_channels / groups, kernel].
double *plain_conv(const ck_window *w, const float *in, const float *weights);

/// A random epilogue, and its result for a sum.
ck_epilogue random_epilogue(size_t channels);
double plain_epilogue(const ck_epilogue *e, size_t channel, double sum);

/// Tolerance of an fp32 sum of `terms` products of values below 1, after an activation.
static inline double product_bound(size_t terms) {
  return 2e-7 * (double)(terms + 4);
}

/// Quantization to a byte: multiples of a scale, from `low` on.
struct step_kind {
  float scale;
  int32_t low;
};
struct step_kind random_step_kind(void);
float *random_multiples(size_t n, struct step_kind kind);

/// Dense [channels, area] to NCHWc, with zeros after the last channel.
float *blocked(const float *dense, size_t channels, size_t area);
double *blocked_doubles(const double *dense, size_t channels, size_t area);
static inline size_t block_count(size_t channels) {
  return (channels + ck_block_size() - 1) / ck_block_size();
}
static inline size_t blocked_size(size_t channels, size_t area) {
  return block_count(channels) * ck_block_size() * area;
}

/// An operand with its own strides over a shape: repeated, reversed, with gaps.
struct view {
  ptrdiff_t strides[CK_MAX_RANK];
  size_t base, span;  // offset of index 0, and the number of elements that the view spans
};
enum view_kind { VIEW_REPEATS, VIEW_DISTINCT, VIEW_WHOLE };
/// VIEW_DISTINCT: each element occurs once. VIEW_WHOLE: contiguous.
struct view random_view(size_t rank, const ptrdiff_t *shape, enum view_kind kind);
size_t place_in(const struct view *v, size_t rank, const ptrdiff_t *shape, size_t index);
/// Chooses a rank and a shape. Returns the number of elements.
size_t random_shape(size_t *rank, ptrdiff_t *shape);
const char *shape_in_words(size_t rank, const ptrdiff_t *shape);
