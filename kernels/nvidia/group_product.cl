// C = then(A B + bias + add) with warp-group MMA (wgmma). It has the parameters of warp_product.cl. The functions of a
// warp, then those of a warp group (group_ptx.cl or group_plain.cl), precede this source.
//
// A work-group computes TILE_M x TILE_N results, each of its GROUPS warp groups 64 rows of them. Slices of TILE_K, in
// rows of 128 bytes, pass through a pipeline of STAGES in local memory. One stage is in use, one may still be read by a
// slower warp group, and the others are being filled. Rows of both factors are whole chunks of 16 bytes, aligned to 16
// bytes.
#ifndef GROUPS
#define GROUPS 1
#define TILE_N 64
#define STAGES 4
#endif
#ifndef THEN
#define THEN(x) (x)
#endif
// Work-groups of a cluster, which split K. Each reduces and stores some rows in the end.
#ifndef CLUSTER
#define CLUSTER 1
#endif
#if FLOATS
#define MULTIPLY JOIN(multiply_add_tf32_, TILE_N)
#else
#define MULTIPLY JOIN(multiply_add_, TILE_N)
#endif

#define TILE_M (GROUPS * 64)
#define TILE_K (8 * PER_CHUNK)
#define ITEMS (GROUPS * 128)
#define BYTES_A (TILE_M * 128)
#define BYTES_B (TILE_N * 128)
#define STAGE (BYTES_A + BYTES_B)
#define PITCH (TILE_N + 8)
#define MOST(a, b) ((a) > (b) ? (a) : (b))
// Slices that are prefetched. With AHEAD = STAGES - 1 a slice's products end before the next slice's begin; other
// groups use the tensor cores meanwhile.
#ifndef AHEAD
#define AHEAD (STAGES - 2)
#endif
// Rows of 128 bytes that all work-items copy in one step.
#define AT_ONCE (ITEMS / 8)

#if FLOATS && (TRANSPOSE_A || !TRANSPOSE_B) || TILE_N < 64 && !TRANSPOSE_B
#error "factors that no product takes"
#endif

// The part of a factor's tile of COUNT rows of 128 bytes that a work-item copies: one chunk of every AT_ONCE-th row.
// Rows are those of the tile, or (`is_across`) K rows for one block of columns after the other. Rows and columns beyond
// the factor repeat the last valid ones; their results are not stored. `depth` is the rest of K from the chunk or the
// first row on; beyond it are zeros.
#define ROWS(COUNT)                                                                                                   \
  struct {                                                                                                            \
    global const NUMBER *source;                                                                                      \
    INDEX place[COUNT / AT_ONCE];                                                                                     \
    INDEX depth;                                                                                                      \
  }
#define FIND_ROWS(own, COUNT, matrix, is_across, first, rows, k0, depth_)                                             \
  {                                                                                                                   \
    int chunk = get_local_id(0) % 8 * PER_CHUNK;                                                                      \
    int row = get_local_id(0) / 8;                                                                                    \
    INDEX length = is_across ? rows : depth_;                                                                         \
    own.source = matrix + (is_across ? (long)(k0) * length : (long)(k0));                                              \
    own.depth = depth_ - (k0) - (is_across ? row : chunk);                                                            \
    for (int i = 0; i < COUNT / AT_ONCE; i++) {                                                                       \
      int apart = is_across ? i * AT_ONCE % TILE_K : i * AT_ONCE;                                                     \
      int block = is_across ? i * AT_ONCE / TILE_K * TILE_K : 0;                                                      \
      own.place[i] = is_across ? (row + apart) * length + min((INDEX)(first + block + chunk), rows - PER_CHUNK)       \
                               : min((INDEX)(first + row + apart), rows - 1) * length + chunk;                        \
    }                                                                                                                 \
  }
