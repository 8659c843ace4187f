// Binary row functions with operands of stride 0 or 1: fp32, int32, and comparisons.
#include "../vmath.h"

CK_INLINE vf f32_add(vf a, vf b) { return a + b; }
CK_INLINE vf f32_sub(vf a, vf b) { return a - b; }
CK_INLINE vf f32_mul(vf a, vf b) { return a * b; }
CK_INLINE vf f32_div(vf a, vf b) { return a / b; }
CK_INLINE vf f32_max(vf a, vf b) { return vf_max(a, b); }
CK_INLINE vf f32_min(vf a, vf b) { return vf_min(a, b); }
CK_INLINE vf f32_pow(vf a, vf b) { return vf_pow(a, b); }
CK_INLINE vf f32_floor_div(vf a, vf b) {
  vf r;
  return vf_floor_div(a, b, &r);
}
CK_INLINE vf f32_mod(vf a, vf b) {
  vf r;
  vf_floor_div(a, b, &r);
  return r;
}

CK_INLINE vi i32_add(vi a, vi b) { return (vi)((vu)a + (vu)b); }
CK_INLINE vi i32_sub(vi a, vi b) { return (vi)((vu)a - (vu)b); }
CK_INLINE vi i32_mul(vi a, vi b) { return (vi)((vu)a * (vu)b); }
CK_INLINE vi i32_max(vi a, vi b) { return a > b ? a : b; }
CK_INLINE vi i32_min(vi a, vi b) { return a < b ? a : b; }

/// Quotients of int32 are exact in double: truncation of a / b never rounds across an integer.
CK_INLINE vi i32_divide(vi a, vi b, bool floor) {
  vi special = (b == 0) | (b == -1);
  vi divisor = special ? (vi)1 : b;
  vd q = __builtin_convertvector(a, vd) / __builtin_convertvector(divisor, vd);
  vi r = __builtin_convertvector(floor ? __builtin_elementwise_floor(q) : __builtin_elementwise_trunc(q), vi);
  r = b == -1 ? (vi)(0u - (vu)a) : r;  // wraps for INT32_MIN
  return b == 0 ? (vi)0 : r;
}
CK_INLINE vi i32_div(vi a, vi b) { return i32_divide(a, b, false); }
CK_INLINE vi i32_floor_div(vi a, vi b) { return i32_divide(a, b, true); }
CK_INLINE vi i32_mod(vi a, vi b) {
  vi r = (vi)((vu)a - (vu)i32_divide(a, b, true) * (vu)b);
  return b == 0 ? (vi)0 : r;
}
static int32_t i32_pow_scalar(int32_t base, int32_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent & 1 ? -1 : 1;
    return 0;
  }
  uint32_t result = 1, square = (uint32_t)base;
  for (uint32_t e = (uint32_t)exponent; e != 0; e >>= 1) {
    if (e & 1) result *= square;
    square *= square;
  }
  return (int32_t)result;
}
CK_INLINE vi i32_pow(vi a, vi b) {
  vi r = 0;
  for (int i = 0; i < CK_W; i++) r[i] = i32_pow_scalar(a[i], b[i]);
  return r;
}

CK_INLINE vi f32_eq(vf a, vf b) { return a == b; }
CK_INLINE vi f32_ne(vf a, vf b) { return a != b; }
CK_INLINE vi f32_lt(vf a, vf b) { return a < b; }
CK_INLINE vi f32_le(vf a, vf b) { return a <= b; }
CK_INLINE vi f32_gt(vf a, vf b) { return a > b; }
CK_INLINE vi f32_ge(vf a, vf b) { return a >= b; }
CK_INLINE vi i32_eq(vi a, vi b) { return a == b; }
CK_INLINE vi i32_ne(vi a, vi b) { return a != b; }
CK_INLINE vi i32_lt(vi a, vi b) { return a < b; }
CK_INLINE vi i32_le(vi a, vi b) { return a <= b; }
CK_INLINE vi i32_gt(vi a, vi b) { return a > b; }
CK_INLINE vi i32_ge(vi a, vi b) { return a >= b; }

