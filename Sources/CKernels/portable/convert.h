// Bulk conversions: fp16 and quantized integers. Lookup tables are in x86/lookup.h.
#include "../f16.h"
#include "../vmath.h"
#include "../vsteps.h"
#include "../x86/lookup.h"

void CK_FN(f16_to_f32)(const uint16_t *in, float *out, size_t n) {
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) vf_store(out + i, vf_from_f16(in + i));
  if (i < n) {
    uint16_t tail[CK_W] = {0};
    memcpy(tail, in + i, (n - i) * sizeof *in);
    vf_store_n(out + i, vf_from_f16(tail), n - i);
  }
}

void CK_FN(f32_to_f16)(const float *in, uint16_t *out, size_t n) {
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) vf_store_f16(out + i, vf_load(in + i));
  if (i < n) {
    uint16_t tail[CK_W];
    vf_store_f16(tail, vf_load_n(in + i, n - i));
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
    vf r = vf_nearest_step(x, (vf){0} + s) + z; /* +-1024 at most, beyond any integer and zero point */               \
    return __builtin_convertvector(__builtin_convertvector(vf_clamp_nan(r, low, high), vi), vtype);                   \
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

CK_INLINE float shifted_exactly(float x, float z, float s) { return (float)(((double)x - (double)z) * (double)s); }

/// Runs of one element: every element has its own entry.
CK_INLINE void shift_scale_each(float *x, const float *scale, const float *offset, size_t n, bool exact) {
  for (size_t i = 0; i < n; i++) {
    float z = offset == NULL ? 0.0f : offset[i];
    x[i] = exact ? shifted_exactly(x[i], z, scale[i]) : (x[i] - z) * scale[i];
  }
}

CK_INLINE void shift_scale_run(float *x, float s, float z, size_t n, bool exact) {
  size_t i = 0;
  if (exact) {
    for (; i + CK_W <= n; i += CK_W)
      vf_store(x + i, vf_of_vd((vd_of(vf_load(x + i)) - (double)z) * (double)s));
    for (; i < n; i++) x[i] = shifted_exactly(x[i], z, s);
    return;
  }
  for (; i + CK_W <= n; i += CK_W) vf_store(x + i, (vf_load(x + i) - z) * s);
  for (; i < n; i++) x[i] = (x[i] - z) * s;
}

CK_INLINE void shift_scale(
    float *x, const float *scale, const float *offset, size_t run, size_t first, size_t n, bool exact) {
  if (run == 1) {
    shift_scale_each(x, scale, offset, n, exact);
    return;
  }
  for (size_t e = 0; n > 0; e++, first = 0) {
    size_t count = run - first < n ? run - first : n;
    shift_scale_run(x, scale[e], offset == NULL ? 0.0f : offset[e], count, exact);
    x += count, n -= count;
  }
}

void CK_FN(shift_scale_f32)(float *x, const float *scale, const float *offset, size_t run, size_t first, size_t n) {
  shift_scale(x, scale, offset, run, first, n, false);
}

void CK_FN(shift_scale_exact_f32)(
    float *x, const float *scale, const float *offset, size_t run, size_t first, size_t n) {
  shift_scale(x, scale, offset, run, first, n, true);
}

void CK_FN(round_f16_f32)(float *x, size_t n) {
  uint16_t half[CK_W];
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) {
    vf_store_f16(half, vf_load(x + i));
    vf_store(x + i, vf_from_f16(half));
  }
  if (i < n) {
    vf_store_f16(half, vf_load_n(x + i, n - i));
    vf_store_n(x + i, vf_from_f16(half), n - i);
  }
}

size_t CK_FN(spread_f32)(const uint8_t *mask, size_t first, const float *values, float *out, size_t n) {
  const float *begin = values;
  size_t i = 0;
  mask += first / 8, first %= 8;
  for (; i < n && (first + i) % 8 != 0; i++) out[i] = mask[0] >> (first + i) & 1 ? *values++ : 0.0f;
  if (i > 0 && (first + i) % 8 == 0) mask++;
#if defined(CK_TARGET_AVX512)
  for (; i + 16 <= n; i += 16, mask += 2) {
    __mmask16 bits = (__mmask16)(mask[0] | mask[1] << 8);
    _mm512_storeu_ps(out + i, _mm512_maskz_expandloadu_ps(bits, values));
    values += __builtin_popcount(bits);
  }
#endif
  for (; i + 8 <= n; i += 8, mask++) {
    unsigned bits = mask[0];
    for (unsigned b = 0; b < 8; b++) out[i + b] = bits >> b & 1 ? *values++ : 0.0f;
  }
  for (unsigned b = 0; i < n; i++, b++) out[i] = mask[0] >> b & 1 ? *values++ : 0.0f;
  return (size_t)(values - begin);
}
