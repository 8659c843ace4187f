#pragma once
// fp16 to fp32 and back with integer operations, four at a time. x86-64 without F16C has no conversion instruction.
#include "vectors.h"

/// NaN becomes quiet, as with the hardware instructions.
INLINE F4 f4_of_fp16(H4 values) {
  U4 bits = __builtin_convertvector(values, U4);
  U4 magnitude = (bits & u4_all(0x7FFF)) << 13;
  // The exponent's bias goes from 15 to 127, that of infinity and NaN from 31 to 255.
  U4 normal = magnitude + u4_select(magnitude >= u4_all(0x7C00u << 13), u4_all(224u << 23), u4_all(112u << 23));
  // Subnormals: their bits count units of 2^-24 above 2^-14.
  U4 subnormal = (U4)((F4)(magnitude + u4_all(113u << 23)) - (F4)u4_all(113u << 23));
  U4 quiet = (U4)(magnitude > u4_all(0x7C00u << 13)) & u4_all(1u << 22);
  return (F4)(u4_select(magnitude < u4_all(1u << 23), subnormal, normal) | quiet | (bits & u4_all(0x8000)) << 16);
}

/// Rounds to nearest even. NaN becomes quiet and keeps the upper bits of its payload.
INLINE H4 fp16_of_f4(F4 values) {
  U4 bits = (U4)values, sign = bits & u4_all(0x80000000u), magnitude = bits ^ sign;
  U4 odd = (magnitude >> 13) & u4_all(1);
  U4 normal = (magnitude + u4_all((uint32_t)-(112 << 23) + 0xFFF) + odd) >> 13;
  // Added to 0.5, the unit in the last place is that of an fp16 subnormal.
  U4 subnormal = (U4)((F4)magnitude + f4_all(0.5f)) - (U4)f4_all(0.5f);
  U4 nan = u4_all(0x7E00) | ((magnitude >> 13) & u4_all(0x1FF));
  U4 result = u4_select(magnitude < u4_all(113u << 23), subnormal, normal);
  result = u4_select(magnitude >= u4_all(0x47800000), u4_all(0x7C00), result);
  result = u4_select(magnitude > u4_all(0x7F800000), nan, result);
  return __builtin_convertvector(result | sign >> 16, H4);
}
