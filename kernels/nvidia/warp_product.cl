// C = then(A B + bias) of halves with sums in single precision, on a GPU's units for matrices: as tile.cl, whose parameters these are. The
// functions of a warp come from warp_ptx.cl or warp_plain.cl, which stand in front of this.
//
// A group computes TILE_M x TILE_N results; each of its WARPS_M x WARPS_N warps WARP_M x WARP_N of them, multiples of 16. Slices of TILE_K pass
// through local memory, STAGES of them at a time: those to come are copied while one is used.
#ifndef WARPS_M
#define WARPS_M 2
#define WARPS_N 2
#define WARP_M 32
#define WARP_N 32
#define STAGES 3
#endif
#ifndef THEN
#define THEN(x) (x)
#endif
#ifndef RESIDUAL
#define RESIDUAL 0
#endif
// 0: none, 1: one number a row, 2: one a column.
#ifndef BIAS
#define BIAS 0
#endif
#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif

#define TILE_M (WARPS_M * WARP_M)
#define TILE_N (WARPS_N * WARP_N)
#define TILE_K 32
#define ITEMS (WARPS_M * WARPS_N * 32)
// Chunks of a tile's rows as stored, and of a whole tile.
#define ALONG_A ((TRANSPOSE_A ? TILE_M : TILE_K) / 8)
#define ALONG_B ((TRANSPOSE_B ? TILE_K : TILE_N) / 8)
#define CHUNKS_A (TILE_M * TILE_K / 8)
#define CHUNKS_B (TILE_N * TILE_K / 8)

// As in tile.cl.
typedef struct {
  long batches;
  long size[4];
  long a[4];
  long b[4];
  long bias[4];
} Batch;

#ifdef CONVOLUTION
#ifndef KERNEL_H
#define KERNEL_H 3
#define KERNEL_W 3
#endif
typedef struct {
  int height, width, output_width;
  int stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
} Window;
#endif

// Where a chunk lies in a tile whose rows have `along` of them, 4 or a multiple of 8: eight rows' chunks of one column are in different banks.
static int chunk_place(int row, int column, int along) {
  return row * along + (along == 4 ? column ^ (row >> 1 & 3) : column ^ (row & 7));
}

static uint4 packed(const ushort *v) {
  return (uint4)(v[0] | (uint)v[1] << 16, v[2] | (uint)v[3] << 16, v[4] | (uint)v[5] << 16, v[6] | (uint)v[7] << 16);
}

// Eight neighbours of a row of `length`, of which `first` is the first: zeros beyond the end, and all where the row lies outside.
static uint4 gather(global const ushort *row, INDEX first, INDEX length, bool inside) {
  ushort v[8];
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = inside && first + i < length ? row[first + i] : 0;
  return packed(v);
}