// Copies a tile and advances by one slice. For a chunk beyond K, the source is the start of the matrix: a valid
// address, from which nothing is read.
#define COPY_ROWS(own, tile, COUNT, matrix, is_across, rows)                                                          \
  {                                                                                                                   \
    int row = get_local_id(0) / 8;                                                                                    \
    uint target = tile + row * 128 + ((get_local_id(0) ^ row) & 7) * 16;                                              \
    _Pragma("unroll") for (int i = 0; i < COUNT / AT_ONCE; i++) {                                                     \
      bool inside = own.depth > (is_across ? i * AT_ONCE % TILE_K : 0);                                                \
      copy_to(target + i * AT_ONCE * 128, inside ? own.source + own.place[i] : matrix, inside MEMORY);                \
    }                                                                                                                 \
    own.depth -= TILE_K;                                                                                              \
    own.source += is_across ? (long)TILE_K * (rows) : TILE_K;                                                         \
  }

// Stores eight consecutive elements, aligned to eight.
static void put_eight(global ELEMENT(HALF_Y) * place, const float *x) {
#if HALF_Y
  *(global uint4 *)place = (uint4)(two_halves(x[0], x[1]), two_halves(x[2], x[3]), two_halves(x[4], x[5]), two_halves(x[6], x[7]));
#else
  ((global float4 *)place)[0] = (float4)(x[0], x[1], x[2], x[3]);
  ((global float4 *)place)[1] = (float4)(x[4], x[5], x[6], x[7]);
#endif
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void product(
    global const NUMBER *a, ulong a0, global const NUMBER *b, ulong b0, global const float *bias, ulong bias0,
    global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, INDEX m, INDEX n, INDEX depth,
    Batch s) {
  GROUP_MEMORY(MOST(STAGES * STAGE, TILE_M * PITCH * 4))
#if CLUSTER > 1
  GROUP_CLUSTER(CLUSTER)
#endif
  WARP_MEMORY(ITEMS)
  uint tiles = group_memory();
  int item = get_local_id(0);
  int lane = item % 32;
  int group = item / 128;
  INDEX column0 = (INDEX)get_group_id(0) * TILE_N;
  INDEX row0 = (INDEX)get_group_id(1) * TILE_M;
  INDEX all_slices = (depth + TILE_K - 1) / TILE_K;
  INDEX share = (all_slices + CLUSTER - 1) / CLUSTER;

  for (long number = get_group_id(2); number < s.batches * CLUSTER; number += get_num_groups(2)) {
    long batch = number / CLUSTER;
    INDEX first_slice = (INDEX)(number % CLUSTER) * share;
    INDEX slices = min(share, all_slices - first_slice);
    long a_place = a0;
    long b_place = b0;
    long bias_place = bias0;
    find_matrix(s, batch, &a_place, &b_place, &bias_place);
    global const float *bias_row = bias + bias_place;
    global const ELEMENT(HALF_ADD) * add_matrix = add + add0 + batch * m * n;
    global ELEMENT(HALF_Y) * c_matrix = c + c0 + number / CLUSTER * m * n;
    global const NUMBER *a_matrix = a + a_place;
    global const NUMBER *b_matrix = b + b_place;
    INDEX k0 = first_slice * TILE_K;
    ROWS(TILE_M) a_rows;
    ROWS(TILE_N) b_rows;
    FIND_ROWS(a_rows, TILE_M, a_matrix, TRANSPOSE_A, row0, m, k0, depth)
    FIND_ROWS(b_rows, TILE_N, b_matrix, !TRANSPOSE_B, column0, n, k0, depth)

    float sums[TILE_N / 2];
#pragma unroll
    for (int i = 0; i < TILE_N / 2; i++) sums[i] = 0.0f;

    // Rounds from 0 on use one slice each. Every round also starts to copy the slice for AHEAD rounds later, into a
    // stage whose products have finished.
    for (INDEX round = -AHEAD; round < slices; round++) {
      if (round >= 0) {
        WAIT_FOR_BATCHES(AHEAD - 1);
        publish();
        barrier(CLK_LOCAL_MEM_FENCE);
        uint stage = tiles + (uint)(round % STAGES) * STAGE;
        ulong x = factor_at(stage + group * 64 * 128, 8192);
        ulong y = factor_at(stage + BYTES_A, 8192);
        begin_products();
#pragma unroll
        for (int step = 0; step < 4; step++) {
          // Two chunks of every row, or 16 rows of K.
          MULTIPLY(sums, x + step * (TRANSPOSE_A ? 2048 / 16 : 32 / 16), y + step * (TRANSPOSE_B ? 32 / 16 : 2048 / 16) MEMORY);
        }
        end_products();
      }
      INDEX next = round + AHEAD;
      if (next < slices) {
        uint stage = tiles + (uint)(next % STAGES) * STAGE;
        COPY_ROWS(a_rows, stage, TILE_M, a_matrix, TRANSPOSE_A, m)
        COPY_ROWS(b_rows, stage + BYTES_A, TILE_N, b_matrix, !TRANSPOSE_B, n)
      }
      // Also if nothing was copied, because WAIT_FOR_BATCHES counts batches.
      end_batch();
      if (round >= 0) WAIT_FOR_PRODUCTS(STAGES - 1 - AHEAD);
    }
    WAIT_FOR_PRODUCTS(0);
    WAIT_FOR_BATCHES(0);
    barrier(CLK_LOCAL_MEM_FENCE);

    // Accumulators pass through the tiles' memory, so that stores are coalesced. The row pitch avoids bank conflicts in
    // a warp's stores.
    uint own = tiles + ((item / 32 * 16 + lane / 4) * PITCH + lane % 4 * 2) * 4;
#pragma unroll
    for (int h = 0; h < 2; h++) {
#pragma unroll
      for (int j = 0; j < TILE_N / 8; j++) put_two(own + (h * 8 * PITCH + j * 8) * 4, sums[j * 4 + h * 2], sums[j * 4 + h * 2 + 1] MEMORY);
    }
#if CLUSTER > 1
    meet_cluster();
    int part_row = (int)cluster_rank() * (TILE_M / CLUSTER);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    int part_row = 0;
#endif
    bool whole = (n & 7) == 0 && (c0 & 7) == 0 && (add0 & 7) == 0;
#pragma unroll 2
    for (int chunk = item; chunk < TILE_M / CLUSTER * (TILE_N / 8); chunk += ITEMS) {
      int tile_row = part_row + chunk / (TILE_N / 8);
      int tile_column = chunk % (TILE_N / 8) * 8;
      INDEX row = row0 + tile_row;
      INDEX column = column0 + tile_column;
      if (row >= m || column >= n) continue;
      uint from = tiles + (tile_row * PITCH + tile_column) * 4;
      float x[8];
#if CLUSTER > 1
      four_of(x, 0, from);
      four_of(x + 4, 0, from + 16);
#pragma unroll
      for (int part = 1; part < CLUSTER; part++) {
        float y[8];
        four_of(y, part, from);
        four_of(y + 4, part, from + 16);
#pragma unroll
        for (int e = 0; e < 8; e++) x[e] += y[e];
      }
#else
      get_four(x, from MEMORY);
      get_four(x + 4, from + 16 MEMORY);
#endif
      long place = (long)row * n + column;
      int count = (int)min(n - column, (INDEX)8);
      if (BIAS == 1) {
        float number = bias_row[row];
#pragma unroll
        for (int e = 0; e < 8; e++) x[e] += number;
      }
      if (BIAS == 2) {
        float y[8];
        if (whole && ((ulong)bias_row & 15) == 0) {
          read_eight_0(y, bias_row + column, true);
        } else {
#pragma unroll
          for (int e = 0; e < 8; e++) y[e] = e < count ? bias_row[column + e] : 0.0f;
        }
#pragma unroll
        for (int e = 0; e < 8; e++) x[e] += y[e];
      }
      if (RESIDUAL) {
        float y[8];
        if (whole) {
          READ_EIGHT(HALF_ADD, y, add_matrix + place, true);
        } else {
#pragma unroll
          for (int e = 0; e < 8; e++) y[e] = e < count ? AT(HALF_ADD, add_matrix, place + e) : 0.0f;
        }
#pragma unroll
        for (int e = 0; e < 8; e++) x[e] += y[e];
      }
#pragma unroll
      for (int e = 0; e < 8; e++) x[e] = THEN(x[e]);
      if (whole) {
        put_eight(c_matrix + place, x);
      } else {
#pragma unroll
        for (int e = 0; e < 8; e++) {
          if (e < count) PUT(HALF_Y, c_matrix, place + e, x[e]);
        }
      }
    }
    // The next matrix of the batch overwrites the memory that is read here, also by other groups of the cluster.
#if CLUSTER > 1
    meet_cluster();
#else
    if (number + get_num_groups(2) < s.batches) barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
}
