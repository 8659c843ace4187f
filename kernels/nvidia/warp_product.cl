// C = then(A B + bias) with tensor cores and fp32 accumulators. It has the parameters of tile.cl. The functions of a
// warp (warp_ptx.cl or warp_plain.cl) precede this source.
//
// fp32 factors (FLOATS) are rounded to ten fraction bits (TF32). One MMA covers two chunks of K for both types.
//
// A work-group computes TILE_M x TILE_N results, each of its WARPS_M x WARPS_N warps WARP_M x WARP_N of them, multiples
// of 16. WARPS_K times as many warps split the K range of a slice; their accumulators are added at the end. Slices of
// TILE_K elements, or SLICE chunks, pass through a pipeline of STAGES in local memory: one is used while the next ones
// are copied.
#ifndef WARPS_M
#define WARPS_M 2
#define WARPS_N 2
#define WARP_M 32
#define WARP_N 32
#define STAGES 3
#endif
#ifndef WARPS_K
#define WARPS_K 1
#endif
// 4, 8 or 16, and at least two for each of WARPS_K.
#ifndef SLICE
#define SLICE 4
#endif
#ifndef THEN
#define THEN(x) (x)
#endif
// K-split across groups: with PARTS > 1, C holds partial sums [batch][part][m][n] for parts.cl.
#ifndef PARTS
#define PARTS 1
#endif

#define TILE_M (WARPS_M * WARP_M)
#define TILE_N (WARPS_N * WARP_N)
#define TILE_K (SLICE * PER_CHUNK)
#define ITEMS (WARPS_M * WARPS_N * WARPS_K * 32)
// Chunks per row of a tile as stored, and chunks of a whole tile.
#define ALONG_A ((TRANSPOSE_A ? TILE_M : TILE_K) / PER_CHUNK)
#define ALONG_B ((TRANSPOSE_B ? TILE_K : TILE_N) / PER_CHUNK)
#define CHUNKS_A (TILE_M * TILE_K / PER_CHUNK)
#define CHUNKS_B (TILE_N * TILE_K / PER_CHUNK)
#define SUMS (WARP_M * WARP_N / 32)

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

// Position of a chunk in a tile whose rows have `along` chunks: 2, 4 or a multiple of 8. The swizzle avoids bank
// conflicts in a warp's reads. These are eight rows' chunks of one column or, for fp32 across the rows, two chunks of
// four rows.
static int chunk_place(int row, int column, int along) {
  if (along == 2) return row * along + (column ^ (row >> 2 & 1));
  if (along == 4) return row * along + (column ^ (row >> 1 & 3));
  return row * along + (column ^ (FLOATS ? (row & 3) << 1 : row & 7));
}

static uint4 packed(const NUMBER *v) {
#if FLOATS
  return (uint4)(v[0], v[1], v[2], v[3]);
#else
  return (uint4)(v[0] | (uint)v[1] << 16, v[2] | (uint)v[3] << 16, v[4] | (uint)v[5] << 16, v[6] | (uint)v[7] << 16);
#endif
}

// Gathers a chunk of consecutive elements of a row. Elements from `count` on are zero.
static uint4 gather(global const NUMBER *first, INDEX count) {
  NUMBER v[PER_CHUNK];
#pragma unroll
  for (int i = 0; i < PER_CHUNK; i++) v[i] = i < count ? first[i] : 0;
  return packed(v);
}

// The part of a factor that a work-item copies in each slice. `source` is its first chunk, `rows` and `columns` the
// extents that remain from there, `target` its position in a tile. Its other chunks are ITEMS / row_chunks rows apart,
// a multiple of the period of `chunk_place`.
typedef struct {
  global const NUMBER *source;
  INDEX rows, columns;
  int target;
} Chunks;

static Chunks chunks_of(global const NUMBER *matrix, int row_chunks, INDEX row0, INDEX first0, INDEX rows, INDEX length) {
  int item = get_local_id(0);
  INDEX row = row0 + item / row_chunks;
  INDEX first = first0 + item % row_chunks * PER_CHUNK;
  Chunks chunks;
  chunks.source = matrix + (long)row * length + first;
  chunks.rows = rows - row;
  chunks.columns = length - first;
  chunks.target = chunk_place(item / row_chunks, item % row_chunks, row_chunks);
  return chunks;
}

