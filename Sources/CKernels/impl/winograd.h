// Winograd's convolution F(m x m, 3 x 3) over channels in blocks (Lavin and Gray, 2016; points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity):
// tiles of the input are transformed, each of the (m + 2)^2 numbers of a tile is a product over channels of its own, and what comes of
// these is transformed back.
#include "block_strip.h"

enum { WINOGRAD_FLOATS = 1 << 17, WINOGRAD_FEWEST = 2 * CK_STRIP + 4, WINOGRAD_MOST = 4 * CK_STRIP };

// One direction of a transform; `s` and `t` are the distances of vectors.

CK_INLINE void input_2(const vf *d, vf *o) {
  o[0] = d[0] - d[2], o[1] = d[1] + d[2], o[2] = d[2] - d[1], o[3] = d[1] - d[3];
}
CK_INLINE void output_2(const vf *m, vf *o) { o[0] = m[0] + m[1] + m[2], o[1] = m[1] - m[2] - m[3]; }

CK_INLINE void input_4(const vf *d, vf *o) {
  vf even = vf_fma((vf)-4.0f, d[2], d[4]), odd = vf_fma((vf)-4.0f, d[1], d[3]);
  vf far = d[4] - d[2], wide = 2.0f * (d[3] - d[1]);
  o[0] = vf_fma((vf)4.0f, d[0], vf_fma((vf)-5.0f, d[2], d[4]));
  o[1] = even + odd, o[2] = even - odd, o[3] = far + wide, o[4] = far - wide;
  o[5] = vf_fma((vf)4.0f, d[1], vf_fma((vf)-5.0f, d[3], d[5]));
}
CK_INLINE void output_4(const vf *m, vf *o) {
  vf a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4];
  o[0] = m[0] + a + c, o[1] = vf_fma((vf)2.0f, d, b);
  o[2] = vf_fma((vf)4.0f, c, a), o[3] = vf_fma((vf)8.0f, d, b) + m[5];
}

CK_INLINE void input_6(const vf *d, vf *o) {
  o[0] = vf_fma((vf)5.25f, d[4] - d[2], d[0] - d[6]);
  o[7] = vf_fma((vf)5.25f, d[3] - d[5], d[7] - d[1]);
  vf a = vf_fma((vf)-4.25f, d[4], d[2] + d[6]), b = vf_fma((vf)-4.25f, d[3], d[1] + d[5]);
  o[1] = a + b, o[2] = a - b;
  vf c = vf_fma((vf)0.25f, d[2], vf_fma((vf)-1.25f, d[4], d[6]));
  vf e = vf_fma((vf)0.5f, d[1], vf_fma((vf)-2.5f, d[3], 2.0f * d[5]));
  o[3] = c + e, o[4] = c - e;
  vf f = vf_fma((vf)4.0f, vf_fma((vf)-1.25f, d[4], d[2]), d[6]);
  vf g = vf_fma((vf)2.0f, d[1], vf_fma((vf)-2.5f, d[3], 0.5f * d[5]));
  o[5] = f + g, o[6] = f - g;
}
CK_INLINE void output_6(const vf *m, vf *o) {
  vf a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4], e = m[5] + m[6], f = m[5] - m[6];
  o[0] = m[0] + a + c + e;
  o[1] = vf_fma((vf)0.5f, f, vf_fma((vf)2.0f, d, b));
  o[2] = vf_fma((vf)0.25f, e, vf_fma((vf)4.0f, c, a));
  o[3] = vf_fma((vf)0.125f, f, vf_fma((vf)8.0f, d, b));
  o[4] = vf_fma((vf)0.0625f, e, vf_fma((vf)16.0f, c, a));
  o[5] = vf_fma((vf)0.03125f, f, vf_fma((vf)32.0f, d, b)) + m[7];
}

CK_INLINE void input_line(int M, const vf *d, vf *o) {
  if (M == 2) input_2(d, o);
  if (M == 4) input_4(d, o);
  if (M == 6) input_6(d, o);
}
CK_INLINE void output_line(int M, const vf *m, vf *o) {
  if (M == 2) output_2(m, o);
  if (M == 4) output_4(m, o);
  if (M == 6) output_6(m, o);
}

/// The weights' transform, a row for each number of a tile.
static const double weights_2[4][3] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
static const double weights_4[6][3] = {{1 / 4., 0, 0},          {-1 / 6., -1 / 6., -1 / 6.}, {-1 / 6., 1 / 6., -1 / 6.},
                                       {1 / 24., 1 / 12., 1 / 6.}, {1 / 24., -1 / 12., 1 / 6.}, {0, 0, 1}};
static const double weights_6[8][3] = {
    {1, 0, 0},
    {-2 / 9., -2 / 9., -2 / 9.},
    {-2 / 9., 2 / 9., -2 / 9.},
    {1 / 90., 1 / 45., 2 / 45.},
    {1 / 90., -1 / 45., 2 / 45.},
    {32 / 45., 16 / 45., 8 / 45.},
    {32 / 45., -16 / 45., 8 / 45.},
    {0, 0, 1}};

