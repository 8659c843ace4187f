// The convolution kernel with tensor cores. warp_patch.cl precedes this source and explains the algorithm.

#if FLOATS
#define MULTIPLY_ADD multiply_add_tf32
#else
#define MULTIPLY_ADD multiply_add
#endif

// Starts to copy a round's weights, which have the same layout in global memory as in a tile.
static void copy_round(local uint4 *target, global const NUMBER *weights) {
#pragma unroll
  for (int i = 0; i < (ROUND_CHUNKS + ITEMS - 1) / ITEMS; i++) {
    int chunk = get_local_id(0) + i * ITEMS;
    if (ROUND_CHUNKS % ITEMS == 0 || chunk < ROUND_CHUNKS) copy_chunk(target + chunk, weights + chunk * PER_CHUNK, true);
  }
}

// Adds the products of a round's taps, from `tap` on. `row` and `pixels` are the starts of this lane's operand rows.
static void multiply_round(float sums[WARP_M / 16][WARP_N / 8][4], local const uint4 *weights, local const uint4 *patch, int tap, int row,
                           const int *pixels WARP_PARAMETER) {
#ifndef ROLLED
#pragma unroll
#endif
  for (int t = 0; t < ROUND_TAPS; t++) {
    int shift = tap_place(tap + t);
#ifndef ROLLED
#pragma unroll
#endif
    for (int block = 0; block < BLOCKS; block++) {
      uint x[WARP_M / 16][4];
      uint y[WARP_N / 16][4];
#pragma unroll
      for (int i = 0; i < WARP_M / 16; i++) load_matrices(x[i], weights, (t * BLOCKS + block) * UNIT + row + i * 32 WARP);
#pragma unroll
      for (int j = 0; j < WARP_N / 16; j++) load_matrices(y[j], patch, block * 2 * PATCH + shift + pixels[j] WARP);
#pragma unroll
      for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
        for (int j = 0; j < WARP_N / 8; j++) MULTIPLY_ADD(sums[i][j], x[i], y[j / 2] + j % 2 * 2 WARP);
      }
    }
  }
}

// Two consecutive elements, aligned to pairs.
static float2 pair_at_0(global const float *memory) { return *(global const float2 *)memory; }
static float2 pair_at_1(global const half *memory) {
  uint bits = *(global const uint *)memory;
  ushort low = (ushort)bits;
  ushort high = (ushort)(bits >> 16);
  return (float2)(vload_half(0, (const half *)&low), vload_half(0, (const half *)&high));
}
static void put_pair_0(global float *memory, float2 pair) { *(global float2 *)memory = pair; }
static void put_pair_1(global half *memory, float2 pair) { *(global uint *)memory = two_halves(pair.x, pair.y); }

// The epilogue of two consecutive results of a row. Either both exist and are aligned (`both`), or only the first
// `left` exist.
static void end_pair(const float *sums, float bias, global const ELEMENT(HALF_ADD) * add, global ELEMENT(HALF_Y) * c, bool both, int left) {
  if (both) {
    float2 pair = (float2)(sums[0] + bias, sums[1] + bias);
    if (RESIDUAL) {
      float2 more = JOIN(pair_at_, HALF_ADD)(add);
      pair.x += more.x;
      pair.y += more.y;
    }
    JOIN(put_pair_, HALF_Y)(c, (float2)(THEN(pair.x), THEN(pair.y)));
    return;
  }
#pragma unroll
  for (int e = 0; e < 2; e++) {
    if (e >= left) continue;
    float sum = sums[e] + bias;
    if (RESIDUAL) sum += AT(HALF_ADD, add, e);
    PUT(HALF_Y, c, e, THEN(sum));
  }
}