// Copies `count` chunks and advances by one slice, along the rows or across them.
static void copy_slice(Chunks *chunks, local uint4 *tile, global const NUMBER *matrix, INDEX length, int row_chunks, int count, bool is_across,
                       bool is_aligned) {
  int apart = ITEMS / row_chunks;
#pragma unroll
  for (int i = 0; i < count; i++) {
    bool inside = i * apart < chunks->rows && chunks->columns > 0;
    global const NUMBER *source = chunks->source + (long)(i * apart) * length;
    local uint4 *target = tile + chunks->target + i * ITEMS;
    if (is_aligned) {
      copy_chunk(target, inside ? source : matrix, inside);
    } else {
      *target = gather(source, inside ? chunks->columns : 0);
    }
  }
  if (is_across) {
    chunks->rows -= TILE_K;
    chunks->source += (long)TILE_K * length;
  } else {
    chunks->columns -= TILE_K;
    chunks->source += TILE_K;
  }
}

#if FLOATS
// An element of a tile whose rows have `along` chunks.
static uint number_at(local const uint4 *tile, int row, int column, int along) {
  return ((local const uint *)(tile + chunk_place(row, column / 4, along)))[column % 4];
}
#endif

// Loads a warp's operands, two chunks of K from `k` on: 16 rows of A from `row` on, or 16 columns of B from `column`
// on.
static void load_a(uint *x, local const uint4 *tile, int row, int k WARP_PARAMETER) {
  int lane = get_local_id(0) % 32;
  if (!TRANSPOSE_A) {
    load_matrices(x, tile, chunk_place(row + lane % 16, k / PER_CHUNK + lane / 16, ALONG_A) WARP);
  } else {
#if FLOATS
#pragma unroll
    for (int e = 0; e < 4; e++) x[e] = number_at(tile, k + lane % 4 + e / 2 * 4, row + lane / 4 + e % 2 * 8, ALONG_A);
#else
    load_transposed(x, tile, chunk_place(k + lane / 16 * 8 + lane % 8, (row + lane / 8 % 2 * 8) / 8, ALONG_A) WARP);
#endif
  }
#if FLOATS
#pragma unroll
  for (int e = 0; e < 4; e++) x[e] = to_tf32(x[e]);
#endif
}

static void load_b(uint *y, local const uint4 *tile, int column, int k WARP_PARAMETER) {
  int lane = get_local_id(0) % 32;
  if (TRANSPOSE_B) {
    int row = column + lane / 16 * 8 + lane % 8;
    load_matrices(y, tile, chunk_place(row, k / PER_CHUNK + lane / 8 % 2, ALONG_B) WARP);
  } else {
#if FLOATS
#pragma unroll
    for (int e = 0; e < 4; e++) y[e] = number_at(tile, k + lane % 4 + e % 2 * 4, column + lane / 4 + e / 2 * 8, ALONG_B);
#else
    load_transposed(y, tile, chunk_place(k + lane / 8 % 2 * 8 + lane % 8, column / 8 + lane / 16, ALONG_B) WARP);
#endif
  }
#if FLOATS
#pragma unroll
  for (int e = 0; e < 4; e++) y[e] = to_tf32(y[e]);
#endif
}

