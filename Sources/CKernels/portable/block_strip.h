// The inner loop of all blocked convolutions: a strip of output positions by one or two blocks of output channels in registers. A vector of
// weights is CK_W output channels for one input channel and tap; the strip's inputs are broadcast from memory.
#pragma once
#include "../block_layout.h"
#include "../gemm_layout.h"
#include "../f16.h"
#include "prefetch.h"
#if defined(CK_TARGET_AVX512VNNI)
#include "../x86/int8_dot.h"
#endif

/// What strips fetch from memory while they are worked on: weights of the next unit, which lie after theirs, some lines at each step. Memory
/// is slow to answer, and the first strip of that unit would wait for all of it.
struct fetching {
  const char *from, *end;
  size_t lines;
};

/// `bytes` from `next` on, by so many strips of so many steps each.
CK_INLINE struct fetching fetching_of(const void *next, size_t bytes, size_t strips, size_t steps) {
  struct fetching f = {(const char *)next, (const char *)next + bytes, 0};
  if (strips > 1 && steps > 0) f.lines = (bytes / CK_LINE + strips * steps - 1) / (strips * steps);
  return f;
}

CK_INLINE void fetch_lines(struct fetching *f) {
  for (size_t i = 0; i < f->lines; i++, f->from += CK_LINE) prefetch_later(f->from);
}

/// What is left for the next strip.
CK_INLINE struct fetching fetching_left(struct fetching f) {
  if (f.from >= f.end) f.lines = 0;
  return f;
}

/// Which part of their products a call adds to sums: one call adds all, or several do, which keep the sums where the results will lie.
struct passes {
  bool begins, ends;
};

/// Numbers of a strip's position that one pass multiplies, about. With narrow vectors the weights of a unit for them stay in the first-level
/// cache while strip after strip comes, and the strips' own in the second. A wide strip takes so long for a line of weights that the second
/// level gives it in time: longer passes, which keep and read fewer sums, are faster.
#if defined(CK_TARGET_AVX512VNNI)
// Whole numbers are added to at the start and scaled at the end: one pass, of a quarter of the bytes.
enum { PASS_DEPTH = 1 << 30 };
#elif defined(CK_TARGET_AVX512)
enum { PASS_DEPTH = 1024 };
#else
enum { PASS_DEPTH = 384 };
#endif

/// How many parts of `depth` numbers each a pass has, of `parts`, so that passes are about equal.
CK_INLINE size_t pass_size(size_t parts, size_t depth) {
  size_t passes = (parts * depth + PASS_DEPTH / 2) / PASS_DEPTH;
  return passes > 1 ? (parts + passes - 1) / passes : parts;
}

#if !defined(CK_TARGET_AVX512BF16) && !defined(CK_TARGET_AVX512VNNI)
/// Strips from which on halves that they share are widened once, before them: in registers each strip widens them again.
enum { WIDENED_STRIPS = 4 };

CK_INLINE void widen_weights(const uint16_t *from, size_t count, float *to) {
  for (size_t i = 0; i < count; i += CK_W) vf_store(to + i, vf_from_f16(from + i));
}
#endif

/// What is the same for all strips of a unit.
struct strip {
  const void *weights;                     // floats, or halves where the function reads those
  size_t groups, width, last;              // groups of input channels, channels of each, and of the last one
  ptrdiff_t group;                         // floats from a group to the next
  ptrdiff_t taps_y, taps_x, tap_y, tap_x;  // taps, and floats from one to the next
  ptrdiff_t position;                      // floats between the inputs of neighbouring positions
  ptrdiff_t out_block;                     // floats between blocks of the output
  size_t skip;                             // channels of the first group that are not read, and have no weights
  // Taps of the weights that are passed over: before the first, after each row, and after the last row.
  ptrdiff_t taps_before, taps_between, taps_after;
  size_t taps;  // of the weights
  size_t gap;   // bytes between the weights of groups, of kernels of one element
  struct passes passes;
  struct fetching *next;
};

/// What happens to finished sums.
struct ending {
  const float *bias;  // of the unit's first channel, padded to whole blocks; NULL: none
  const int32_t *starts;  // of the same channels: what sums of whole numbers begin with,
  const float *scales;    // and what they are multiplied by
  const float *shifts;    // where they become bytes: what is added then, in steps of the result; NULL: floats
  ck_int8_quantization steps;
  size_t place;  // of the unit's first byte within a position of a block of bytes
  const float *add;   // at the strip's place, laid out as the output; NULL: none
  struct clamp clamp;
  ck_unary_row activation;  // where the clamp is not all
  float alpha, beta;
  size_t lanes;  // channels of the last block; the others become 0 again
};

CK_INLINE struct ending ending_of(const ck_epilogue *epilogue) {
  struct ending e = {.clamp = clamp_of(epilogue), .alpha = epilogue->alpha, .beta = epilogue->beta, .lanes = CK_W};
  if (!e.clamp.complete) e.activation = CK_BASE_FN(unary_rows_f32)[epilogue->activation];
  return e;
}

