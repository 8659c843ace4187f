// Conversions between all pairs of element types, one loop per pair.
#include <string.h>

#include "table.h"

static inline float f32_from_f16(uint16_t half) {
  uint32_t magnitude = half & 0x7fffu, bits = magnitude << 13;
  float scaled;
  memcpy(&scaled, &bits, 4);
  scaled *= 0x1p112f;
  if (magnitude >= 0x7c00u) {
    bits |= 0x7f800000u;
  } else {
    memcpy(&bits, &scaled, 4);
  }
  bits |= (uint32_t)(half & 0x8000u) << 16;
  float result;
  memcpy(&result, &bits, 4);
  return result;
}

static inline uint16_t f16_from_f32(float x) {
  uint32_t bits, sign;
  memcpy(&bits, &x, 4);
  sign = (bits >> 16) & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | ((bits >> 13) & 0x3ffu));
  if (bits >= 0x47800000u) return (uint16_t)(sign | 0x7c00u);
  if (bits < 0x38800000u) {
    float magnitude;
    memcpy(&magnitude, &bits, 4);
    magnitude += 0.5f;
    memcpy(&bits, &magnitude, 4);
    return (uint16_t)(sign | (bits - 0x3f000000u));
  }
  return (uint16_t)(sign | ((bits + (0xc8000fffu + ((bits >> 13) & 1u))) >> 13));
}

/// Rounding twice would be wrong where the float is exactly between two fp16 values. Rounding to odd first avoids this.
static inline uint16_t f16_from_f64(double x) {
  float f = (float)x;
  if ((double)f != x && x == x && f - f == 0) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    double magnitude = x < 0 ? -x : x, rounded = f < 0 ? -(double)f : (double)f;
    if (rounded > magnitude) bits -= 1;  // toward zero
    bits |= 1;
    memcpy(&f, &bits, 4);
  }
  return f16_from_f32(f);
}

// How a source element is read, and how its value is written as each type.
#define READ_F16(p) f32_from_f16(*(p))
#define READ_PLAIN(p) (*(p))
#define READ_BOOL(p) (*(p) != 0)

#define SATURATE(type, x, low, limit, least, greatest) \
  ((x) != (x) ? (type)0 : (x) >= (limit) ? (type)(greatest) : (x) < (low) ? (type)(least) : (type)(x))

#define FROM_FLOATING(F)                                                                                              \
  F(F16, uint16_t, f16_from_f64((double)x))                                                                         \
  F(F32, float, (float)x)                                                                                             \
  F(F64, double, (double)x)                                                                                           \
  F(I8, int8_t, SATURATE(int8_t, x, -0x1p7f, 0x1p7f, INT8_MIN, INT8_MAX))                                             \
  F(U8, uint8_t, SATURATE(uint8_t, x, 0.0f, 0x1p8f, 0, UINT8_MAX))                                                    \
  F(I16, int16_t, SATURATE(int16_t, x, -0x1p15f, 0x1p15f, INT16_MIN, INT16_MAX))                                      \
  F(U16, uint16_t, SATURATE(uint16_t, x, 0.0f, 0x1p16f, 0, UINT16_MAX))                                               \
  F(I32, int32_t, SATURATE(int32_t, x, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX))                                      \
  F(U32, uint32_t, SATURATE(uint32_t, x, 0.0f, 0x1p32f, 0, UINT32_MAX))                                               \
  F(I64, int64_t, SATURATE(int64_t, x, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX))                                      \
  F(U64, uint64_t, SATURATE(uint64_t, x, 0.0f, 0x1p64f, 0, UINT64_MAX))                                               \
  F(BOOL, uint8_t, (x) != 0)

#define FROM_INTEGER(F)                                                                                               \
  F(F16, uint16_t, f16_from_f64((double)x)) F(F32, float, (float)x) F(F64, double, (double)x)                        \
  F(I8, int8_t, (int8_t)x) F(U8, uint8_t, (uint8_t)x) F(I16, int16_t, (int16_t)x) F(U16, uint16_t, (uint16_t)x)        \
  F(I32, int32_t, (int32_t)x) F(U32, uint32_t, (uint32_t)x) F(I64, int64_t, (int64_t)x)                                \
  F(U64, uint64_t, (uint64_t)x) F(BOOL, uint8_t, (x) != 0)

