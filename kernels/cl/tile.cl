// C = then(A B + bias) for batches of matrices, and convolution as such a product whose B is gathered from the image
// (CONVOLUTION). A group computes TILE_M x TILE_N results, a work-item ITEM_M x ITEM_N of them in blocks of four: both
// factors pass through local memory in slices of TILE_K, the next slice being fetched while one is used.
//
// A group is (TILE_N / ITEM_N, TILE_M / ITEM_M) work-items. ITEM_M and ITEM_N are multiples of 4, tiles are multiples of
// them, and the group's size is a multiple of each of TILE_M, TILE_N and TILE_K, so that a work-item fetches from one row
// or column of a factor only.
#ifndef TILE_M
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define ITEM_M 4
#define ITEM_N 4
#endif
// What happens to a result before it is stored.
#ifndef THEN
#define THEN(x) (x)
#endif
// Whether a factor is stored the other way round: A as [k][m], B as [n][k].
#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif

// Groups that share a product's depth: C is the sums of each then, [batch][part][m][n], for parts.cl.
#ifndef PARTS
#define PARTS 1
#endif

#define GROUP_M (TILE_M / ITEM_M)
#define GROUP_N (TILE_N / ITEM_N)
#define ITEMS (GROUP_M * GROUP_N)
#define LOADS_A (TILE_M * TILE_K / ITEMS)
#define LOADS_B (TILE_N * TILE_K / ITEMS)
// Length of a factor's rows as stored, within a tile; neighbouring work-items fetch neighbours in it.
#define ALONG_A (TRANSPOSE_A ? TILE_M : TILE_K)
#define ALONG_B (TRANSPOSE_B ? TILE_K : TILE_N)
#define STEP_A (ITEMS / ALONG_A)
#define STEP_B (ITEMS / ALONG_B)
// Rows keep their alignment of four floats, and neighbours in a column lie in different banks.
#define PITCH_M (TILE_M + 4)
#define PITCH_N (TILE_N + 4)

#ifdef CONVOLUTION
#ifndef KERNEL_H
#define KERNEL_H 3
#define KERNEL_W 3
#endif
// One image of one group: k = (input channel, kernel row, kernel column), n = (output row, output column).
typedef struct {
  int height, width, output_width;
  int stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
} Window;
#endif

kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, 1))) void product(
    global const ELEMENT(HALF_A) * a, ulong a0, global const ELEMENT(HALF_B) * b, ulong b0, global const float *bias,
    ulong bias0, global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, INDEX m,
    INDEX n, INDEX depth, Batch s
#ifdef CONVOLUTION
    ,
    Window window
#endif
) {
  local float4 a_tile[TILE_K * PITCH_M / 4];
  local float4 b_tile[TILE_K * PITCH_N / 4];
  local float *a_cells = (local float *)a_tile;
  local float *b_cells = (local float *)b_tile;
  int tx = get_local_id(0);
  int ty = get_local_id(1);
  int item = ty * GROUP_N + tx;
  INDEX column0 = (INDEX)get_group_id(0) * TILE_N;
  INDEX row0 = (INDEX)get_group_id(1) * TILE_M;

  // Where in its tile a work-item's first element lies: along the row as stored, and across.
  int along_a = item % ALONG_A;
  int across_a = item / ALONG_A;
  int along_b = item % ALONG_B;
  int across_b = item / ALONG_B;

  for (long number = get_group_id(2); number < s.batches * PARTS; number += get_num_groups(2)) {
    long batch = number / PARTS;
    // Whole slices.
    INDEX share = ((depth + TILE_K - 1) / TILE_K + PARTS - 1) / PARTS * TILE_K;
    INDEX first = (INDEX)(number % PARTS) * share;
    INDEX end = min(depth, first + share);
    long a_matrix = a0;
    long b_matrix = b0;
    long bias_place = bias0;
    find_matrix(s, batch, &a_matrix, &b_matrix, &bias_place);
    global const float *bias_row = bias + bias_place;
    global const ELEMENT(HALF_ADD) * add_matrix = add + add0 + batch * m * n;
    global ELEMENT(HALF_Y) * c_matrix = c + c0 + number * m * n;

#ifdef CONVOLUTION
    INDEX pixel = column0 + along_b;
    int top = (int)(pixel / window.output_width) * window.stride_h - window.pad_top;
    int left = (int)(pixel % window.output_width) * window.stride_w - window.pad_left;
#endif

    float sums[ITEM_M][ITEM_N];
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
      for (int j = 0; j < ITEM_N; j++) sums[i][j] = 0.0f;
    }
    float a_next[LOADS_A];
    float b_next[LOADS_B];

    for (INDEX slice = first - TILE_K; slice < end; slice += TILE_K) {
      // What was fetched in the last round becomes the slice to use in this one.
      if (slice >= first) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < LOADS_A; i++) {
          int across = across_a + i * STEP_A;
          a_cells[TRANSPOSE_A ? across * PITCH_M + along_a : along_a * PITCH_M + across] = a_next[i];
        }
#pragma unroll
        for (int i = 0; i < LOADS_B; i++) {
          int across = across_b + i * STEP_B;
          b_cells[TRANSPOSE_B ? along_b * PITCH_N + across : across * PITCH_N + along_b] = b_next[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      INDEX next = slice + TILE_K;
      if (next < end) {
#pragma unroll
        for (int i = 0; i < LOADS_A; i++) {
          int across = across_a + i * STEP_A;
          INDEX row = row0 + (TRANSPOSE_A ? along_a : across);
          INDEX k = next + (TRANSPOSE_A ? across : along_a);
          a_next[i] =
              row < m && k < depth ? AT(HALF_A, a, a_matrix + (TRANSPOSE_A ? k * m + row : row * depth + k)) : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < LOADS_B; i++) {
          int across = across_b + i * STEP_B;
          INDEX column = column0 + (TRANSPOSE_B ? across : along_b);
          INDEX k = next + (TRANSPOSE_B ? along_b : across);
#ifdef CONVOLUTION
          int tap = (int)k % (KERNEL_H * KERNEL_W);
          int y = top + tap / KERNEL_W * window.dilation_h;
          int x = left + tap % KERNEL_W * window.dilation_w;
          bool inside = y >= 0 && y < window.height && x >= 0 && x < window.width;
          INDEX place = ((INDEX)(k / (KERNEL_H * KERNEL_W)) * window.height + y) * window.width + x;
#else
          bool inside = true;
          INDEX place = TRANSPOSE_B ? column * depth + k : k * n + column;
#endif
          b_next[i] = inside && column < n && k < depth ? AT(HALF_B, b, b_matrix + place) : 0.0f;
        }
      }
      if (slice >= first) {
        for (int k = 0; k < TILE_K; k++) {
          float x[ITEM_M];
          float y[ITEM_N];
#pragma unroll
          for (int i = 0; i < ITEM_M; i += 4) {
            vstore4(a_tile[(k * PITCH_M + i * GROUP_M) / 4 + ty], 0, x + i);
          }
#pragma unroll
          for (int j = 0; j < ITEM_N; j += 4) {
            vstore4(b_tile[(k * PITCH_N + j * GROUP_N) / 4 + tx], 0, y + j);
          }
#pragma unroll
          for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
            for (int j = 0; j < ITEM_N; j++) sums[i][j] = fma(x[i], y[j], sums[i][j]);
          }
        }
      }
    }
    // The next matrix of the batch overwrites the tiles.
    barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
      INDEX row = row0 + i / 4 * 4 * GROUP_M + ty * 4 + i % 4;
      if (row >= m) continue;
#pragma unroll
      for (int j = 0; j < ITEM_N; j++) {
        INDEX column = column0 + j / 4 * 4 * GROUP_N + tx * 4 + j % 4;
        if (column >= n) continue;
        float sum = sums[i][j];
        if (BIAS == 1) sum += bias_row[row];
        if (BIAS == 2) sum += bias_row[column];
        if (RESIDUAL) sum += AT(HALF_ADD, add_matrix, row * n + column);
        PUT(HALF_Y, c_matrix, row * n + column, THEN(sum));
      }
    }
  }
}