#ifdef CONVOLUTION
// The same of row k of the image's columns: eight output pixels of `n`.
static uint4 gather_pixels(global const ushort *image, INDEX k, INDEX first, INDEX n, bool inside, Window w) {
  int tap = (int)(k % (KERNEL_H * KERNEL_W));
  global const ushort *plane = image + (k / (KERNEL_H * KERNEL_W)) * w.height * w.width;
  int row = (int)(first / w.output_width);
  int column = (int)(first % w.output_width);
  ushort v[8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int y = row * w.stride_h - w.pad_top + tap / KERNEL_W * w.dilation_h;
    int x = column * w.stride_w - w.pad_left + tap % KERNEL_W * w.dilation_w;
    bool within = inside && first + i < n && y >= 0 && y < w.height && x >= 0 && x < w.width;
    v[i] = within ? plane[(INDEX)y * w.width + x] : 0;
    if (++column == w.output_width) {
      column = 0;
      row++;
    }
  }
  return packed(v);
}
#endif

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void product(
    global const half *a, ulong a0, global const half *b, ulong b0, global const float *bias, ulong bias0,
    global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, INDEX m, INDEX n, INDEX depth,
    Batch s
#ifdef CONVOLUTION
    ,
    Window window
#endif
) {
  local uint4 a_tiles[STAGES * CHUNKS_A];
  local uint4 b_tiles[STAGES * CHUNKS_B];
  WARP_MEMORY(ITEMS)
  int item = get_local_id(0);
  int lane = item % 32;
  int warp_row = item / 32 / WARPS_N * WARP_M;
  int warp_column = item / 32 % WARPS_N * WARP_N;
  INDEX column0 = (INDEX)get_group_id(0) * TILE_N;
  INDEX row0 = (INDEX)get_group_id(1) * TILE_M;
  INDEX slices = (depth + TILE_K - 1) / TILE_K;

  for (long batch = get_group_id(2); batch < s.batches; batch += get_num_groups(2)) {
    long a_place = a0;
    long b_place = b0;
    global const float *bias_row = bias + bias0;
    long rest = batch;
    for (int d = 3; d >= 0; d--) {
      long place = rest % s.size[d];
      rest /= s.size[d];
      a_place += place * s.a[d];
      b_place += place * s.b[d];
      bias_row += place * s.bias[d];
    }
    global const ELEMENT(HALF_ADD) * add_matrix = add + add0 + batch * m * n;
    global ELEMENT(HALF_Y) * c_matrix = c + c0 + batch * m * n;
    global const ushort *a_matrix = (global const ushort *)a + a_place;
    global const ushort *b_matrix = (global const ushort *)b + b_place;
    // Rows as stored, and whether all of their chunks are aligned in memory.
    INDEX a_length = TRANSPOSE_A ? m : depth;
    INDEX b_length = TRANSPOSE_B ? depth : n;
    INDEX a_rows = TRANSPOSE_A ? depth : m;
    INDEX b_rows = TRANSPOSE_B ? n : depth;
    bool a_aligned = (a_place & 7) == 0 && (a_length & 7) == 0;
    bool b_aligned = (b_place & 7) == 0 && (b_length & 7) == 0;

    float sums[WARP_M / 16][WARP_N / 8][4];
#pragma unroll
    for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) sums[i][j][e] = 0.0f;
      }
    }

    for (INDEX round = 1 - STAGES; round < slices; round++) {
      if (round >= 0) {
        WAIT_FOR_BATCHES(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      // The slice to copy now is used STAGES - 1 rounds later, in the place of the one that was used last.
      INDEX next = round + STAGES - 1;
      if (next < slices) {
        int stage = (int)(next % STAGES);
        local uint4 *a_tile = a_tiles + stage * CHUNKS_A;
        local uint4 *b_tile = b_tiles + stage * CHUNKS_B;
        INDEX k0 = next * TILE_K;
#pragma unroll
        for (int i = 0; i < CHUNKS_A / ITEMS; i++) {
          int chunk = item + i * ITEMS;
          INDEX row = (TRANSPOSE_A ? k0 : row0) + chunk / ALONG_A;
          INDEX first = (TRANSPOSE_A ? row0 : k0) + chunk % ALONG_A * 8;
          local uint4 *target = a_tile + chunk_place(chunk / ALONG_A, chunk % ALONG_A, ALONG_A);
          bool inside = row < a_rows && first < a_length;
          if (a_aligned) {
            copy_chunk(target, a_matrix + (inside ? (long)row * a_length + first : 0), inside);
          } else {
            *target = gather(a_matrix + (inside ? (long)row * a_length : 0), first, a_length, inside);
          }
        }
#pragma unroll
        for (int i = 0; i < CHUNKS_B / ITEMS; i++) {
          int chunk = item + i * ITEMS;
          INDEX row = (TRANSPOSE_B ? column0 : k0) + chunk / ALONG_B;
          INDEX first = (TRANSPOSE_B ? k0 : column0) + chunk % ALONG_B * 8;
          local uint4 *target = b_tile + chunk_place(chunk / ALONG_B, chunk % ALONG_B, ALONG_B);
          bool inside = row < b_rows && first < b_length;
#ifdef CONVOLUTION
          *target = gather_pixels(b_matrix, inside ? row : 0, inside ? first : 0, n, inside, window);
#else
          if (b_aligned) {
            copy_chunk(target, b_matrix + (inside ? (long)row * b_length + first : 0), inside);
          } else {
            *target = gather(b_matrix + (inside ? (long)row * b_length : 0), first, b_length, inside);
          }
#endif
        }
      }
      // Also where there was nothing to copy: batches are counted.
      end_batch();
      if (round < 0) continue;

      local const uint4 *a_tile = a_tiles + round % STAGES * CHUNKS_A;
      local const uint4 *b_tile = b_tiles + round % STAGES * CHUNKS_B;
#pragma unroll
      for (int k = 0; k < TILE_K; k += 16) {
        uint x[WARP_M / 16][4];
        uint y[WARP_N / 16][4];
#pragma unroll
        for (int i = 0; i < WARP_M / 16; i++) {
          int row = warp_row + i * 16 + lane / 8 % 2 * 8;
          if (TRANSPOSE_A) {
            load_transposed(x[i], a_tile, chunk_place(k + lane / 16 * 8 + lane % 8, row / 8, ALONG_A) WARP);
          } else {
            load_matrices(x[i], a_tile, chunk_place(row + lane % 8, k / 8 + lane / 16, ALONG_A) WARP);
          }
        }
        // Two blocks of eight columns at a time.
#pragma unroll
        for (int j = 0; j < WARP_N / 16; j++) {
          int column = warp_column + j * 16 + lane / 16 * 8;
          if (TRANSPOSE_B) {
            load_matrices(y[j], b_tile, chunk_place(column + lane % 8, k / 8 + lane / 8 % 2, ALONG_B) WARP);
          } else {
            load_transposed(y[j], b_tile, chunk_place(k + lane / 8 % 2 * 8 + lane % 8, column / 8, ALONG_B) WARP);
          }
        }
#pragma unroll
        for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
          for (int j = 0; j < WARP_N / 8; j++) multiply_add(sums[i][j], x[i], y[j / 2] + j % 2 * 2 WARP);
        }
      }
    }
    // The next matrix of the batch overwrites the tiles.
    WAIT_FOR_BATCHES(0);
    barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
    for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          INDEX row = row0 + warp_row + i * 16 + lane / 4 + e / 2 * 8;
          INDEX column = column0 + warp_column + j * 8 + lane % 4 * 2 + e % 2;
          if (row >= m || column >= n) continue;
          float sum = sums[i][j][e];
          if (BIAS == 1) sum += bias_row[row];
          if (BIAS == 2) sum += bias_row[column];
          if (RESIDUAL) sum += AT(HALF_ADD, add_matrix, (long)row * n + column);
          PUT(HALF_Y, c_matrix, (long)row * n + column, THEN(sum));
        }
      }
    }
  }
}
