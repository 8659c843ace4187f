// The register tile of NCHWc convolutions: a strip of neighboring output positions by one or two blocks of output
// channels. block_narrow.h, block_small_output.h and block_window.h have register tiles of their own for other shapes.
//
// One weight vector holds CK_W output channels for one input channel and tap. Input elements are broadcast from memory.
// A unit (block_layout.h) is one or two blocks of output channels with their weights.
#pragma once
#include "../block_layout.h"
#include "../gemm_layout.h"
#include "../f16.h"
#include "prefetch.h"
#if defined(CK_TARGET_AVX512VNNI)
#include "../x86/int8_dot.h"
#endif

/// Prefetch of the next unit's weights, a few cache lines per step of the current unit. Without it the first register
/// tile of the next unit would wait for memory.
struct fetching {
  const char *from, *end;
  size_t lines;
};

/// Plans the prefetch of `bytes` from `next` on, spread over `strips` register tiles of `steps` steps each. Plans none
/// for a single register tile.
CK_INLINE struct fetching fetching_of(const void *next, size_t bytes, size_t strips, size_t steps) {
  struct fetching f = {(const char *)next, (const char *)next + bytes, 0};
  if (strips > 1 && steps > 0) f.lines = (bytes / CK_LINE + strips * steps - 1) / (strips * steps);
  return f;
}

CK_INLINE void fetch_lines(struct fetching *f) {
  for (size_t i = 0; i < f->lines; i++, f->from += CK_LINE) prefetch_later(f->from);
}

/// The prefetch that is left for the next register tile.
CK_INLINE struct fetching fetching_left(struct fetching f) {
  if (f.from >= f.end) f.lines = 0;
  return f;
}

/// K blocking: the kernel may process the inner dimension (input channels times taps) in several consecutive K blocks.
/// Between K blocks the output holds the partial sums. `begins` and `ends` tell whether the current K block is the
/// first and the last one.
struct passes {
  bool begins, ends;
};

/// Approximate length of a K block, in elements of one position. With narrow vectors, a unit's weights of one K block
/// stay in L1 across register tiles, and the tiles' input stays in L2. With wide vectors a register tile spends more
/// cycles on each line of weights, so L2 can supply the weights in time. Longer K blocks are then faster, because
/// partial sums are stored and loaded less often.
#if defined(CK_TARGET_AVX512VNNI)
// int8 kernels have a single K block, because partial int32 sums are not stored: the accumulators start from `starts`,
// and are scaled when they are stored. The operands have a quarter of the bytes of fp32.
enum { PASS_DEPTH = 1 << 30 };
#elif defined(CK_TARGET_AVX512)
enum { PASS_DEPTH = 1024 };
#else
enum { PASS_DEPTH = 384 };
#endif

/// How many of `parts` parts, of `depth` elements each, one K block has. All K blocks are about equal.
CK_INLINE size_t pass_size(size_t parts, size_t depth) {
  size_t passes = (parts * depth + PASS_DEPTH / 2) / PASS_DEPTH;
  return passes > 1 ? (parts + passes - 1) / passes : parts;
}

#if !defined(CK_TARGET_AVX512BF16) && !defined(CK_TARGET_AVX512VNNI)
/// The least number of register tiles for which fp16 weights are converted to fp32 in scratch memory, once for all
/// tiles. With fewer tiles each tile converts them in registers.
enum { WIDENED_STRIPS = 4 };

CK_INLINE void widen_weights(const uint16_t *from, size_t count, float *to) {
  for (size_t i = 0; i < count; i += CK_W) vf_store(to + i, vf_from_f16(from + i));
}
#endif

