// Bulk conversions: half precision, quantised integers, lookup tables (a file of their own).
#include "../half.h"
#include "../vmath.h"
#include "lookup.h"

void CK_FN(f16_to_f32)(const uint16_t *in, float *out, size_t n) {
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) vf_store(out + i, vf_of_half(in + i));
  if (i < n) {
    uint16_t tail[CK_W] = {0};
    memcpy(tail, in + i, (n - i) * sizeof *in);
    vf_store_n(out + i, vf_of_half(tail), n - i);
  }
}

void CK_FN(f32_to_f16)(const float *in, uint16_t *out, size_t n) {
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) vf_store_half(out + i, vf_load(in + i));
  if (i < n) {
    uint16_t tail[CK_W];
    vf_store_half(tail, vf_load_n(in + i, n - i));
    memcpy(out + i, tail, (n - i) * sizeof *out);
  }
}

#define CK_QUANTIZED(name, type, vtype, low, high)                                                                    \
  void CK_FN(dequantize_##name##_f32)(                                                                                \
      const type *in, const float *scale, const type *zero_point, float *out, size_t outer, size_t channels,          \
      size_t inner) {                                                                                                 \
    for (size_t o = 0; o < outer; o++) {                                                                              \
      for (size_t c = 0; c < channels; c++, in += inner, out += inner) {                                              \
        float s = scale[c];                                                                                           \
        int32_t z = zero_point == NULL ? 0 : zero_point[c];                                                           \
        size_t i = 0;                                                                                                 \
        for (; i + CK_W <= inner; i += CK_W) {                                                                        \
          vtype q;                                                                                                    \
          memcpy(&q, in + i, sizeof q);                                                                               \
          vf_store(out + i, vf_of_vi(__builtin_convertvector(q, vi) - z) * s);                                        \
        }                                                                                                             \
        for (; i < inner; i++) out[i] = (float)((int32_t)in[i] - z) * s;                                              \
      }                                                                                                               \
    }                                                                                                                 \
  }                                                                                                                   \
  CK_INLINE vtype quantize_##name(vf x, float s, float z) {                                                           \
    x = vf_clamp_nan(x / s, -1024.0f, 1024.0f); /* beyond every integer of the type with every zero point */          \
    x = x != x ? (vf)0.0f : x;                                                                                        \
    vf r = (x + CK_ROUND_MAGIC) - CK_ROUND_MAGIC; /* half to even */                                                  \
    return __builtin_convertvector(__builtin_convertvector(vf_clamp_nan(r + z, low, high), vi), vtype);               \
  }                                                                                                                   \
  void CK_FN(quantize_f32_##name)(                                                                                    \
      const float *in, const float *scale, const type *zero_point, type *out, size_t outer, size_t channels,          \
      size_t inner) {                                                                                                 \
    for (size_t o = 0; o < outer; o++) {                                                                              \
      for (size_t c = 0; c < channels; c++, in += inner, out += inner) {                                              \
        float s = scale[c], z = zero_point == NULL ? 0.0f : (float)zero_point[c];                                     \
        size_t i = 0;                                                                                                 \
        for (; i + CK_W <= inner; i += CK_W) {                                                                        \
          vtype q = quantize_##name(vf_load(in + i), s, z);                                                           \
          memcpy(out + i, &q, sizeof q);                                                                              \
        }                                                                                                             \
        if (i < inner) {                                                                                              \
          vtype q = quantize_##name(vf_load_n(in + i, inner - i), s, z);                                              \
          memcpy(out + i, &q, inner - i);                                                                             \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }
CK_QUANTIZED(i8, int8_t, vsb, -128.0f, 127.0f)
CK_QUANTIZED(u8, uint8_t, vb, 0.0f, 255.0f)
