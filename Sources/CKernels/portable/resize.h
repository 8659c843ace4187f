// Bilinear resampling. If the number of rows shrinks, each output row is blended from two input rows, then sampled
// along x. If it grows, each input row is sampled along x once and blended as often as needed.
#include "../vector.h"

CK_INLINE void sample_row(const float *row, const ck_tap *taps, float *out, size_t count) {
  for (size_t x = 0; x < count; x++) {
    float a = row[taps[x].low], b = row[taps[x].high];
    out[x] = a + taps[x].weight * (b - a);
  }
}

CK_INLINE void blend_rows(const float *low, const float *high, float weight, float *out, size_t count) {
  size_t x = 0;
  for (; x + CK_W <= count; x += CK_W) {
    vf a = vf_load(low + x);
    vf_store(out + x, vf_fma(vf_load(high + x) - a, (vf)weight, a));
  }
  for (; x < count; x++) out[x] = low[x] + weight * (high[x] - low[x]);
}

CK_INLINE void enlarge_plane(
    const float *in, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *scratch, float *out, size_t out_h,
    size_t out_w) {
  int32_t held[2] = {-1, -1};  // input rows whose samples are in the scratch memory
  for (size_t y = 0; y < out_h; y++, out += out_w) {
    bool blends = ytaps[y].weight != 0.0f && ytaps[y].low != ytaps[y].high;
    int32_t wanted[2] = {ytaps[y].low, blends ? ytaps[y].high : ytaps[y].low};
    const float *rows[2];
    for (int i = 0; i < 2; i++) {
      int place = held[0] == wanted[i] ? 0 : held[1] == wanted[i] ? 1 : held[0] == wanted[1 - i] ? 1 : 0;
      if (held[place] != wanted[i]) sample_row(in + (size_t)wanted[i] * in_w, xtaps, scratch + (size_t)place * out_w, out_w);
      held[place] = wanted[i];
      rows[i] = scratch + (size_t)place * out_w;
    }
    if (blends) {
      blend_rows(rows[0], rows[1], ytaps[y].weight, out, out_w);
    } else {
      memcpy(out, rows[0], out_w * sizeof *out);
    }
  }
}

void CK_FN(resize_bilinear_f32)(
    const float *in, size_t planes, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *scratch,
    float *out, size_t out_h, size_t out_w) {
  for (size_t p = 0; p < planes; p++, in += in_h * in_w) {
    if (out_h >= 2 && ytaps[out_h - 1].low - ytaps[0].low + 1 < (ptrdiff_t)out_h) {
      enlarge_plane(in, in_w, ytaps, xtaps, scratch, out, out_h, out_w);
      out += out_h * out_w;
      continue;
    }
    for (size_t y = 0; y < out_h; y++, out += out_w) {
      const float *low = in + (size_t)ytaps[y].low * in_w, *high = in + (size_t)ytaps[y].high * in_w;
      const float *row = low;
      if (ytaps[y].weight != 0.0f && low != high) {
        blend_rows(low, high, ytaps[y].weight, scratch, in_w);
        row = scratch;
      }
      sample_row(row, xtaps, out, out_w);
    }
  }
}
