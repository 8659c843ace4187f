// Winograd convolution with on-the-fly filter transform. Filters packed as for direct convolution take 9 elements
// instead of (m + 2)^2. With few tiles, memory bandwidth is the limit. The filters transformed at a time, one unit's
// for some input channels, stay in L2 until all tiles are multiplied with them.
#include "winograd_transform.h"

enum { LATE_FLOATS = CK_W << 13 };  // of a unit's transformed filters at a time

/// Blocks of input channels per K block (block_strip.h). All K blocks are about equal.
CK_INLINE size_t late_pass(const ck_window *w, size_t tile) {
  size_t blocks = blocks_of((size_t)w->in_channels), numbers = (tile + 2) * (tile + 2);
  size_t most = LATE_FLOATS / (numbers * 2 * CK_W * CK_W);
  if (most < 2) most = 2;
  size_t passes = (blocks + most - 1) / most;
  return (blocks + passes - 1) / passes;
}

/// Floats of one block of input channels for one tile element. The layout is [block][element][channel][lanes], so that
/// a transform's stores touch few pages.
enum { LATE_PART = CK_W * 2 * CK_W + CK_W };

size_t CK_FN(winograd_fused_filter_tiles_size)(const ck_window *w, size_t tile, size_t room) {
  return (tile + 2) * (tile + 2) * part_of(blocks_of((size_t)w->in_channels), room);
}

size_t CK_FN(winograd_fused_filter_scratch_size)(const ck_window *w, size_t tile, size_t room, size_t units) {
  return (tile + 2) * (tile + 2) * (late_pass(w, tile) * LATE_PART + part_of(2 * units, room));
}

/// Transforms the filters of `count` input channels and one block of outputs, fp16 or fp32. Taps are `tap` elements
/// apart, channels `lanes`.
CK_INLINE void transform_kernels(int M, bool f16, const char *from, size_t tap, size_t lanes, size_t count, float *to) {
  enum { MOST = 8 };
  int N = M + 2;
  const size_t size = f16 ? sizeof(uint16_t) : sizeof(float);
  for (size_t i = 0; i < count; i++, from += lanes * size, to += lanes) {
    vf half[MOST * 3];
#pragma clang loop unroll(full)
    for (int x = 0; x < 3; x++) {
      vf k[3], o[MOST];
#pragma clang loop unroll(full)
      for (int y = 0; y < 3; y++) {
        const char *at = from + (size_t)(y * 3 + x) * tap * size;
        k[y] = f16 ? vf_from_f16((const uint16_t *)at) : vf_load((const float *)at);
      }
      weights_line(M, k, o);
#pragma clang loop unroll(full)
      for (int y = 0; y < N; y++) half[y * 3 + x] = o[y];
    }
#pragma clang loop unroll(disable)
    for (int y = 0; y < N; y++) {
      vf o[MOST];
      weights_line(M, half + y * 3, o);
#pragma clang loop unroll(full)
      for (int x = 0; x < N; x++) vf_store(to + (size_t)(y * N + x) * LATE_PART, o[x]);
    }
  }
}