// Groups are (rectangles of pixels, output channels, [image][group][part]). A work-group may process several of the
// last. With parts, C holds partial sums, [image][group][part][output][pixel], for parts.cl.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void convolve(
    global const NUMBER *weights, ulong weights0, global const NUMBER *x, ulong x0, global const float *bias, ulong bias0,
    global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, Picture s) {
  local uint4 tiles[STAGES * ROUND_CHUNKS];
  local uint4 patches[PATCHES * (SLICE / PER_CHUNK) * PATCH];
  WARP_MEMORY(ITEMS)
  int item = get_local_id(0);
  int lane = item % 32;
  int warp_row = item / 32 / WARPS_N * WARP_M;
  int warp_column = item / 32 % WARPS_N * WARP_N;
  int across_tiles = (s.output_width + TILE_W - 1) / TILE_W;
  int row0 = (int)get_group_id(1) * TILE_M;
  int top = (int)get_group_id(0) / across_tiles * TILE_H;
  int left = (int)get_group_id(0) % across_tiles * TILE_W;
  int patch_y = top * STRIDE_H - s.pad_top;
  int patch_x = left * STRIDE_W - s.pad_left;
  INDEX plane = (INDEX)s.height * s.width;
  INDEX output_plane = (INDEX)s.output_height * s.output_width;
  int all_slices = (s.channels + SLICE - 1) / SLICE;
  int share = (all_slices + s.parts - 1) / s.parts;
  bool aligned = VECTOR > 1 && s.width % VECTOR == 0 && x0 % VECTOR == 0;
  bool pairs = TILE_W % 2 == 0 && s.output_width % 2 == 0 && c0 % 2 == 0 && (!RESIDUAL || add0 % 2 == 0);

  // Starts of this lane's rows in tiles and patches. Lanes 0 to 7 address the rows of the first 8x8 matrix, the next
  // eight lanes those of the second, and so on.
  int row = weight_place(warp_row + lane % 16, lane / 16);
  int pixels[WARP_N / 16];
#pragma unroll
  for (int j = 0; j < WARP_N / 16; j++) {
    int pixel = warp_column + j * 16 + lane / 16 * 8 + lane % 8;
    if (pixel >= TILE_H * TILE_W) pixel = 0;
    pixels[j] = lane / 8 % 2 * PATCH + pixel / TILE_W * APART_H * PATCH_ROW + pixel % TILE_W;
  }
  INDEX place[FETCHES];
  find_runs(place, patch_y, patch_x, s);

  for (long number = get_group_id(2); number < (long)s.images * s.groups * s.parts; number += get_num_groups(2)) {
    long batch = number / s.parts;
    int first_slice = (int)(number % s.parts) * share;
    int slices = all_slices - first_slice < share ? all_slices - first_slice : share;
    int rounds = slices * ROUNDS;
    int channels = s.channels - first_slice * SLICE;
    // The planes of X are consecutive over groups and images.
    global const NUMBER *image = x + x0 + (batch * s.channels + first_slice * SLICE) * plane;
    long tile = batch % s.groups * ((s.outputs + TILE_M - 1) / TILE_M) + get_group_id(1);
    global const NUMBER *factors = weights + weights0 + (tile * all_slices + first_slice) * TAPS * BLOCKS * UNIT * PER_CHUNK;

    float sums[WARP_M / 16][WARP_N / 8][4];
#pragma unroll
    for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) sums[i][j][e] = 0.0f;
      }
    }

    uint fetched[FETCHES][PER_CHUNK][WORDS];
    if (slices > 0) fetch_patch(fetched, image, place, channels, patch_x, aligned, s);
#pragma unroll
    for (int round = 0; round < STAGES - 1; round++) {
      if (round < rounds) copy_round(tiles + round * ROUND_CHUNKS, factors);
      factors += ROUND_CHUNKS * PER_CHUNK;
      end_batch();
    }

    for (int slice = 0; slice < slices; slice++) {
      if (PATCHES == 1) barrier(CLK_LOCAL_MEM_FENCE);
      local uint4 *patch = patches + slice % PATCHES * (SLICE / PER_CHUNK) * PATCH;
      store_patch(patch, fetched);
      if (slice + 1 < slices) {
        channels -= SLICE;
        image += SLICE * plane;
        fetch_patch(fetched, image, place, channels, patch_x, aligned, s);
      }
#pragma unroll 1
      for (int part = 0; part < ROUNDS; part++) {
        int round = slice * ROUNDS + part;
        WAIT_FOR_BATCHES(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        // These weights replace the ones that were used last.
        int next = round + STAGES - 1;
        if (next < rounds) copy_round(tiles + next % STAGES * ROUND_CHUNKS, factors);
        factors += ROUND_CHUNKS * PER_CHUNK;
        // Also if nothing was copied, because WAIT_FOR_BATCHES counts batches.
        end_batch();
        multiply_round(sums, tiles + round % STAGES * ROUND_CHUNKS, patch, part * ROUND_TAPS, row, pixels WARP);
      }
    }
    // The next image overwrites the tiles.
    WAIT_FOR_BATCHES(0);
    barrier(CLK_LOCAL_MEM_FENCE);

    global ELEMENT(HALF_Y) *results = c + c0 + number * s.outputs * output_plane;
    global const ELEMENT(HALF_ADD) *adds = add + add0 + batch * s.outputs * output_plane;
    global const float *biases = bias + bias0 + batch % s.groups * s.outputs;
#pragma unroll
    for (int i = 0; i < WARP_M / 8; i++) {
      int channel = row0 + warp_row + i * 8 + lane / 4;
      if (channel >= s.outputs) continue;
      float more = BIAS ? biases[channel] : 0.0f;
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j++) {
        int pixel = warp_column + j * 8 + lane % 4 * 2;
        int y = top + pixel / TILE_W;
        int count = s.output_width - left - pixel % TILE_W;
        // In a rectangle of odd width the second pixel may be in the next row.
        bool split = TILE_W % 2 && pixel % TILE_W == TILE_W - 1;
        if (split && count > 1) count = 1;
        INDEX to = channel * output_plane + (INDEX)y * s.output_width + left + pixel % TILE_W;
        const float *pair = sums[i / 2][j] + i % 2 * 2;
        if (pixel < TILE_H * TILE_W && y < s.output_height && count > 0) {
          end_pair(pair, more, RESIDUAL ? adds + to : adds, results + to, pairs, count);
        }
        if (TILE_W % 2 && split && pixel + 1 < TILE_H * TILE_W && y + 1 < s.output_height) {
          to = channel * output_plane + (INDEX)(y + 1) * s.output_width + left;
          end_pair(pair + 1, more, RESIDUAL ? adds + to : adds, results + to, false, 1);
        }
      }
    }
  }
}