/// Parameters that all register tiles of a unit share in one K block. "Floats" are 32-bit elements: for bf16 and int8 a
/// pair or a group of four. A group here is a channel block, or a single channel of a dense input.
struct strip {
  const void *weights;                     // in the type that the strip function reads (enum weights_kind)
  size_t groups, width, last;              // groups of input channels, channels per group, channels of the last group
  ptrdiff_t group;                         // floats from one group to the next
  ptrdiff_t taps_y, taps_x, tap_y, tap_x;  // number of taps, and floats from one tap to the next
  ptrdiff_t position;                      // floats between the inputs of neighboring positions
  ptrdiff_t out_block;                     // floats between blocks of the output
  size_t skip;                             // channels of the first group that are skipped and have no weights
  // Taps outside the input, whose weights are skipped: before the first tap, after each row of taps, and after the last
  // one.
  ptrdiff_t taps_before, taps_between, taps_after;
  size_t taps;  // taps that the weights have
  size_t gap;   // bytes between the weights of two groups; read only for 1 x 1 kernels
  struct passes passes;
  struct fetching *next;
};

/// The epilogue: what happens to the accumulators when the last K block ends. Bias, addend and clamp (relu, relu6,
/// clip) are applied in registers. Any other activation runs on results that are stored already.
struct ending {
  const float *bias;  // from the unit's first channel on, padded to whole blocks; NULL: none
  const int32_t *starts;  // int8 kernels: initial accumulator of each channel
  const float *scales;    // int8 kernels: factor of each channel's accumulator
  const float *shifts;    // uint8 output: addend after `scales`, in units of the output's scale; NULL: fp32 output
  ck_int8_quantization steps;
  size_t place;  // offset in bytes of the unit's first channel within a position of a uint8 block
  const float *add;   // the residual input at the tile's first position, in the layout of the output; NULL: none
  struct clamp clamp;
  ck_unary_row activation;  // runs on stored results if the clamp is not the whole activation; NULL: none
  float alpha, beta;
  size_t lanes;  // channels of the last block; the other lanes are zeroed
};

CK_INLINE struct ending ending_of(const ck_epilogue *epilogue) {
  struct ending e = {.clamp = clamp_of(epilogue), .alpha = epilogue->alpha, .beta = epilogue->beta, .lanes = CK_W};
  if (!e.clamp.complete) e.activation = CK_BASE_FN(unary_rows_f32)[epilogue->activation];
  return e;
}

/// Applies the activation to `count` positions of one block that are stored at `out`. In the last block it then zeroes
/// the padding lanes.
CK_INLINE void finish_stored(const struct ending *e, bool is_last, float *out, size_t count) {
  if (e->activation) e->activation(e->alpha, e->beta, out, out, count * CK_W);
  if (is_last && e->lanes < CK_W) {
    for (size_t p = 0; p < count; p++) vf_store(out + p * CK_W, vf_keep_n(vf_load(out + p * CK_W), e->lanes, 0));
  }
}

/// Whether stored results need a second epilogue step: an activation, a lookup table, or zeroing of padding lanes that
/// the clamp has changed.
CK_INLINE bool needs_finish(const struct ending *e) {
#if defined(CK_TARGET_AVX512VNNI)
  if (e->shifts) return e->steps.table != NULL;
#endif
  return e->activation || (e->lanes < CK_W && (e->clamp.low > 0 || e->clamp.high < 0));
}

#if defined(CK_TARGET_AVX512VNNI)
/// Initializes int32 accumulators. Variables of the fp32 vector type hold their bits.
CK_INLINE void integers_begin(int P, int B, const struct ending *e, vf *sum, vf *more) {
  vf first = (vf)vi_load(e->starts), second = B == 2 ? (vf)vi_load(e->starts + CK_W) : first;
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) sum[p] = first, more[p] = second;
}

/// Converts int32 accumulators of block `b` to fp32 and scales them.
CK_INLINE vf integers_end(const struct ending *e, int b, vf sum) {
  return __builtin_convertvector((vi)sum, vf) * vf_load(e->scales + b * CK_W);
}

