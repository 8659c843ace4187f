// C = then(A B + bias) for batches of matrices, and convolution as such a product whose B is gathered from the image
// (CONVOLUTION). A group computes TILE_M x TILE_N results, a work-item ITEM_M x ITEM_N of them in blocks of four columns:
// both factors pass through local memory in slices of TILE_K, the next slice being fetched while one is used.
//
// Shapes of the work-group: (TILE_N / ITEM_N, TILE_M / ITEM_M). ITEM_M and ITEM_N are multiples of 4; the tiles are
// multiples of them, and the group's size is a multiple of TILE_N, and of TILE_M and TILE_K where those are walked.
#ifndef TILE_M
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define ITEM_M 4
#define ITEM_N 4
#endif
#ifndef THEN
#define THEN op_identity
#endif
// 0: none, 1: one number a row, 2: one a column.
#ifndef BIAS
#define BIAS 0
#endif
// Whether a factor is stored the other way round: A as [k][m], B as [n][k].
#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif

#define GROUP_M (TILE_M / ITEM_M)
#define GROUP_N (TILE_N / ITEM_N)
#define ITEMS (GROUP_M * GROUP_N)
#define LOADS_A (TILE_M * TILE_K / ITEMS)
#define LOADS_B (TILE_N * TILE_K / ITEMS)
// Rows keep their alignment of four floats, and neighbours in a column lie in different banks.
#define PITCH_M (TILE_M + 4)
#define PITCH_N (TILE_N + 4)

// Dimensions of the batch, and each operand's distance between neighbours in them: 0 where it repeats. The result is
// packed.
typedef struct {
  long m, n, k, batches;
  long size[4];
  long a[4];
  long b[4];
  long bias[4];
} Product;

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
    global const float *a, ulong a0, global const float *b, ulong b0, global const float *bias, ulong bias0,
    global float *c, ulong c0, Product p,
#ifdef CONVOLUTION
    Window window,
#endif
    float alpha, float beta) {
  local float4 a_tile[TILE_K * PITCH_M / 4];
  local float4 b_tile[TILE_K * PITCH_N / 4];
  local float *a_cells = (local float *)a_tile;
  local float *b_cells = (local float *)b_tile;
  int tx = get_local_id(0);
  int ty = get_local_id(1);
  int item = ty * GROUP_N + tx;
  long column0 = (long)get_group_id(0) * TILE_N;
  long row0 = (long)get_group_id(1) * TILE_M;

  for (long batch = get_group_id(2); batch < p.batches; batch += get_num_groups(2)) {
    global const float *a_matrix = a + a0;
    global const float *b_matrix = b + b0;
    global const float *bias_row = bias + bias0;
    long rest = batch;
    for (int d = 3; d >= 0; d--) {
      long place = rest % p.size[d];
      rest /= p.size[d];
      a_matrix += place * p.a[d];
      b_matrix += place * p.b[d];
      bias_row += place * p.bias[d];
    }
    global float *c_matrix = c + c0 + batch * p.m * p.n;

#ifdef CONVOLUTION
    // A work-item fetches pixels of one column of B only.
    long pixel = column0 + item % TILE_N;
    int top = (int)(pixel / window.output_width) * window.stride_h - window.pad_top;
    int left = (int)(pixel % window.output_width) * window.stride_w - window.pad_left;
    bool pixel_inside = pixel < p.n;
#endif

    float sums[ITEM_M][ITEM_N];
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
      for (int j = 0; j < ITEM_N; j++) sums[i][j] = 0.0f;
    }
    float a_next[LOADS_A];
    float b_next[LOADS_B];

    for (long depth = -TILE_K; depth < p.k; depth += TILE_K) {
      // What was fetched in the last round becomes the slice to use in this one.
      if (depth >= 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < LOADS_A; i++) {
          int cell = item + i * ITEMS;
          a_cells[TRANSPOSE_A ? cell / TILE_M * PITCH_M + cell % TILE_M : cell % TILE_K * PITCH_M + cell / TILE_K] =
              a_next[i];
        }
#pragma unroll
        for (int i = 0; i < LOADS_B; i++) {
          int cell = item + i * ITEMS;
          b_cells[TRANSPOSE_B ? cell % TILE_K * PITCH_N + cell / TILE_K : cell / TILE_N * PITCH_N + cell % TILE_N] =
              b_next[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      long next = depth + TILE_K;
      if (next < p.k) {
#pragma unroll
        for (int i = 0; i < LOADS_A; i++) {
          int cell = item + i * ITEMS;
          long row = row0 + (TRANSPOSE_A ? cell % TILE_M : cell / TILE_K);
          long k = next + (TRANSPOSE_A ? cell / TILE_M : cell % TILE_K);
          bool inside = row < p.m && k < p.k;
          a_next[i] = inside ? a_matrix[TRANSPOSE_A ? k * p.m + row : row * p.k + k] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < LOADS_B; i++) {
          int cell = item + i * ITEMS;
#ifdef CONVOLUTION
          int k = (int)next + cell / TILE_N;
          int channel = k / (KERNEL_H * KERNEL_W);
          int tap = k % (KERNEL_H * KERNEL_W);
          int y = top + tap / KERNEL_W * window.dilation_h;
          int x = left + tap % KERNEL_W * window.dilation_w;
          bool inside = pixel_inside && k < p.k && y >= 0 && y < window.height && x >= 0 && x < window.width;
          b_next[i] = inside ? b_matrix[((long)channel * window.height + y) * window.width + x] : 0.0f;
#else
          long column = column0 + (TRANSPOSE_B ? cell / TILE_K : cell % TILE_N);
          long k = next + (TRANSPOSE_B ? cell % TILE_K : cell / TILE_N);
          bool inside = column < p.n && k < p.k;
          b_next[i] = inside ? b_matrix[TRANSPOSE_B ? column * p.k + k : k * p.n + column] : 0.0f;
#endif
        }
      }
      if (depth >= 0) {
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
      long row = row0 + i / 4 * 4 * GROUP_M + ty * 4 + i % 4;
      if (row >= p.m) continue;
#pragma unroll
      for (int j = 0; j < ITEM_N; j++) {
        long column = column0 + j / 4 * 4 * GROUP_N + tx * 4 + j % 4;
        if (column >= p.n) continue;
        float sum = sums[i][j];
        if (BIAS == 1) sum += bias_row[row];
        if (BIAS == 2) sum += bias_row[column];
        c_matrix[row * p.n + column] = THEN(sum, alpha, beta);
      }
    }
  }
}