size_t CK_FN(winograd_packed_size)(const ck_window *w, size_t tile) {
  return (tile + 2) * (tile + 2) * blocks_of((size_t)w->out_channels) * CK_W * (size_t)w->in_channels;
}

void CK_FN(winograd_pack_f32)(
    const ck_window *w, size_t tile, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  size_t n = tile + 2, inputs = (size_t)w->in_channels, outputs = (size_t)w->out_channels;
  size_t part = blocks_of(outputs) * CK_W * inputs, first = unit_at(w, 1, unit_begin).out_block * CK_W;
  const double(*g)[3] = tile == 2 ? weights_2 : tile == 4 ? weights_4 : weights_6;
  for (size_t index = unit_begin; index < unit_end; index++) {
    struct unit u = unit_at(w, 1, index);
    size_t lanes = u.blocks * CK_W;
    for (size_t i = 0; i < inputs; i++) {
      for (size_t lane = 0; lane < lanes; lane++) {
        size_t out = u.out_block * CK_W + lane;
        float *to = packed + u.offset + i * lanes + lane;
        double half[8][3];
        const float *k = out < outputs ? weights + (ptrdiff_t)(out - first) * row_stride + (ptrdiff_t)(i * 9) : NULL;
        for (size_t a = 0; a < n; a++) {
          for (size_t x = 0; x < 3; x++)
            half[a][x] = k ? g[a][0] * (double)k[x] + g[a][1] * (double)k[3 + x] + g[a][2] * (double)k[6 + x] : 0;
        }
        for (size_t a = 0; a < n; a++) {
          for (size_t b = 0; b < n; b++)
            to[(a * n + b) * part] = (float)(half[a][0] * g[b][0] + half[a][1] * g[b][1] + half[a][2] * g[b][2]);
        }
      }
    }
  }
}

/// Tiles that are worked on at once: what is between the transforms stays in the second-level cache, but for so many channels that the weights,
/// which pass once for all of these tiles, are what counts.
CK_INLINE size_t tiles_at_once(const ck_window *w, size_t tile) {
  size_t blocks = blocks_of((size_t)w->in_channels) + blocks_of((size_t)w->out_channels);
  size_t total = ((size_t)w->out_h + tile - 1) / tile * (((size_t)w->out_w + tile - 1) / tile);
  size_t tiles = WINOGRAD_FLOATS / ((tile + 2) * (tile + 2) * blocks * CK_W);
  if (tiles < WINOGRAD_FEWEST) tiles = WINOGRAD_FEWEST;
  if (tiles > WINOGRAD_MOST) tiles = WINOGRAD_MOST;
  size_t turns = (total + tiles - 1) / tiles;
  return (total + turns - 1) / turns;
}

// Distances that are no power of two, so that what is written side by side does not meet in one set of a cache.
CK_INLINE size_t part_of(size_t blocks, size_t tiles) { return blocks * tiles * CK_W + CK_W; }

size_t CK_FN(winograd_scratch_size)(const ck_window *w, size_t tile) {
  size_t tiles = tiles_at_once(w, tile), n = tile + 2;
  return n * n * (part_of(blocks_of((size_t)w->in_channels), tiles) + part_of(blocks_of((size_t)w->out_channels), tiles));
}

CK_INLINE void transform_input(
    int M, const ck_window *w, const float *in, size_t first, size_t tiles, size_t across, size_t part, size_t room, float *to) {
  enum { MOST = 8 };
  int N = M + 2;
  size_t blocks = blocks_of((size_t)w->in_channels);
  for (size_t block = 0; block < blocks; block++) {
    const float *plane = in + block * (size_t)(w->in_h * w->in_w) * CK_W;
    for (size_t t = 0; t < tiles; t++) {
      ptrdiff_t top = (ptrdiff_t)((first + t) / across) * M - w->pad_h;
      ptrdiff_t left = (ptrdiff_t)((first + t) % across) * M - w->pad_w;
      bool inside = top >= 0 && left >= 0 && top + N <= w->in_h && left + N <= w->in_w;
      vf half[MOST * MOST];
      const float *from = plane + (top * w->in_w + left) * CK_W;
#pragma clang loop unroll(disable)
      for (int x = 0; x < N; x++) {
        vf d[MOST], o[MOST];
#pragma clang loop unroll(full)
        for (int y = 0; y < N; y++) {
          bool here = inside || (top + y >= 0 && top + y < w->in_h && left + x >= 0 && left + x < w->in_w);
          d[y] = here ? vf_load(from + (y * w->in_w + x) * CK_W) : (vf)0.0f;
        }
        input_line(M, d, o);
#pragma clang loop unroll(full)
        for (int y = 0; y < N; y++) half[y * N + x] = o[y];
      }
      float *place = to + (block * room + t) * CK_W;
#pragma clang loop unroll(disable)
      for (int y = 0; y < N; y++) {
        vf o[MOST];
        input_line(M, half + y * N, o);
#pragma clang loop unroll(full)
        for (int x = 0; x < N; x++) vf_store(place + (size_t)(y * N + x) * part, o[x]);
      }
    }
  }
}

