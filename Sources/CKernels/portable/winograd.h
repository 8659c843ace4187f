// NCHWc Winograd convolution F(m x m, 3 x 3) (Lavin and Gray, 2016; points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity).
// Tiles of the input are transformed. Each of the (m + 2)^2 elements of a tile is a separate GEMM over channels. The
// products are transformed back.
#include "winograd_transform.h"

enum { WINOGRAD_FLOATS = 1 << 17, WINOGRAD_FEWEST = 2 * CK_STRIP + 4, WINOGRAD_MOST = 4 * CK_STRIP };

/// The filter transform, one row for each element of a transformed tile.
static const double numbers_2[4][3] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
static const double numbers_4[6][3] = {{1 / 4., 0, 0},          {-1 / 6., -1 / 6., -1 / 6.}, {-1 / 6., 1 / 6., -1 / 6.},
                                       {1 / 24., 1 / 12., 1 / 6.}, {1 / 24., -1 / 12., 1 / 6.}, {0, 0, 1}};
static const double numbers_6[8][3] = {
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
  const double(*g)[3] = tile == 2 ? numbers_2 : tile == 4 ? numbers_4 : numbers_6;
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

/// Tiles per iteration. The data between the transforms stay in L2. With very many channels they do not; then the
/// weights dominate, which are read once for all of these tiles.
CK_INLINE size_t tiles_at_once(const ck_window *w, size_t tile) {
  size_t blocks = blocks_of((size_t)w->in_channels) + blocks_of((size_t)w->out_channels);
  size_t total = tiles_of_image(w, tile);
  size_t tiles = WINOGRAD_FLOATS / ((tile + 2) * (tile + 2) * blocks * CK_W);
  if (tiles < WINOGRAD_FEWEST) tiles = WINOGRAD_FEWEST;
  if (tiles > WINOGRAD_MOST) tiles = WINOGRAD_MOST;
  size_t turns = (total + tiles - 1) / tiles;
  return (total + turns - 1) / turns;
}

size_t CK_FN(winograd_scratch_size)(const ck_window *w, size_t tile) {
  size_t tiles = tiles_at_once(w, tile), n = tile + 2;
  return n * n * (part_of(blocks_of((size_t)w->in_channels), tiles) + part_of(blocks_of((size_t)w->out_channels), tiles));
}

CK_INLINE void winograd(
    int M, const ck_window *w, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add, float *out,
    float *scratch, size_t tile_begin, size_t tile_end) {
  size_t numbers = (size_t)((M + 2) * (M + 2));
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
    size_t tiles = tile_end - first < room ? tile_end - first : room;
    transform_input(M, w, in, 0, inputs, first, tiles, in_part, room, scratch);
    for (size_t j = 0; j < numbers; j++) {
      for (size_t index = 0; index < units; index++) {
        struct unit u = unit_at(w, 1, index);
        size_t floats = u.blocks * CK_W * channels;
        s.weights = packed + j * weights + u.offset;
        struct strips f = strips_for(WEIGHTS_F32, CK_W, u.blocks);
        struct fetching next = fetching_of(s.weights + floats, floats * sizeof(float), (tiles + f.most - 1) / f.most, inputs);
        s.next = &next;
        strips_run(f, &s, &plain, u.blocks, scratch + j * in_part, sums + j * out_part + u.out_block * room * CK_W, tiles);
      }
    }
    transform_output(M, w, sums, 0, outputs, first, tiles, out_part, room, &e, epilogue->bias, add, out);
  }
}

void CK_FN(winograd_f32)(
    const ck_window *w, size_t tile, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t tile_begin, size_t tile_end) {
  if (tile == 2) winograd(2, w, in, packed, epilogue, add, out, scratch, tile_begin, tile_end);
  if (tile == 4) winograd(4, w, in, packed, epilogue, add, out, scratch, tile_begin, tile_end);
  if (tile == 6) winograd(6, w, in, packed, epilogue, add, out, scratch, tile_begin, tile_end);
}