#define CASE_OF(to_name, to_type, expression)              \
  case CK_TYPE_##to_name: {                                \
    to_type *target = out;                                 \
    for (size_t i = 0; i < n; i++) {                       \
      VALUE_TYPE x = READ(source + i);                     \
      target[i] = expression;                              \
    }                                                      \
    return true;                                           \
  }

#define VALUE_TYPE float
#define READ READ_F16
static bool from_f16(ck_type to, const uint16_t *source, void *out, size_t n) {
  switch (to) { FROM_FLOATING(CASE_OF) default: return false; }
}
#undef READ
#undef VALUE_TYPE

#define READ READ_PLAIN
#define DEFINE_FROM(name, type, cases) \
  static bool from_##name(ck_type to, const type *source, void *out, size_t n) { \
    switch (to) { cases(CASE_OF) default: return false; } \
  }
#define VALUE_TYPE float
DEFINE_FROM(f32, float, FROM_FLOATING)
#undef VALUE_TYPE
#define VALUE_TYPE double
DEFINE_FROM(f64, double, FROM_FLOATING)
#undef VALUE_TYPE
#define VALUE_TYPE int32_t
DEFINE_FROM(i8, int8_t, FROM_INTEGER)
DEFINE_FROM(u8, uint8_t, FROM_INTEGER)
DEFINE_FROM(i16, int16_t, FROM_INTEGER)
DEFINE_FROM(u16, uint16_t, FROM_INTEGER)
DEFINE_FROM(i32, int32_t, FROM_INTEGER)
#undef VALUE_TYPE
#define VALUE_TYPE uint32_t
DEFINE_FROM(u32, uint32_t, FROM_INTEGER)
#undef VALUE_TYPE
#define VALUE_TYPE int64_t
DEFINE_FROM(i64, int64_t, FROM_INTEGER)
#undef VALUE_TYPE
#define VALUE_TYPE uint64_t
DEFINE_FROM(u64, uint64_t, FROM_INTEGER)
#undef VALUE_TYPE
#undef READ
#define READ READ_BOOL
#define VALUE_TYPE int32_t
DEFINE_FROM(bool, uint8_t, FROM_INTEGER)

size_t ck_type_size(ck_type type) {
  static const uint8_t sizes[CK_TYPE_COUNT] = {2, 4, 8, 1, 1, 2, 2, 4, 4, 8, 8, 1};
  return (uint32_t)type < CK_TYPE_COUNT ? sizes[type] : 0;
}

bool ck_cast(ck_type from, ck_type to, const void *in, void *out, size_t n) {
  if ((uint32_t)to >= CK_TYPE_COUNT) return false;
  if (from == to && from != CK_TYPE_BOOL && (uint32_t)from < CK_TYPE_COUNT) {
    if (in != out) memcpy(out, in, n * ck_type_size(from));
    return true;
  }
  if (from == CK_TYPE_F16 && to == CK_TYPE_F32) return ck_f16_to_f32(in, out, n), true;
  if (from == CK_TYPE_F32 && to == CK_TYPE_F16) return ck_f32_to_f16(in, out, n), true;
  switch (from) {
    case CK_TYPE_F16: return from_f16(to, in, out, n);
    case CK_TYPE_F32: return from_f32(to, in, out, n);
    case CK_TYPE_F64: return from_f64(to, in, out, n);
    case CK_TYPE_I8: return from_i8(to, in, out, n);
    case CK_TYPE_U8: return from_u8(to, in, out, n);
    case CK_TYPE_I16: return from_i16(to, in, out, n);
    case CK_TYPE_U16: return from_u16(to, in, out, n);
    case CK_TYPE_I32: return from_i32(to, in, out, n);
    case CK_TYPE_U32: return from_u32(to, in, out, n);
    case CK_TYPE_I64: return from_i64(to, in, out, n);
    case CK_TYPE_U64: return from_u64(to, in, out, n);
    case CK_TYPE_BOOL: return from_bool(to, in, out, n);
    default: return false;
  }
}
