// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each of `rows` rows of n elements, as norm.cl. One warp
// per row keeps it in registers: CHUNKS times eight elements per lane. The functions of a warp precede this source. n
// is a multiple of eight.
#ifndef CHUNKS
#define CHUNKS 3
#endif
#ifndef GAMMA
#define GAMMA 0
#define BETA 0
#endif
// One factor and offset per row, repeating after `channels` rows, instead of one per position in the row.
#ifndef BY_ROW
#define BY_ROW 0
#endif
#define ITEMS 128

// The sum of all lanes' values, in every lane.
static float sum_across(float value WARP_PARAMETER) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value += across(value, mask WARP);
  return value;
}

static void read_factors(float *f, global const float *factors, INDEX row, INDEX first) {
  if (BY_ROW) {
#pragma unroll
    for (int e = 0; e < 8; e++) f[e] = factors[row];
  } else {
    read_eight_0(f, factors + first, ((ulong)factors & 15) == 0);
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void normalize_rows(
    global const ELEMENT(HALF_X) * x, ulong x0, global const float *gamma, ulong gamma0, global const float *beta,
    ulong beta0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX n, INDEX channels, INDEX rows, float epsilon) {
  WARP_MEMORY(ITEMS)
  int lane = get_local_id(0) % 32;
  INDEX own = (INDEX)get_group_id(0) * (ITEMS / 32) + get_local_id(0) / 32;
  // Warps without a row repeat the last row, because all lanes must take part. They store nothing.
  INDEX row = min(own, rows - 1);
  x += x0 + row * n;
  y += y0 + row * n;
  bool x_aligned = ((ulong)x & 15) == 0;
  float values[CHUNKS][8];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < CHUNKS; i++) {
    INDEX first = (INDEX)(lane + i * 32) * 8;
#pragma unroll
    for (int e = 0; e < 8; e++) values[i][e] = 0.0f;
    if (first < n) READ_EIGHT(HALF_X, values[i], x + first, x_aligned);
#pragma unroll
    for (int e = 0; e < 8; e++) sum += values[i][e];
  }
  // Factors are loaded before the reduction, which hides their latency.
  float factors[CHUNKS][8];
  float offsets[CHUNKS][8];
#pragma unroll
  for (int i = 0; i < CHUNKS; i++) {
    INDEX first = (INDEX)(lane + i * 32) * 8;
    if (first >= n) continue;
    if (GAMMA) read_factors(factors[i], gamma + gamma0, row % channels, first);
    if (BETA) read_factors(offsets[i], beta + beta0, row % channels, first);
  }
  float mean = sum_across(sum WARP) / (float)n;
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < CHUNKS; i++) {
    if ((INDEX)(lane + i * 32) * 8 >= n) continue;
#pragma unroll
    for (int e = 0; e < 8; e++) {
      values[i][e] -= mean;
      squares = fma(values[i][e], values[i][e], squares);
    }
  }
  float factor = 1.0f / sqrt(sum_across(squares WARP) / (float)n + epsilon);
  if (own >= rows) return;
#pragma unroll
  for (int i = 0; i < CHUNKS; i++) {
    INDEX first = (INDEX)(lane + i * 32) * 8;
    if (first >= n) continue;
#pragma unroll
    for (int e = 0; e < 8; e++) {
      values[i][e] *= factor;
      if (GAMMA) values[i][e] *= factors[i][e];
      if (BETA) values[i][e] += offsets[i][e];
    }
#if HALF_Y
    if (((ulong)y & 15) == 0) {
      uint words[4];
#pragma unroll
      for (int k = 0; k < 4; k++) words[k] = two_halves(values[i][k * 2], values[i][k * 2 + 1]);
      *(global uint4 *)(y + first) = (uint4)(words[0], words[1], words[2], words[3]);
      continue;
    }
#endif
#pragma unroll
    for (int e = 0; e < 8; e++) PUT(HALF_Y, y, first + e, values[i][e]);
  }
}