/// Requantizes a tile's accumulators and stores them as uint8. A uint8 block has four times as many channels as an fp32
/// block, so neighboring positions are 4 * CK_W bytes apart in both layouts.
CK_INLINE void bytes_end(int P, int B, const struct ending *e, const vf *sum, const vf *more, float *out) {
  uint8_t *to = (uint8_t *)out + e->place;
#pragma clang loop unroll(full)
  for (int b = 0; b < B; b++) {
    vf scale = vf_load(e->scales + b * CK_W), shift = vf_load(e->shifts + b * CK_W);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) {
      vf v = vf_fma(__builtin_convertvector((vi)(b == 0 ? sum[p] : more[p]), vf), scale, shift);
      store_steps(to + p * 4 * CK_W + b * CK_W, v, e->steps);
    }
  }
}
#endif

/// Initial accumulators. The first K block starts from zero, later ones from the partial sums in `out`. If there are
/// several K blocks, the first one starts from the addend instead: `add` may be the same memory as `out`, which the
/// partial sums overwrite.
CK_INLINE void strip_begin(int P, int B, const struct strip *s, const struct ending *e, const float *out, vf *sum, vf *more) {
#if defined(CK_TARGET_AVX512VNNI)
  (void)s, (void)out;
  integers_begin(P, B, e, sum, more);
#else
  const float *from = !s->passes.begins ? out : s->passes.ends ? NULL : e->add;
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
    sum[p] = from ? vf_load(from + p * CK_W) : (vf)0.0f;
    if (B == 2) more[p] = from ? vf_load(from + s->out_block + p * CK_W) : (vf)0.0f;
  }
#endif
}

/// Stores the accumulators of a register tile of one or two blocks. After the last K block it first applies bias,
/// addend and clamp.
CK_INLINE void strip_end(int P, int B, const struct strip *s, const struct ending *e, const vf *sum, const vf *more, float *out) {
#if defined(CK_TARGET_AVX512VNNI)
  if (e->shifts) {
    bytes_end(P, B, e, sum, more, out);
    return;
  }
#endif
  bool ends = s->passes.ends;
#pragma clang loop unroll(full)
  for (int b = 0; b < B; b++) {
    vf bias = e->bias && ends ? vf_load(e->bias + b * CK_W) : (vf)0.0f;
    float *to = out + b * s->out_block;
    const float *add = e->add && s->passes.begins && ends ? e->add + b * s->out_block : NULL;
    struct clamp clamp = ends ? e->clamp : (struct clamp){-INFINITY, INFINITY, true};
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) {
      vf v = b == 0 ? sum[p] : more[p];
#if defined(CK_TARGET_AVX512VNNI)
      v = integers_end(e, b, v);
#endif
      v += bias;
      if (add) v += vf_load(add + p * CK_W);
      vf_store(to + p * CK_W, vf_clamp(v, clamp));
    }
  }
}

/// The type of the weights. Two bf16 or four int8 weights that are consecutive along K share one 32-bit lane. The input
/// elements that they are multiplied by are packed in the same way.
enum weights_kind { WEIGHTS_F32, WEIGHTS_F16, WEIGHTS_BF16, WEIGHTS_INT8 };

CK_INLINE size_t weight_size(enum weights_kind kind) { return kind == WEIGHTS_F16 ? sizeof(uint16_t) : sizeof(float); }

CK_INLINE vf weights_load(enum weights_kind kind, const char *from) {
  return kind == WEIGHTS_F16 ? vf_from_f16((const uint16_t *)from) : vf_load((const float *)from);
}

/// sum + a * b; for bf16 and int8, the dot product of each 32-bit lane is added.
CK_INLINE vf add_product(enum weights_kind kind, vf a, vf b, vf sum) {
#if defined(CK_TARGET_AVX512BF16)
  if (kind == WEIGHTS_BF16) return (vf)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#elif defined(CK_TARGET_AVX512VNNI)
  if (kind == WEIGHTS_INT8) return (vf)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#else
  (void)kind;
#endif
  return vf_fma(a, b, sum);
}

