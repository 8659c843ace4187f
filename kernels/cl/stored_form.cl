// Definitions that the kernels with a constant factor in its storage encoding, [n][k], share. It precedes their
// sources.

// THEN is applied to a result before it is stored.
#ifndef THEN
#define THEN(x) (x)
#endif
// The encoding of B: fp16, signed and unsigned bytes, signed and unsigned 4-bit integers, or indices into tables of
// sixteen.
#define CODES_HALVES 0
#define CODES_CHAR 1
#define CODES_UCHAR 2
#define CODES_INT4 3
#define CODES_UINT4 4
#define CODES_TABLE 5
#ifndef CODES
#define CODES CODES_HALVES
#endif
// SCALED: codes have offsets and scales. ROUNDED: weights are rounded to fp16 after that. BLOCK: neighbors in a row
// that share an entry. OWN_TABLES: each entry has its own table.
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

typedef struct {
  INDEX m, n, k;
  // Rows of B that share an entry, entries per row, and entries in all. Scales are stored first, then offsets, then
  // tables.
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

// Decodes eight elements; `entry` is the index of their entry.
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
