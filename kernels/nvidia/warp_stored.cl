// As stored.cl, with its parameters, for up to sixteen rows of fp16 A, with tensor cores. B's elements are fp16 or
// become fp16 when they are decoded. A work-group takes BLOCKS blocks of eight columns; its WARPS warps split K. The
// functions of a warp and stored_form.cl precede this source.
//
// The assignment of K elements to lanes is arbitrary if both factors use the same one. A lane takes eight consecutive
// elements of a row, 16 bytes of fp16, where the MMA layout has pairs. Only accumulators pass through local memory.
#ifndef BLOCKS
#define BLOCKS 1
#define WARPS 8
#endif
#define ITEMS (WARPS * 32)
// K elements per warp and step, and the number of steps that are loaded ahead.
#define TERMS 32
#define AHEAD (BLOCKS >= 4 ? 2 : 4)

static uint4 as_halves(Raw raw, global const float *numbers, INDEX entry, INDEX count) {
#if CODES == CODES_HALVES
  return raw;
#else
  float w[8];
  widen(w, raw, numbers, entry, count);
  return (uint4)(two_halves(w[0], w[1]), two_halves(w[2], w[3]), two_halves(w[4], w[5]), two_halves(w[6], w[7]));
#endif
}

static uint4 eight_halves(global const half *row, bool is_aligned) {
  if (is_aligned) return *(global const uint4 *)row;
  global const ushort *v = (global const ushort *)row;
  return (uint4)(v[0] | (uint)v[1] << 16, v[2] | (uint)v[3] << 16, v[4] | (uint)v[5] << 16, v[6] | (uint)v[7] << 16);
}

// Groups are blocks of columns.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void product_stored(
    global const half *a, ulong a0, global const float *bias, ulong bias0, global const ELEMENT(HALF_ADD) * add,
    ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, global const Raw *b, global const float *numbers, Product p) {
  local float found[WARPS * BLOCKS * 128];
  WARP_MEMORY(ITEMS)
  int item = get_local_id(0);
  int lane = item % 32;
  int warp = item / 32;
  INDEX column0 = (INDEX)get_group_id(0) * (BLOCKS * 8);
  // Row lengths are multiples of eight, so all rows are aligned if the first is. Rows and columns beyond the end repeat
  // the last ones and are not stored.
  bool is_aligned = (a0 & 7) == 0;
  global const half *first = a + a0 + min((INDEX)(lane / 4), p.m - 1) * p.k;
  global const half *second = a + a0 + min((INDEX)(lane / 4 + 8), p.m - 1) * p.k;
  float sums[BLOCKS][4];
#pragma unroll
  for (int j = 0; j < BLOCKS; j++) {
#pragma unroll
    for (int e = 0; e < 4; e++) sums[j][e] = 0.0f;
  }
  for (INDEX k0 = 0; k0 < p.k; k0 += WARPS * TERMS * AHEAD) {
    uint4 x[AHEAD][2];
    Raw raw[AHEAD][BLOCKS];
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
      INDEX k = k0 + (i * WARPS + warp) * TERMS + lane % 4 * 8;
      bool inside = k < p.k;
      x[i][0] = inside ? eight_halves(first + k, is_aligned) : (uint4)(0);
      x[i][1] = inside ? eight_halves(second + k, is_aligned) : (uint4)(0);
#pragma unroll
      for (int j = 0; j < BLOCKS; j++) {
        INDEX column = min(column0 + j * 8 + lane / 4, p.n - 1);
        raw[i][j] = b[(column * p.k + (inside ? k : 0)) / 8];
      }
    }
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
      INDEX k = k0 + (i * WARPS + warp) * TERMS + lane % 4 * 8;
      uint low[4] = {x[i][0].x, x[i][1].x, x[i][0].y, x[i][1].y};
      uint high[4] = {x[i][0].z, x[i][1].z, x[i][0].w, x[i][1].w};
#pragma unroll
      for (int j = 0; j < BLOCKS; j++) {
        INDEX column = min(column0 + j * 8 + lane / 4, p.n - 1);
        bool inside = k < p.k;
        INDEX entry = column / p.row_block * p.entries + (inside ? k : 0) / BLOCK;
        uint4 y = as_halves(raw[i][j], numbers, entry, p.count);
        // Zeros in A alone are not enough: zero times an infinite element of B would give NaN.
        if (!inside) y = (uint4)(0);
        uint y_low[2] = {y.x, y.y};
        uint y_high[2] = {y.z, y.w};
        multiply_add(sums[j], low, y_low WARP);
        multiply_add(sums[j], high, y_high WARP);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < BLOCKS; j++) {
#pragma unroll
    for (int e = 0; e < 4; e++) found[(warp * BLOCKS + j) * 128 + e * 32 + lane] = sums[j][e];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < BLOCKS * 128; i += ITEMS) {
    // Neighboring work-items take neighboring elements of a row. Column i % 8 of a block belongs to a lane's pair.
    int row = i / (BLOCKS * 8);
    int own = i % (BLOCKS * 8);
    int place = own / 8 * 128 + (row / 8 * 2 + own % 2) * 32 + row % 8 * 4 + own % 8 / 2;
    INDEX column = column0 + own;
    if (row >= p.m || column >= p.n) continue;
    float sum = 0.0f;
#pragma unroll
    for (int other = 0; other < WARPS; other++) sum += found[other * BLOCKS * 128 + place];
    INDEX result = row * p.n + column;
    if (BIAS) sum += bias[bias0 + column];
    if (RESIDUAL) sum += AT(HALF_ADD, add, add0 + result);
    PUT(HALF_Y, c, c0 + result, THEN(sum));
  }
}