CK_INLINE void late_products(
    int M, bool f16, const ck_window *w, const float *tiles_in, const void *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin, size_t unit_end) {
  size_t numbers = (size_t)((M + 2) * (M + 2)), channels = (size_t)w->in_channels, inputs = blocks_of(channels);
  size_t begin = unit_begin * 2, end = unit_end * 2, outputs = blocks_of((size_t)w->out_channels);
  if (end > outputs) end = outputs;
  size_t in_part = part_of(inputs, room), pass = late_pass(w, (size_t)M);
  size_t out_part = part_of(end - begin, room), strips = (tiles + CK_STRIP - 1) / CK_STRIP;
  float *kernels = scratch, *sums = scratch + numbers * pass * LATE_PART;
  struct ending e = ending_of(epilogue), plain = {.clamp = {-INFINITY, INFINITY, true}, .lanes = CK_W};
  struct strip s = {
      .width = CK_W, .group = (ptrdiff_t)(room * CK_W), .taps_y = 1, .taps_x = 1, .position = CK_W,
      .out_block = (ptrdiff_t)(room * CK_W), .taps = 1};
  for (size_t done = 0; done < inputs; done += pass) {
    s.groups = inputs - done < pass ? inputs - done : pass;
    s.passes = (struct passes){done == 0, done + s.groups == inputs};
    s.last = s.passes.ends ? channels - (inputs - 1) * CK_W : CK_W;
    for (size_t index = unit_begin; index < unit_end; index++) {
      struct unit u = unit_at(w, 9, index);
      size_t lanes = u.blocks * CK_W;
      const size_t size = f16 ? sizeof(uint16_t) : sizeof(float);
      const char *own = (const char *)packed + (u.offset + done * CK_W * 9 * lanes) * size;
      for (size_t g = 0; g < s.groups; g++) {
        size_t count = g + 1 < s.groups ? CK_W : s.last;
        for (size_t b = 0; b < u.blocks; b++) {
          transform_kernels(
              M, f16, own + (g * CK_W * 9 * lanes + b * CK_W) * size, count * lanes, lanes, count,
              kernels + g * numbers * LATE_PART + b * CK_W);
        }
      }
      // Prefetches the next unit's filters for these channels.
      size_t read = ((s.groups - 1) * CK_W + s.last) * 9 * lanes;
      struct fetching next = fetching_of(
          own + channels * 9 * lanes * size, read * size, index + 1 < unit_end ? strips * numbers : 0, s.groups);
      s.next = &next;
      s.gap = (numbers * LATE_PART - CK_W * lanes) * sizeof(float);
      for (size_t j = 0; j < numbers; j++) {
        s.weights = kernels + j * LATE_PART;
        strips_run(
            strips_for(WEIGHTS_F32, CK_W, u.blocks), &s, &plain, u.blocks, tiles_in + j * in_part + done * room * CK_W,
            sums + j * out_part + (u.out_block - begin) * room * CK_W, tiles);
      }
    }
  }
  transform_output(M, w, sums, begin, end, first, tiles, out_part, room, &e, epilogue->bias, add, out);
}

void CK_FN(winograd_fused_filter_tiles_f32)(
    const ck_window *w, size_t tile, const float *in, float *tiles_in, size_t first, size_t tiles, size_t room,
    size_t block_begin, size_t block_end) {
  size_t part = part_of(blocks_of((size_t)w->in_channels), room);
  if (tile == 2) transform_input(2, w, in, block_begin, block_end, first, tiles, part, room, tiles_in);
  if (tile == 4) transform_input(4, w, in, block_begin, block_end, first, tiles, part, room, tiles_in);
  if (tile == 6) transform_input(6, w, in, block_begin, block_end, first, tiles, part, room, tiles_in);
}

#define CK_LATE_PRODUCTS(M, HALVES)                                                                                          \
  if (tile == M)                                                                                                             \
  late_products(M, HALVES, w, tiles_in, packed, epilogue, add, out, scratch, first, tiles, room, unit_begin, unit_end)

void CK_FN(winograd_fused_filter_f32)(
    const ck_window *w, size_t tile, const float *tiles_in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin, size_t unit_end) {
  CK_LATE_PRODUCTS(2, false);
  CK_LATE_PRODUCTS(4, false);
  CK_LATE_PRODUCTS(6, false);
}

void CK_FN(winograd_fused_filter_f16w_f32)(
    const ck_window *w, size_t tile, const float *tiles_in, const uint16_t *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin, size_t unit_end) {
  CK_LATE_PRODUCTS(2, true);
  CK_LATE_PRODUCTS(4, true);
  CK_LATE_PRODUCTS(6, true);
}
#undef CK_LATE_PRODUCTS