/// Multiplies one input element of each of P positions, `position` floats apart, by B weight vectors, and adds the
/// products to the accumulators. Loads each weight vector once and broadcasts one element per position: P + B loads for
/// P * B products.
CK_INLINE void line_products(
    int P, int B, enum weights_kind kind, ptrdiff_t position, const float *in, const char *line, vf *sum, vf *more) {
  vf w0 = weights_load(kind, line), w1 = w0;
  if (B == 2) w1 = weights_load(kind, line + CK_W * weight_size(kind));
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
    vf v = in[p * position];
    sum[p] = add_product(kind, v, w0, sum[p]);
    if (B == 2) more[p] = add_product(kind, v, w1, more[p]);
  }
}

/// The inner loop of strip_sums, and (through rows_products) of the prepacked GEMM and attention kernels. It calls
/// line_products for `width` consecutive input elements and as many lines of weights. Returns the address after these
/// weights.
CK_INLINE const void *strip_products(
    int P, int B, enum weights_kind kind, ptrdiff_t position, const float *in, size_t width, const void *weights, vf *sum, vf *more) {
  const char *w = weights;
  const size_t block = CK_W * weight_size(kind);
#if defined(CK_BY_LANES)
  for (; width >= CK_W; width -= CK_W, in += CK_W) {
    vf v[CK_LONE];
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) v[p] = vf_load(in + p * position);
#pragma clang loop unroll(full)
    for (int i = 0; i < CK_W; i++, w += (size_t)B * block) {
      vf w0 = weights_load(kind, w), w1 = w0;
      if (B == 2) w1 = weights_load(kind, w + block);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; p++) {
        sum[p] = vf_fma(vf_lane(v[p], i), w0, sum[p]);
        if (B == 2) more[p] = vf_fma(vf_lane(v[p], i), w1, more[p]);
      }
    }
  }
#endif
#if defined(CK_TARGET_AVX2)
  // Unrolls a whole block, to avoid loop instructions. A line of a full tile has twelve FMAs and eight loads. Four more
  // instructions would slow down a core that runs a second (SMT) thread.
  if (position >= CK_W && width == CK_W) {
#pragma clang loop unroll(full)
    for (int i = 0; i < CK_W; i++, in++, w += (size_t)B * block) line_products(P, B, kind, position, in, w, sum, more);
    return w;
  }
#endif
  for (size_t i = 0; i < width; i++, in++, w += (size_t)B * block) line_products(P, B, kind, position, in, w, sum, more);
  return w;
}

/// As strip_products, for `depth` elements of each position that are stored in blocks of CK_W. Blocks are `group`
/// floats apart. `gap` bytes separate the weights of two blocks.
CK_INLINE void rows_products(
    int P, int B, enum weights_kind kind, ptrdiff_t position, const float *in, ptrdiff_t group, size_t depth, const void *weights, size_t gap,
    struct fetching *next, vf *sum, vf *more) {
  for (size_t left = depth; left > 0; in += group, weights = (const char *)weights + gap) {
    size_t width = left < CK_W ? left : CK_W;
    fetch_lines(next);
    weights = strip_products(P, B, kind, position, in, width, weights, sum, more);
    left -= width;
  }
}

