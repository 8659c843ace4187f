// C = then(A B + bias + add) of a few rows of A, where B is constant and read as it is stored, [n][k]: halves, or codes of eight or four bits and
// what they are shifted and scaled by, in blocks. The work is reading B once: LANES neighbouring work-items read eight numbers each, side by
// side, of ROWS rows of B, and take M rows of A to them.
#ifndef LANES
#define LANES 32
#define ROWS 4
#define M 1
#endif
// What happens to a result before it is stored.
#ifndef THEN
#define THEN(x) (x)
#endif
// What B is: halves, signed and unsigned bytes, signed and unsigned numbers of four bits, places in tables of sixteen.
#define CODES_HALVES 0
#define CODES_CHAR 1
#define CODES_UCHAR 2
#define CODES_INT4 3
#define CODES_UINT4 4
#define CODES_TABLE 5
#ifndef CODES
#define CODES CODES_HALVES
#endif
// Whether codes are shifted and scaled, and rounded to halves then; neighbours in a row that share an entry of those; whether each has a table.
#ifndef SCALED
#define SCALED 0
#endif
#ifndef ROUNDED
#define ROUNDED 0
#endif
#ifndef BLOCK
#define BLOCK 8
#endif
#ifndef OWN_TABLES
#define OWN_TABLES 0
#endif

#define SLICES (GROUP / LANES)

typedef struct {
  INDEX m, n, k;
  // Rows of B that share an entry, entries of a row, and all of them: scales stand first, then offsets, then tables.
  INDEX row_block, entries, count;
} Product;

#if CODES == CODES_HALVES
typedef uint4 Raw;
#elif CODES == CODES_CHAR || CODES == CODES_UCHAR
typedef uint2 Raw;
#else
typedef uint Raw;
#endif

static float to_half(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (half *)&bits);
  return vload_half(0, (const half *)&bits);
}

// Eight numbers from what is stored of them; `entry` is theirs.
static void widen(float *w, Raw raw, global const float *numbers, INDEX entry, INDEX count) {
#if CODES == CODES_HALVES
  widen_halves(w, raw);
#else
  float scale = SCALED ? numbers[entry] : 1.0f;
  float offset = SCALED ? numbers[count + entry] : 0.0f;
  global const float *table = numbers + (SCALED ? 2 * count : 0) + (OWN_TABLES ? 16 * entry : 0);
#pragma unroll
  for (int i = 0; i < 8; i++) {
#if CODES == CODES_CHAR
    float value = (float)((int)((i < 4 ? raw.x : raw.y) << (24 - i % 4 * 8)) >> 24);
#elif CODES == CODES_UCHAR
    float value = (float)((i < 4 ? raw.x : raw.y) >> (i % 4 * 8) & 255);
#elif CODES == CODES_INT4
    float value = (float)((int)(raw << (28 - i * 4)) >> 28);
#elif CODES == CODES_UINT4
    float value = (float)(raw >> (i * 4) & 15);
#else
    float value = table[raw >> (i * 4) & 15];
#endif
    if (SCALED) value = (value - offset) * scale;
    w[i] = ROUNDED ? to_half(value) : value;
  }
#endif
}

// Group (slices of columns, rows of A).
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void product_stored(
    global const ELEMENT(HALF_A) * a, ulong a0, global const float *bias, ulong bias0,
    global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, global const Raw *b,
    global const float *numbers, Product p) {
  local float scratch[ROWS * M * GROUP];
  int id = get_local_id(0);
  int lane = id % LANES;
  INDEX column0 = ((INDEX)get_group_id(0) * SLICES + id / LANES) * ROWS;
  INDEX row0 = (INDEX)get_group_id(1) * M;
  // Rows are eights: all are aligned if the first is.
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
