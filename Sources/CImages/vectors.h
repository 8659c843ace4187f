#pragma once
// 128-bit vectors of clang: SSE2 on x86-64, NEON on arm64.
#include <stdint.h>
#include <string.h>

// Each product is rounded before it is added, even if the machine has fused multiply-add.
#pragma STDC FP_CONTRACT OFF

typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef uint32_t U4 __attribute__((vector_size(16)));
typedef uint16_t H4 __attribute__((vector_size(8)));
typedef uint8_t B4 __attribute__((vector_size(4)));
typedef uint8_t B8 __attribute__((vector_size(8)));
typedef uint8_t B16 __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

#define LOAD(Type, address) ({ Type loaded_; memcpy(&loaded_, (address), sizeof loaded_); loaded_; })
#define STORE(address, ...) ({ __typeof__(__VA_ARGS__) stored_ = (__VA_ARGS__); memcpy((address), &stored_, sizeof stored_); })

INLINE F4 f4_all(float value) { return (F4){value, value, value, value}; }
INLINE U4 u4_all(uint32_t value) { return (U4){value, value, value, value}; }
INLINE F4 f4_of_bytes(B4 bytes) { return __builtin_convertvector(__builtin_convertvector(bytes, I4), F4); }
INLINE F4 f4_of_u4(U4 values) { return __builtin_convertvector((I4)values, F4); }  // below 2^31

/// Selects `a` where `mask` is all ones, `b` where it is zero.
INLINE U4 u4_select(I4 mask, U4 a, U4 b) { return ((U4)mask & a) | (~(U4)mask & b); }

/// Clamps to 0 ... 255; NaN becomes 0.
INLINE F4 f4_clamped(F4 values) {
  F4 positive = (F4)((I4)values & (values > f4_all(0)));
  return (F4)u4_select(positive > f4_all(255), (U4)f4_all(255), (U4)positive);
}

/// Clamped to a byte and rounded to nearest, ties away from zero.
INLINE I4 i4_rounded_away(F4 values) {
  F4 clamped = f4_clamped(values);
  I4 whole = __builtin_convertvector(clamped, I4);
  // The remainder is exact. A true comparison is -1.
  return whole - (clamped - __builtin_convertvector(whole, F4) >= f4_all(0.5f));
}

/// Clamped to a byte and rounded to nearest, ties to even.
INLINE U4 u4_rounded_even(F4 values) {
  // At 2^23 the unit in the last place is 1.
  return (U4)(f4_clamped(values) + f4_all(0x1p23f)) & u4_all(0xFF);
}

/// Sixteen integers from 0 to 255 as bytes.
INLINE B16 b16_of_i4(I4 a, I4 b, I4 c, I4 d) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  const Bytes w = (Bytes)a, x = (Bytes)b, y = (Bytes)c, z = (Bytes)d;
  B16 front = __builtin_shufflevector(w, x, 0, 4, 8, 12, 16, 20, 24, 28, -1, -1, -1, -1, -1, -1, -1, -1);
  B16 back = __builtin_shufflevector(y, z, 0, 4, 8, 12, 16, 20, 24, 28, -1, -1, -1, -1, -1, -1, -1, -1);
  return __builtin_shufflevector(front, back, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}