/// Computes one register tile of P positions by B blocks for one K block, including its epilogue.
CK_INLINE void strip_sums(
    int P, int B, enum weights_kind kind, ptrdiff_t position, const struct strip *s, const struct ending *e, const float *in, float *out) {
  vf sum[CK_LONE], more[CK_STRIP];
  strip_begin(P, B, s, e, out, sum, more);
  const char *weights = s->weights;
  const ptrdiff_t size = (ptrdiff_t)weight_size(kind);
  struct fetching next = *s->next;
  // A 1 x 1 kernel on NCHWc input, with all positions inside the input. The loops over taps below would take a fifth of
  // its time.
  if (s->taps == 1 && s->taps_y * s->taps_x == 1 && s->width == CK_W && s->skip == 0) {
    rows_products(
        P, B, kind, position, in, s->group, (s->groups - 1) * CK_W + s->last, weights, s->gap, &next, sum, more);
    *s->next = fetching_left(next);
    strip_end(P, B, s, e, sum, more, out);
    return;
  }
  for (size_t g = 0, skip = s->skip; g < s->groups; g++, in += s->group, skip = 0) {
    size_t width = (g + 1 < s->groups ? s->width : s->last) - skip;
    ptrdiff_t tap = (ptrdiff_t)width * B * CK_W * size;
    weights += s->taps_before * tap;
    for (ptrdiff_t y = 0; y < s->taps_y; y++, weights += s->taps_between * tap) {
      for (ptrdiff_t x = 0; x < s->taps_x; x++) {
        fetch_lines(&next);
        weights = strip_products(
            P, B, kind, position, in + skip + y * s->tap_y + x * s->tap_x, width, weights, sum, more);
      }
    }
    weights += s->taps_after * tap;
  }
  *s->next = fetching_left(next);
  strip_end(P, B, s, e, sum, more, out);
}

typedef void (*strip_function)(const struct strip *s, const struct ending *e, const float *in, float *out);

/// Register tile functions, indexed by the number of positions: 1 ... `most`.
struct strips {
  const strip_function *of;
  size_t most;
};

// Common position strides are compile-time constants, so that address offsets are immediate operands.
#define CK_STRIP_ENTRY(P, B, NAME, KIND, POSITION)                                                                \
  static void strip_##NAME##_##B##_##P(const struct strip *s, const struct ending *e, const float *in, float *out) { \
    strip_sums(P, B, KIND, POSITION, s, e, in, out);                                                              \
  }
#define CK_STRIP_WIDTHS_6(F, ...) F(1, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__) F(5, __VA_ARGS__) F(6, __VA_ARGS__)
#if CK_STRIP == 14
#define CK_STRIP_WIDTHS(F, ...)                                                                             \
  CK_STRIP_WIDTHS_6(F, __VA_ARGS__)                                                                         \
  F(7, __VA_ARGS__) F(8, __VA_ARGS__) F(9, __VA_ARGS__) F(10, __VA_ARGS__) F(11, __VA_ARGS__) F(12, __VA_ARGS__) \
  F(13, __VA_ARGS__) F(14, __VA_ARGS__)
#elif CK_STRIP == 8
#define CK_STRIP_WIDTHS(F, ...) CK_STRIP_WIDTHS_6(F, __VA_ARGS__) F(7, __VA_ARGS__) F(8, __VA_ARGS__)
#else
#define CK_STRIP_WIDTHS CK_STRIP_WIDTHS_6
#endif
#if CK_LONE == 12
#define CK_LONE_WIDTHS(F, ...) \
  CK_STRIP_WIDTHS(F, __VA_ARGS__) F(7, __VA_ARGS__) F(8, __VA_ARGS__) F(9, __VA_ARGS__) F(10, __VA_ARGS__) F(11, __VA_ARGS__) F(12, __VA_ARGS__)
#else
#define CK_LONE_WIDTHS CK_STRIP_WIDTHS
#endif
#define CK_STRIP_NAME(P, B, NAME, KIND, POSITION) strip_##NAME##_##B##_##P,
#define CK_STRIP_SET(NAME, KIND, POSITION)                                  \
  CK_LONE_WIDTHS(CK_STRIP_ENTRY, 1, NAME, KIND, POSITION)                   \
  CK_STRIP_WIDTHS(CK_STRIP_ENTRY, 2, NAME, KIND, POSITION)                  \
  static const strip_function lone_##NAME[] = {NULL, CK_LONE_WIDTHS(CK_STRIP_NAME, 1, NAME, KIND, POSITION)};   \
  static const strip_function pair_##NAME[] = {NULL, CK_STRIP_WIDTHS(CK_STRIP_NAME, 2, NAME, KIND, POSITION)};