CK_INLINE void transform_output(
    int M, const ck_window *w, const float *from, size_t first, size_t tiles, size_t across, size_t part, size_t room,
    const struct ending *ending, const float *bias, const float *add, float *out) {
  enum { MOST = 8 };
  int N = M + 2;
  size_t blocks = blocks_of((size_t)w->out_channels), area = (size_t)(w->out_h * w->out_w);
  for (size_t block = 0; block < blocks; block++) {
    size_t lanes = (size_t)w->out_channels - block * CK_W < CK_W ? (size_t)w->out_channels - block * CK_W : CK_W;
    vf shift = bias ? vf_load_n(bias + block * CK_W, lanes) : (vf)0.0f;
    struct ending e = *ending;
    e.lanes = lanes;
    for (size_t t = 0; t < tiles; t++) {
      const float *place = from + (block * room + t) * CK_W;
      vf half[MOST * MOST];
#pragma clang loop unroll(disable)
      for (int x = 0; x < N; x++) {
        vf m[MOST], o[MOST];
#pragma clang loop unroll(full)
        for (int y = 0; y < N; y++) m[y] = vf_load(place + (size_t)(y * N + x) * part);
        output_line(M, m, o);
#pragma clang loop unroll(full)
        for (int y = 0; y < M; y++) half[y * N + x] = o[y];
      }
      size_t top = (first + t) / across * (size_t)M, left = (first + t) % across * (size_t)M;
      size_t rows = (size_t)w->out_h - top < (size_t)M ? (size_t)w->out_h - top : (size_t)M;
      size_t columns = (size_t)w->out_w - left < (size_t)M ? (size_t)w->out_w - left : (size_t)M;
#pragma clang loop unroll(disable)
      for (size_t y = 0; y < rows; y++) {
        vf o[MOST];
        output_line(M, half + y * (size_t)N, o);
        size_t at = (block * area + (top + y) * (size_t)w->out_w + left) * CK_W;
#pragma clang loop unroll(full)
        for (int x = 0; x < M; x++) {
          if ((size_t)x >= columns) break;
          vf v = o[x] + shift;
          if (add) v += vf_load(add + at + (size_t)x * CK_W);
          vf_store(out + at + (size_t)x * CK_W, vf_clamp(v, e.clamp));
        }
        if (needs_finish(&e)) finish_stored(&e, true, out + at, columns);
      }
    }
  }
}

CK_INLINE void winograd(
    int M, const ck_window *w, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add, float *out,
    float *scratch, size_t tile_begin, size_t tile_end) {
  size_t numbers = (size_t)((M + 2) * (M + 2)), across = ((size_t)w->out_w + (size_t)M - 1) / (size_t)M;
  size_t room = tiles_at_once(w, (size_t)M), inputs = blocks_of((size_t)w->in_channels);
  size_t outputs = blocks_of((size_t)w->out_channels), units = (outputs + 1) / 2;
  size_t in_part = part_of(inputs, room), out_part = part_of(outputs, room);
  float *sums = scratch + numbers * in_part;
  struct ending e = ending_of(epilogue), plain = {.clamp = {-INFINITY, INFINITY, true}, .lanes = CK_W};
  struct strip s = {
      .groups = inputs, .width = CK_W, .last = (size_t)w->in_channels - (inputs - 1) * CK_W,
      .group = (ptrdiff_t)(room * CK_W), .taps_y = 1, .taps_x = 1, .position = CK_W, .out_block = (ptrdiff_t)(room * CK_W),
      .taps = 1, .passes = {true, true}};
  size_t channels = (size_t)w->in_channels, weights = outputs * CK_W * channels;
  for (size_t first = tile_begin; first < tile_end; first += room) {
    size_t tiles = tile_end - first < room ? tile_end - first : room, strips = (tiles + CK_STRIP - 1) / CK_STRIP;
    transform_input(M, w, in, first, tiles, across, in_part, room, scratch);
    for (size_t j = 0; j < numbers; j++) {
      for (size_t index = 0; index < units; index++) {
        struct unit u = unit_at(w, 1, index);
        size_t floats = u.blocks * CK_W * channels;
        s.weights = packed + j * weights + u.offset;
        struct fetching next = fetching_of(s.weights + floats, floats * sizeof(float), strips, inputs);
        s.next = &next;
        strips_run(
            strips_for(CK_W, u.blocks), &s, &plain, u.blocks, scratch + j * in_part, sums + j * out_part + u.out_block * room * CK_W, tiles);
      }
    }
    transform_output(M, w, sums, first, tiles, across, out_part, room, &e, epilogue->bias, add, out);
  }
}

void CK_FN(winograd_f32)(
    const ck_window *w, size_t tile, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t tile_begin, size_t tile_end) {
  if (tile == 2) winograd(2, w, in, packed, epilogue, add, out, scratch, tile_begin, tile_end);
  if (tile == 4) winograd(4, w, in, packed, epilogue, add, out, scratch, tile_begin, tile_end);
  if (tile == 6) winograd(6, w, in, packed, epilogue, add, out, scratch, tile_begin, tile_end);
}
