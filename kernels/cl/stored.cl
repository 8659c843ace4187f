// C = then(A B + bias + add) for few rows of A. B is constant and read in its storage encoding, [n][k]: fp16, or 8-bit
// or 4-bit codes with blockwise scales and offsets. The kernel is bound by reading B once. LANES neighboring work-items
// read eight elements each, coalesced, of ROWS rows of B and multiply them with M rows of A. stored_form.cl precedes
// this source.
#ifndef LANES
#define LANES 32
#define ROWS 4
#define M 1
#endif

#define SLICES (GROUP / LANES)

// Groups are (slices of columns, rows of A).
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void product_stored(
    global const ELEMENT(HALF_A) * a, ulong a0, global const float *bias, ulong bias0,
    global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, global const Raw *b,
    global const float *numbers, Product p) {
  local float scratch[ROWS * M * GROUP];
  int id = get_local_id(0);
  int lane = id % LANES;
  INDEX column0 = ((INDEX)get_group_id(0) * SLICES + id / LANES) * ROWS;
  INDEX row0 = (INDEX)get_group_id(1) * M;
  // Row lengths are multiples of eight, so all rows are aligned if the first is.
  bool is_aligned = (a0 & 7) == 0;
  float sums[ROWS][M];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int i = 0; i < M; i++) sums[r][i] = 0.0f;
  }
  for (INDEX k = lane * 8; k < p.k; k += LANES * 8) {
    Raw raw[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) raw[r] = b[(min(column0 + r, p.n - 1) * p.k + k) / 8];
    float x[M][8];
#pragma unroll
    for (int i = 0; i < M; i++) {
      READ_EIGHT(HALF_A, x[i], a + a0 + min(row0 + i, p.m - 1) * p.k + k, is_aligned);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      float w[8];
      INDEX entry = min(column0 + r, p.n - 1) / p.row_block * p.entries + k / BLOCK;
      widen(w, raw[r], numbers, entry, p.count);
#pragma unroll
      for (int i = 0; i < M; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) sums[r][i] = fma(x[i][j], w[j], sums[r][i]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int i = 0; i < M; i++) scratch[(r * M + i) * GROUP + id] = sums[r][i];
  }
  for (int half_size = LANES / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < half_size) {
#pragma unroll
      for (int e = 0; e < ROWS * M; e++) scratch[e * GROUP + id] += scratch[e * GROUP + id + half_size];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int e = lane; e < ROWS * M; e += LANES) {
    INDEX column = column0 + e / M;
    INDEX row = row0 + e % M;
    if (column >= p.n || row >= p.m) continue;
    float sum = scratch[e * GROUP + id - lane];
    INDEX place = row * p.n + column;
    if (BIAS) sum += bias[bias0 + column];
    if (RESIDUAL) sum += AT(HALF_ADD, add, add0 + place);
    PUT(HALF_Y, c, c0 + place, THEN(sum));
  }
}