#if defined(CK_TARGET_AVX512BF16)
CK_STRIP_SET(next, WEIGHTS_BF16, CK_W)
CK_STRIP_SET(second, WEIGHTS_BF16, 2 * CK_W)
CK_STRIP_SET(any, WEIGHTS_BF16, s->position)
#elif defined(CK_TARGET_AVX512VNNI)
CK_STRIP_SET(next, WEIGHTS_INT8, CK_W)
CK_STRIP_SET(second, WEIGHTS_INT8, 2 * CK_W)
CK_STRIP_SET(any, WEIGHTS_INT8, s->position)
#else
CK_STRIP_SET(next, WEIGHTS_F32, CK_W)
CK_STRIP_SET(second, WEIGHTS_F32, 2 * CK_W)
CK_STRIP_SET(dense, WEIGHTS_F32, 1)
CK_STRIP_SET(dense_second, WEIGHTS_F32, 2)
CK_STRIP_SET(any, WEIGHTS_F32, s->position)
CK_STRIP_SET(half_next, WEIGHTS_F16, CK_W)
CK_STRIP_SET(half_second, WEIGHTS_F16, 2 * CK_W)
CK_STRIP_SET(half_any, WEIGHTS_F16, s->position)
#endif

#define CK_STRIPS(NAME) (blocks == 1 ? (struct strips){lone_##NAME, CK_LONE} : (struct strips){pair_##NAME, CK_STRIP})

/// The register tile functions for a weight type, a position stride in floats, and one or two blocks.
CK_INLINE struct strips strips_for(enum weights_kind kind, ptrdiff_t position, size_t blocks) {
#if defined(CK_TARGET_AVX512BF16) || defined(CK_TARGET_AVX512VNNI)
  (void)kind;
#else
  if (kind == WEIGHTS_F16) {
    if (position == CK_W) return CK_STRIPS(half_next);
    return position == 2 * CK_W ? CK_STRIPS(half_second) : CK_STRIPS(half_any);
  }
  if (position == 1) return CK_STRIPS(dense);
  if (position == 2) return CK_STRIPS(dense_second);
#endif
  if (position == CK_W) return CK_STRIPS(next);
  return position == 2 * CK_W ? CK_STRIPS(second) : CK_STRIPS(any);
}

/// Applies the second epilogue step to `count` positions of `blocks` blocks at `out`.
CK_INLINE void finish_blocks(const struct strip *s, const struct ending *e, size_t blocks, float *out, size_t count) {
#if defined(CK_TARGET_AVX512VNNI)
  if (e->shifts) {
    look_up_positions(e->steps.table, (uint8_t *)out + e->place, blocks * CK_W, count);
    return;
  }
#endif
  for (size_t b = 0; b < blocks; b++) finish_stored(e, b + 1 == blocks, out + (ptrdiff_t)b * s->out_block, count);
}

/// The second epilogue step runs after at least this many positions (fewer at the end of a call). An activation of only
/// a few vectors would be bound by latency.
enum { FINISHED_AT_ONCE = 32 };

/// Computes `count` consecutive positions of `blocks` blocks.
CK_INLINE void strips_run(
    struct strips strips, const struct strip *s, const struct ending *e, size_t blocks, const float *in, float *out,
    size_t count) {
  struct ending here = *e;
  bool finishes = s->passes.ends && needs_finish(e);
  size_t open = 0;
  while (count > 0) {
    size_t n = strip_of(count, strips.most);
    strips.of[n](s, &here, in, out);
    in += (ptrdiff_t)n * s->position, out += n * CK_W, count -= n, open += n;
    if (here.add) here.add += n * CK_W;
    if (!finishes || (open < FINISHED_AT_ONCE && count > 0)) continue;
    finish_blocks(s, e, blocks, out - open * CK_W, open);
    open = 0;
  }
}