/// Finishes `count` positions of one block, whose sums are at `out` already.
CK_INLINE void finish_stored(const struct ending *e, bool is_last, float *out, size_t count) {
  if (e->activation) e->activation(e->alpha, e->beta, out, out, count * CK_W);
  if (is_last && e->lanes < CK_W) {
    for (size_t p = 0; p < count; p++) vf_store(out + p * CK_W, vf_keep_n(vf_load(out + p * CK_W), e->lanes, 0));
  }
}

/// Whether zeros do not stay zeros by themselves.
CK_INLINE bool needs_finish(const struct ending *e) {
#if defined(CK_TARGET_AVX512VNNI)
  if (e->shifts) return e->steps.table != NULL;
#endif
  return e->activation || (e->lanes < CK_W && (e->clamp.low > 0 || e->clamp.high < 0));
}

#if defined(CK_TARGET_AVX512VNNI)
/// Sums of whole numbers are in the bits of floats until they end.
CK_INLINE void integers_begin(int P, int B, const struct ending *e, vf *sum, vf *more) {
  vf first = (vf)vi_load(e->starts), second = B == 2 ? (vf)vi_load(e->starts + CK_W) : first;
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) sum[p] = first, more[p] = second;
}

CK_INLINE vf integers_end(const struct ending *e, int b, vf sum) {
  return __builtin_convertvector((vi)sum, vf) * vf_load(e->scales + b * CK_W);
}

/// Stores the sums of a strip as bytes of a block of four times as many channels: a position is as far from the next as one of floats.
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

/// What the sums of a strip begin with: nothing, or what is there before. Of several passes the first begins with what is to be added, for
/// that may lie where the sums are kept.
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

/// Stores the sums of a strip, of one or two blocks.
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

/// What weights are. A pair is two numbers of brain floating point that lie one after the other along the sum, a four as many whole numbers of
/// eight bits; what they are multiplied with is pairs or fours, too, and takes a float's place.
enum weights_kind { WEIGHTS_F32, WEIGHTS_F16, WEIGHTS_BF16, WEIGHTS_INT8 };

CK_INLINE size_t weight_size(enum weights_kind kind) { return kind == WEIGHTS_F16 ? sizeof(uint16_t) : sizeof(float); }

CK_INLINE vf weights_load(enum weights_kind kind, const char *from) {
  return kind == WEIGHTS_F16 ? vf_from_f16((const uint16_t *)from) : vf_load((const float *)from);
}

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

/// Adds a number of each of P positions, `position` apart, times a line of B blocks of weights.
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

/// The inner loop of all products here: adds `width` numbers of each of P positions, `position` apart, times as many lines of B blocks of
/// weights. Where the weights go on.
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
  // A whole block without a loop's own instructions: twelve multiplications come with eight loads already, and four more are too many for
  // what shares its core with another thread.
  if (position >= CK_W && width == CK_W) {
#pragma clang loop unroll(full)
    for (int i = 0; i < CK_W; i++, in++, w += (size_t)B * block) line_products(P, B, kind, position, in, w, sum, more);
    return w;
  }
#endif
  for (size_t i = 0; i < width; i++, in++, w += (size_t)B * block) line_products(P, B, kind, position, in, w, sum, more);
  return w;
}

/// The same of positions whose numbers lie in blocks of CK_W, `group` floats apart; `gap` bytes are between the weights of blocks.
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

CK_INLINE void strip_sums(
    int P, int B, enum weights_kind kind, ptrdiff_t position, const struct strip *s, const struct ending *e, const float *in, float *out) {
  vf sum[CK_LONE], more[CK_STRIP];
  strip_begin(P, B, s, e, out, sum, more);
  const char *weights = s->weights;
  const ptrdiff_t size = (ptrdiff_t)weight_size(kind);
  struct fetching next = *s->next;
  // Kernels of one element, where it is inside: what loops over taps cost is a fifth of their time.
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

/// A function for each number of positions, up to `most`.
struct strips {
  const strip_function *of;
  size_t most;
};

// Usual distances of positions are constants of the code: their offsets are part of the instructions.
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

/// The functions for a distance between positions.
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

/// Finishes `count` positions of so many blocks, which lie at `out`.
CK_INLINE void finish_blocks(const struct strip *s, const struct ending *e, size_t blocks, float *out, size_t count) {
#if defined(CK_TARGET_AVX512VNNI)
  if (e->shifts) {
    look_up_positions(e->steps.table, (uint8_t *)out + e->place, blocks * CK_W, count);
    return;
  }
#endif
  for (size_t b = 0; b < blocks; b++) finish_stored(e, b + 1 == blocks, out + (ptrdiff_t)b * s->out_block, count);
}

/// Positions that are finished at once, about: activations of a few vectors wait for each other's results.
enum { FINISHED_AT_ONCE = 32 };

/// `count` positions in a row, of so many blocks.
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
