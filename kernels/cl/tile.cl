// C = then(A B + bias + add) for batches of matrices. With CONVOLUTION it is a convolution as such a GEMM, whose B is
// gathered from the images. tile_slice.cl precedes this source.

// Stores four consecutive elements; fp32 must be aligned to four.
static void put_four(global ELEMENT(HALF_Y) * place, float4 v) {
#if HALF_Y
  PUT(1, place, 0, v.x);
  PUT(1, place, 1, v.y);
  PUT(1, place, 2, v.z);
  PUT(1, place, 3, v.w);
#else
  *(global float4 *)place = v;
#endif
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void product(
    global const ELEMENT(HALF_A) * a, ulong a0, global const ELEMENT(HALF_B) * b, ulong b0, global const float *bias,
    ulong bias0, global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, INDEX m,
    INDEX n, INDEX depth, Batch s
#ifdef CONVOLUTION
    // Output pixels of an image (n is a multiple of them), and elements between consecutive images.
    ,
    INDEX area, INDEX x_image, INDEX y_image, Window window
#endif
) {
  local float4 cells[(CELLS + 3) / 4];
  local float *slices = (local float *)cells;
  local INDEX corner[2];
#ifdef CONVOLUTION
  local STEP steps[2 * AHEAD];
#else
  INDEX area = n;
  INDEX y_image = 0;
#endif
  int item = get_local_id(0);
  int lane = item % 32;
  int warp = item / 32;
  int share = item / SHARE_ITEMS;
  // Neighboring lanes read the same elements of B, every second lane the same of A.
  int own_row = warp / WARPS_N % WARPS_M * WARP_M + (lane % 2 + lane / 16 * 2) * 4;
  int own_column = warp % WARPS_N * WARP_N + lane / 2 % 8 * 4;
  int own_a = share * STEPS * PITCH_M + own_row;
  int own_b = TILE_K * PITCH_M + share * STEPS * PITCH_N + own_column;
  INDEX column0 = (INDEX)get_group_id(0) * TILE_N;
  INDEX row0 = (INDEX)get_group_id(1) * TILE_M;
  // Read back before the stores. Otherwise the compiler computes store addresses early and keeps them in registers
  // during the main loop.
  if (item == 0) {
    corner[0] = row0;
    corner[1] = column0;
  }

  for (long number = get_group_id(2); number < s.batches * PARTS; number += get_num_groups(2)) {
    long batch = number / PARTS;
    // K-split at whole slices.
    INDEX part = ((depth + TILE_K - 1) / TILE_K + PARTS - 1) / PARTS * TILE_K;
    INDEX first = (INDEX)(number % PARTS) * part;
    INDEX end = min(depth, first + part);
    long a_place = a0;
    long b_place = b0;
    long bias_place = bias0;
    find_matrix(s, batch, &a_place, &b_place, &bias_place);
    Factor a_factor = {a + a_place, m, depth, end, !TRANSPOSE_A, ((a_place | (TRANSPOSE_A ? m : depth)) & 3) == 0, HALF_A};
    float a_next[LOADS_A * 4];
#ifdef CONVOLUTION
    Pixel pixel = pixel_of(column0 + item % TILE_N, n, area, x_image, window);
    prepare(steps, first, end, window);
    prepare(steps + AHEAD, first + AHEAD, end, window);
    barrier(CLK_LOCAL_MEM_FENCE);
    float b_next[LOADS_X];
#define FETCH_B(k0) gather_b(b_next, b + b_place, pixel, steps + ((k0)-first) % (2 * AHEAD), window)
#else
    Factor b_factor = {b + b_place, n, depth, end, TRANSPOSE_B, ((b_place | (TRANSPOSE_B ? depth : n)) & 3) == 0, HALF_B};
    float b_next[LOADS_B * 4];
#define FETCH_B(k0) fetch_b(b_next, b_factor, column0, k0)
#endif

    float sums[ITEM_M * ITEM_N];
#pragma unroll
    for (int e = 0; e < ITEM_M * ITEM_N; e++) sums[e] = 0.0f;
    if (first < end) {
      fetch_a(a_next, a_factor, row0, first);
      FETCH_B(first);
      put_a(slices, a_next);
      put_b(slices + TILE_K * PITCH_M, b_next);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float x[ITEM_M];
    float y[ITEM_N];
#if LOOKAHEAD
    float x_next[ITEM_M];
    float y_next[ITEM_N];
    load_a(x, slices + own_a);
    load_b(y, slices + own_b);
#endif
    int stage = 0;
    for (INDEX k0 = first; k0 < end; k0 += TILE_K) {
      INDEX next = k0 + TILE_K;
      local const float *a_rows = slices + stage * SLICE + own_a;
      local const float *b_rows = slices + stage * SLICE + own_b;
      if (next < end) {
        fetch_a(a_next, a_factor, row0, next);
        FETCH_B(next);
      }
#ifdef CONVOLUTION
      if ((next - first) % AHEAD == 0) prepare(steps + (k0 - first) / AHEAD % 2 * AHEAD, next + AHEAD, end, window);
#endif
#if !ROLLED
#pragma unroll
#endif
      for (int k = 0; k < STEPS; k += 1 + LOOKAHEAD) {
#if LOOKAHEAD
        load_a(x_next, a_rows + (k + 1) * PITCH_M);
        load_b(y_next, b_rows + (k + 1) * PITCH_N);
        multiply(sums, x, y);
        if (k + 2 == STEPS) break;
        load_a(x, a_rows + (k + 2) * PITCH_M);
        load_b(y, b_rows + (k + 2) * PITCH_N);
        multiply(sums, x_next, y_next);
#else
        load_a(x, a_rows + k * PITCH_M);
        load_b(y, b_rows + k * PITCH_N);
        multiply(sums, x, y);
#endif
      }
      stage = 1 - stage;
      if (next < end) {
        put_a(slices + stage * SLICE, a_next);
        put_b(slices + stage * SLICE + TILE_K * PITCH_M, b_next);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#if LOOKAHEAD
      // After the last slice these loads read unused data.
      load_a(x, slices + stage * SLICE + own_a);
      load_b(y, slices + stage * SLICE + own_b);
      multiply(sums, x_next, y_next);
#endif
    }

#if SHARES > 1
    // Reduction over SHARES: the upper half passes its accumulators to the lower half, repeatedly.
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int half_shares = SHARES / 2; half_shares > 0; half_shares /= 2) {
      int place = item % (SHARE_ITEMS * half_shares);
      if (share >= half_shares && share < 2 * half_shares) {
#pragma unroll
        for (int e = 0; e < ITEM_M * ITEM_N; e++) slices[e * SHARE_ITEMS * half_shares + place] = sums[e];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (share < half_shares) {
#pragma unroll
        for (int e = 0; e < ITEM_M * ITEM_N; e++) sums[e] += slices[e * SHARE_ITEMS * half_shares + place];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif

    if (share == 0) {
      INDEX own_row0 = corner[0] + own_row;
      INDEX own_column0 = corner[1] + own_column;
      global const float *bias_row = bias + bias_place;
      global const ELEMENT(HALF_ADD) *add_matrix = add + add0 + batch * m * area;
      global ELEMENT(HALF_Y) *c_matrix = c + c0 + number * m * area;
      bool c_int8 = ((c0 | add0) & 3) == 0 && (area & 3) == 0 && (y_image & 3) == 0;
#pragma unroll
      for (int j = 0; j < ITEM_N; j += 4) {
        INDEX column = own_column0 + j * 8;
        INDEX places[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
          INDEX image = n == area ? 0 : (column + e) / area;
          places[e] = image * y_image + column + e - image * area;
        }
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) {
          INDEX row = own_row0 + i / 4 * 16 + i % 4;
          if (row >= m || column >= n) continue;
          float v[4];
#pragma unroll
          for (int e = 0; e < 4; e++) {
            v[e] = sums[i * ITEM_N + j + e];
            if (BIAS == 1) v[e] += bias_row[row];
            if (BIAS == 2 && column + e < n) v[e] += bias_row[column + e];
          }
          if (c_int8) {
            if (RESIDUAL) {
              float more[4];
              read_four(more, add_matrix, row * area + places[0], 4, true, HALF_ADD);
#pragma unroll
              for (int e = 0; e < 4; e++) v[e] += more[e];
            }
            put_four(c_matrix + row * area + places[0], (float4)(THEN(v[0]), THEN(v[1]), THEN(v[2]), THEN(v[3])));
          } else {
#pragma unroll
            for (int e = 0; e < 4; e++) {
              INDEX place = row * area + places[e];
              if (column + e >= n) continue;
              if (RESIDUAL) v[e] += AT(HALF_ADD, add_matrix, place);
              PUT(HALF_Y, c_matrix, place, THEN(v[e]));
            }
          }
        }
      }
    }
  }
}