typedef vf v_f32;
typedef vi v_i32;
CK_INLINE vf v_load_f32(const float *p) { return vf_load(p); }
CK_INLINE vi v_load_i32(const int32_t *p) { return vi_load(p); }
/// Lanes from n on are 1, a value that is slow for no op.
CK_INLINE vf v_load_n_f32(const float *p, size_t n) { return vf_keep_n(vf_load_n(p, n), n, 1.0f); }
CK_INLINE vi v_load_n_i32(const int32_t *p, size_t n) { return vi_load_n(p, n); }
CK_INLINE void v_store_f32(float *p, vf v) { vf_store(p, v); }
CK_INLINE void v_store_i32(int32_t *p, vi v) { vi_store(p, v); }
CK_INLINE void v_store_n_f32(float *p, vf v, size_t n) { vf_store_n(p, v, n); }
CK_INLINE void v_store_n_i32(int32_t *p, vi v, size_t n) { vi_store_n(p, v, n); }
CK_INLINE void v_store_mask(uint8_t *p, vi mask) {
  vb m = __builtin_convertvector(mask, vb) & (uint8_t)1;
  memcpy(p, &m, sizeof m);
}
CK_INLINE void v_store_n_mask(uint8_t *p, vi mask, size_t n) {
  vb m = __builtin_convertvector(mask, vb) & (uint8_t)1;
  for (size_t i = 0; i < n; i++) p[i] = m[i];
}

/// The loop over a row, with each operand either one vector per iteration or one constant.
#define CK_ROW_LOOP(type, op, store, A, B, TAIL_A, TAIL_B)                                                            \
  for (; i + CK_W <= n; i += CK_W) v_store_##store(out + i, type##_##op(A, B));                                       \
  if (i < n) v_store_n_##store(out + i, type##_##op(TAIL_A, TAIL_B), n - i)

#define CK_BINARY_ROW(ctype, type, op, octype, store)                                                                 \
  static void row_##type##_##op(                                                                                      \
      const void *pa, size_t sa, const void *pb, size_t sb, void *po, size_t n) {                                     \
    const ctype *a = pa, *b = pb;                                                                                     \
    octype *out = po;                                                                                                 \
    if (n == 0) return;                                                                                               \
    size_t i = 0;                                                                                                     \
    v_##type a0 = a[0], b0 = b[0];                                                                                    \
    if (sa && sb) {                                                                                                   \
      CK_ROW_LOOP(type, op, store, v_load_##type(a + i), v_load_##type(b + i), v_load_n_##type(a + i, n - i),         \
                  v_load_n_##type(b + i, n - i));                                                                     \
    } else if (sa) {                                                                                                  \
      CK_ROW_LOOP(type, op, store, v_load_##type(a + i), b0, v_load_n_##type(a + i, n - i), b0);                      \
    } else if (sb) {                                                                                                  \
      CK_ROW_LOOP(type, op, store, a0, v_load_##type(b + i), a0, v_load_n_##type(b + i, n - i));                      \
    } else {                                                                                                          \
      CK_ROW_LOOP(type, op, store, a0, b0, a0, b0);                                                                   \
    }                                                                                                                 \
  }

#define CK_EACH_BINARY(F)                                                                                             \
  F(ADD, add) F(SUB, sub) F(MUL, mul) F(DIV, div) F(MAX, max) F(MIN, min) F(POW, pow) F(FLOOR_DIV, floor_div)          \
  F(MOD, mod)
#define CK_EACH_COMPARE(F) F(EQ, eq) F(NE, ne) F(LT, lt) F(LE, le) F(GT, gt) F(GE, ge)

#define CK_BINARY_ROWS(upper, lower)                                                                                  \
  CK_BINARY_ROW(float, f32, lower, float, f32) CK_BINARY_ROW(int32_t, i32, lower, int32_t, i32)
#define CK_COMPARE_ROWS(upper, lower)                                                                                 \
  CK_BINARY_ROW(float, f32, lower, uint8_t, mask) CK_BINARY_ROW(int32_t, i32, lower, uint8_t, mask)
CK_EACH_BINARY(CK_BINARY_ROWS)
CK_EACH_COMPARE(CK_COMPARE_ROWS)

#define CK_ENTRY_F32(upper, lower) [CK_BINARY_##upper] = row_f32_##lower,
#define CK_ENTRY_I32(upper, lower) [CK_BINARY_##upper] = row_i32_##lower,
#define CK_ENTRY_COMPARE_F32(upper, lower) [CK_COMPARE_##upper] = row_f32_##lower,
#define CK_ENTRY_COMPARE_I32(upper, lower) [CK_COMPARE_##upper] = row_i32_##lower,
const ck_row2 CK_FN(binary_rows_f32)[CK_BINARY_COUNT] = {CK_EACH_BINARY(CK_ENTRY_F32)};
const ck_row2 CK_FN(binary_rows_i32)[CK_BINARY_COUNT] = {CK_EACH_BINARY(CK_ENTRY_I32)};
const ck_row2 CK_FN(compare_rows_f32)[CK_COMPARE_COUNT] = {CK_EACH_COMPARE(CK_ENTRY_COMPARE_F32)};
const ck_row2 CK_FN(compare_rows_i32)[CK_COMPARE_COUNT] = {CK_EACH_COMPARE(CK_ENTRY_COMPARE_I32)};
