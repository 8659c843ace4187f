// Bilinear resampling: each output row is first blended from two input rows, then sampled along it.
#include "../vector.h"

void CK_FN(resize_bilinear_f32)(
    const float *in, size_t planes, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *scratch,
    float *out, size_t out_h, size_t out_w) {
  for (size_t p = 0; p < planes; p++, in += in_h * in_w) {
    for (size_t y = 0; y < out_h; y++, out += out_w) {
      const float *low = in + (size_t)ytaps[y].low * in_w, *high = in + (size_t)ytaps[y].high * in_w;
      float weight = ytaps[y].weight;
      const float *row = low;
      if (weight != 0.0f && low != high) {
        size_t x = 0;
        for (; x + CK_W <= in_w; x += CK_W) {
          vf a = vf_load(low + x);
          vf_store(scratch + x, vf_fma(vf_load(high + x) - a, (vf)weight, a));
        }
        for (; x < in_w; x++) scratch[x] = low[x] + weight * (high[x] - low[x]);
        row = scratch;
      }
      for (size_t x = 0; x < out_w; x++) {
        float a = row[xtaps[x].low], b = row[xtaps[x].high];
        out[x] = a + xtaps[x].weight * (b - a);
      }
    }
  }
}