#ifdef CONVOLUTION
// As gather, for row k of the im2col matrix of the image: output pixels of `n`.
static uint4 gather_pixels(global const NUMBER *image, INDEX k, INDEX first, INDEX n, bool inside, Window w) {
  int tap = (int)(k % (KERNEL_H * KERNEL_W));
  global const NUMBER *plane = image + (k / (KERNEL_H * KERNEL_W)) * w.height * w.width;
  int row = (int)(first / w.output_width);
  int column = (int)(first % w.output_width);
  NUMBER v[PER_CHUNK];
#pragma unroll
  for (int i = 0; i < PER_CHUNK; i++) {
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

// Stores two consecutive elements, aligned to pairs.
static void put_pair(global ELEMENT(HALF_Y) * place, float first, float second) {
#if HALF_Y
  *(global uint *)place = two_halves(first, second);
#else
  *(global float2 *)place = (float2)(first, second);
#endif
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void product(
    global const NUMBER *a, ulong a0, global const NUMBER *b, ulong b0, global const float *bias, ulong bias0,
    global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, INDEX m, INDEX n, INDEX depth,
    Batch s
#ifdef CONVOLUTION
    ,
    Window window
#endif
) {
  local uint4 tiles[STAGES * (CHUNKS_A + CHUNKS_B)];
  local uint4 *a_tiles = tiles;
  local uint4 *b_tiles = tiles + STAGES * CHUNKS_A;
  WARP_MEMORY(ITEMS)
  int item = get_local_id(0);
  int lane = item % 32;
  int warp_row = item / 32 / WARPS_N % WARPS_M * WARP_M;
  int warp_column = item / 32 % WARPS_N * WARP_N;
  int warp_depth = item / 32 / (WARPS_N * WARPS_M);
  INDEX column0 = (INDEX)get_group_id(0) * TILE_N;
  INDEX row0 = (INDEX)get_group_id(1) * TILE_M;
  INDEX all_slices = (depth + TILE_K - 1) / TILE_K;
  INDEX share = (all_slices + PARTS - 1) / PARTS;

  for (long number = get_group_id(2); number < s.batches * PARTS; number += get_num_groups(2)) {
    long batch = number / PARTS;
    INDEX first_slice = (INDEX)(number % PARTS) * share;
    INDEX slices = min(share, all_slices - first_slice);
    long a_place = a0;
    long b_place = b0;
    long bias_place = bias0;
    find_matrix(s, batch, &a_place, &b_place, &bias_place);
    global const float *bias_row = bias + bias_place;
    global const ELEMENT(HALF_ADD) * add_matrix = add + add0 + batch * m * n;
    global ELEMENT(HALF_Y) * c_matrix = c + c0 + number * m * n;
    // Consecutive results of a row are aligned to pairs.
    bool pairs = (n & 1) == 0 && (c0 & 1) == 0;
    global const NUMBER *a_matrix = a + a_place;
    global const NUMBER *b_matrix = b + b_place;
    // Rows as stored, and whether all of their chunks are aligned in memory.
    INDEX a_length = TRANSPOSE_A ? m : depth;
    INDEX b_length = TRANSPOSE_B ? depth : n;
    INDEX a_rows = TRANSPOSE_A ? depth : m;
    INDEX b_rows = TRANSPOSE_B ? n : depth;
    bool a_aligned = (a_place & (PER_CHUNK - 1)) == 0 && (a_length & (PER_CHUNK - 1)) == 0;
    bool b_aligned = (b_place & (PER_CHUNK - 1)) == 0 && (b_length & (PER_CHUNK - 1)) == 0;

    float sums[WARP_M / 16][WARP_N / 8][4];
#pragma unroll
    for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) sums[i][j][e] = 0.0f;
      }
    }

    INDEX k0 = first_slice * TILE_K;
    Chunks a_chunks = chunks_of(a_matrix, ALONG_A, TRANSPOSE_A ? k0 : row0, TRANSPOSE_A ? row0 : k0, a_rows, a_length);
#ifndef CONVOLUTION
    Chunks b_chunks = chunks_of(b_matrix, ALONG_B, TRANSPOSE_B ? column0 : k0, TRANSPOSE_B ? k0 : column0, b_rows, b_length);
#endif

    for (INDEX round = 1 - STAGES; round < slices; round++) {
      if (round >= 0) {
        WAIT_FOR_BATCHES(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      // Copies the slice that is used STAGES - 1 rounds later, to the stage that was used last.
      INDEX next = round + STAGES - 1;
      if (next < slices) {
        int stage = (int)(next % STAGES);
        local uint4 *a_tile = a_tiles + stage * CHUNKS_A;
        local uint4 *b_tile = b_tiles + stage * CHUNKS_B;
        copy_slice(&a_chunks, a_tile, a_matrix, a_length, ALONG_A, CHUNKS_A / ITEMS, TRANSPOSE_A, a_aligned);
#ifdef CONVOLUTION
#pragma unroll
        for (int i = 0; i < CHUNKS_B / ITEMS; i++) {
          int chunk = item + i * ITEMS;
          INDEX row = (first_slice + next) * TILE_K + chunk / ALONG_B;
          INDEX first = column0 + chunk % ALONG_B * PER_CHUNK;
          bool inside = row < b_rows && first < b_length;
          b_tile[chunk_place(chunk / ALONG_B, chunk % ALONG_B, ALONG_B)] =
              gather_pixels(b_matrix, inside ? row : 0, inside ? first : 0, n, inside, window);
        }
#else
        copy_slice(&b_chunks, b_tile, b_matrix, b_length, ALONG_B, CHUNKS_B / ITEMS, !TRANSPOSE_B, b_aligned);
#endif
      }
      // Also if nothing was copied, because WAIT_FOR_BATCHES counts batches.
      end_batch();
      if (round < 0) continue;

      local const uint4 *a_tile = a_tiles + round % STAGES * CHUNKS_A;
      local const uint4 *b_tile = b_tiles + round % STAGES * CHUNKS_B;
#pragma unroll
      for (int step = 0; step < SLICE / 2 / WARPS_K; step++) {
        int k = (step * WARPS_K + warp_depth) * 2 * PER_CHUNK;
        uint x[WARP_M / 16][4];
        uint y[WARP_N / 16][4];
#pragma unroll
        for (int i = 0; i < WARP_M / 16; i++) load_a(x[i], a_tile, warp_row + i * 16, k WARP);
        // Two blocks of eight columns at a time.
#pragma unroll
        for (int j = 0; j < WARP_N / 16; j++) load_b(y[j], b_tile, warp_column + j * 16, k WARP);
#pragma unroll
        for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
          for (int j = 0; j < WARP_N / 8; j++) {
#if FLOATS
            multiply_add_tf32(sums[i][j], x[i], y[j / 2] + j % 2 * 2 WARP);
#else
            multiply_add(sums[i][j], x[i], y[j / 2] + j % 2 * 2 WARP);
#endif
          }
        }
      }
    }
    // The next matrix of the batch overwrites the tiles.
    WAIT_FOR_BATCHES(0);
    barrier(CLK_LOCAL_MEM_FENCE);

#if WARPS_K > 1
    // The accumulators of the other warps pass through the tiles' memory. The same element of all work-items is
    // contiguous.
    {
      local float *shared = (local float *)tiles;
      int place = item % (ITEMS / WARPS_K);
      for (int other = WARPS_K - 1; other > 0; other--) {
        if (warp_depth == other) {
#pragma unroll
          for (int e = 0; e < SUMS; e++) shared[e * (ITEMS / WARPS_K) + place] = sums[e / 4 / (WARP_N / 8)][e / 4 % (WARP_N / 8)][e % 4];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (warp_depth == 0) {
#pragma unroll
          for (int e = 0; e < SUMS; e++) sums[e / 4 / (WARP_N / 8)][e / 4 % (WARP_N / 8)][e % 4] += shared[e * (ITEMS / WARPS_K) + place];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
      }
    }
    if (warp_depth > 0) continue;
#endif

    int own_row = later(warp_row + lane / 4);
    int own_column = later(warp_column + lane % 4 * 2);
#pragma unroll
    for (int i = 0; i < WARP_M / 16; i++) {
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
          INDEX row = row0 + own_row + i * 16 + h * 8;
          INDEX column = column0 + own_column + j * 8;
          if (row >= m || column >= n) continue;
          long place = (long)row * n + column;
          float pair[2];
#pragma unroll
          for (int e = 0; e < 2; e++) {
            float sum = sums[i][j][h * 2 + e];
            bool inside = column + e < n;
            if (BIAS == 1) sum += bias_row[row];
            if (BIAS == 2 && inside) sum += bias_row[column + e];
            if (RESIDUAL && inside) sum += AT(HALF_ADD, add_matrix, place + e);
            pair[e] = THEN(sum);
          }
          if (pairs) {
            put_pair(c_matrix + place, pair[0], pair[1]);
          } else {
            PUT(HALF_Y, c_matrix, place, pair[0]);
            if (column + 1 < n) PUT(HALF_Y, c_matrix, place + 1, pair[1]);
          }
        }
      }
    }
  }
}
