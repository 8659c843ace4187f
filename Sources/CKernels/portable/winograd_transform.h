// Transforms of the NCHWc Winograd convolution F(m x m, 3 x 3): of input tiles, of filters, and of the products.
// Source: Lavin and Gray, 2016; points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity. Tiles are numbered over all images, row
// by row.
#pragma once
#include "block_strip.h"

// One dimension of a transform.

CK_INLINE void input_2(const vf *d, vf *o) {
  o[0] = d[0] - d[2], o[1] = d[1] + d[2], o[2] = d[2] - d[1], o[3] = d[1] - d[3];
}
CK_INLINE void output_2(const vf *m, vf *o) { o[0] = m[0] + m[1] + m[2], o[1] = m[1] - m[2] - m[3]; }

CK_INLINE void input_4(const vf *d, vf *o) {
  vf even = vf_fma((vf)-4.0f, d[2], d[4]), odd = vf_fma((vf)-4.0f, d[1], d[3]);
  vf far = d[4] - d[2], wide = 2.0f * (d[3] - d[1]);
  o[0] = vf_fma((vf)4.0f, d[0], vf_fma((vf)-5.0f, d[2], d[4]));
  o[1] = even + odd, o[2] = even - odd, o[3] = far + wide, o[4] = far - wide;
  o[5] = vf_fma((vf)4.0f, d[1], vf_fma((vf)-5.0f, d[3], d[5]));
}
CK_INLINE void output_4(const vf *m, vf *o) {
  vf a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4];
  o[0] = m[0] + a + c, o[1] = vf_fma((vf)2.0f, d, b);
  o[2] = vf_fma((vf)4.0f, c, a), o[3] = vf_fma((vf)8.0f, d, b) + m[5];
}

CK_INLINE void input_6(const vf *d, vf *o) {
  o[0] = vf_fma((vf)5.25f, d[4] - d[2], d[0] - d[6]);
  o[7] = vf_fma((vf)5.25f, d[3] - d[5], d[7] - d[1]);
  vf a = vf_fma((vf)-4.25f, d[4], d[2] + d[6]), b = vf_fma((vf)-4.25f, d[3], d[1] + d[5]);
  o[1] = a + b, o[2] = a - b;
  vf c = vf_fma((vf)0.25f, d[2], vf_fma((vf)-1.25f, d[4], d[6]));
  vf e = vf_fma((vf)0.5f, d[1], vf_fma((vf)-2.5f, d[3], 2.0f * d[5]));
  o[3] = c + e, o[4] = c - e;
  vf f = vf_fma((vf)4.0f, vf_fma((vf)-1.25f, d[4], d[2]), d[6]);
  vf g = vf_fma((vf)2.0f, d[1], vf_fma((vf)-2.5f, d[3], 0.5f * d[5]));
  o[5] = f + g, o[6] = f - g;
}
CK_INLINE void output_6(const vf *m, vf *o) {
  vf a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4], e = m[5] + m[6], f = m[5] - m[6];
  o[0] = m[0] + a + c + e;
  o[1] = vf_fma((vf)0.5f, f, vf_fma((vf)2.0f, d, b));
  o[2] = vf_fma((vf)0.25f, e, vf_fma((vf)4.0f, c, a));
  o[3] = vf_fma((vf)0.125f, f, vf_fma((vf)8.0f, d, b));
  o[4] = vf_fma((vf)0.0625f, e, vf_fma((vf)16.0f, c, a));
  o[5] = vf_fma((vf)0.03125f, f, vf_fma((vf)32.0f, d, b)) + m[7];
}

CK_INLINE void input_line(int M, const vf *d, vf *o) {
  if (M == 2) input_2(d, o);
  if (M == 4) input_4(d, o);
  if (M == 6) input_6(d, o);
}
CK_INLINE void output_line(int M, const vf *m, vf *o) {
  if (M == 2) output_2(m, o);
  if (M == 4) output_4(m, o);
  if (M == 6) output_6(m, o);
}


CK_INLINE void weights_2(const vf *k, vf *o) {
  vf a = 0.5f * (k[0] + k[2]), b = 0.5f * k[1];
  o[0] = k[0], o[1] = a + b, o[2] = a - b, o[3] = k[2];
}
CK_INLINE void weights_4(const vf *k, vf *o) {
  vf a = (float)(-1 / 6.) * (k[0] + k[2]), b = vf_fma((vf)(float)(1 / 6.), k[2], (float)(1 / 24.) * k[0]);
  o[0] = 0.25f * k[0], o[5] = k[2];
  o[1] = vf_fma((vf)(float)(-1 / 6.), k[1], a), o[2] = vf_fma((vf)(float)(1 / 6.), k[1], a);
  o[3] = vf_fma((vf)(float)(1 / 12.), k[1], b), o[4] = vf_fma((vf)(float)(-1 / 12.), k[1], b);
}
CK_INLINE void weights_6(const vf *k, vf *o) {
  vf a = (float)(-2 / 9.) * (k[0] + k[2]), b = vf_fma((vf)(float)(2 / 45.), k[2], (float)(1 / 90.) * k[0]);
  vf c = vf_fma((vf)(float)(8 / 45.), k[2], (float)(32 / 45.) * k[0]);
  o[0] = k[0], o[7] = k[2];
  o[1] = vf_fma((vf)(float)(-2 / 9.), k[1], a), o[2] = vf_fma((vf)(float)(2 / 9.), k[1], a);
  o[3] = vf_fma((vf)(float)(1 / 45.), k[1], b), o[4] = vf_fma((vf)(float)(-1 / 45.), k[1], b);
  o[5] = vf_fma((vf)(float)(16 / 45.), k[1], c), o[6] = vf_fma((vf)(float)(-16 / 45.), k[1], c);
}
CK_INLINE void weights_line(int M, const vf *k, vf *o) {
  if (M == 2) weights_2(k, o);
  if (M == 4) weights_4(k, o);
  if (M == 6) weights_6(k, o);
}

/// Tiles of an image.
CK_INLINE size_t tiles_across(const ck_window *w, size_t tile) { return ((size_t)w->out_w + tile - 1) / tile; }
CK_INLINE size_t tiles_of_image(const ck_window *w, size_t tile) {
  return ((size_t)w->out_h + tile - 1) / tile * tiles_across(w, tile);
}

// Strides that are not a power of two, so that neighboring stores do not map to the same cache set.
CK_INLINE size_t part_of(size_t blocks, size_t tiles) { return blocks * tiles * CK_W + CK_W; }

/// Transforms blocks of input channels, for `tiles` tiles from `first` on, to [tile element][block][room][CK_W]. Tile
/// elements are `part` floats apart.
CK_INLINE void transform_input(
    int M, const ck_window *w, const float *in, size_t block_begin, size_t block_end, size_t first, size_t tiles, size_t part,
    size_t room, float *to) {
  enum { MOST = 8 };
  int N = M + 2;
  size_t blocks = blocks_of((size_t)w->in_channels), area = (size_t)(w->in_h * w->in_w);
  size_t across = tiles_across(w, (size_t)M), own = tiles_of_image(w, (size_t)M);
  for (size_t block = block_begin; block < block_end; block++) {
    for (size_t t = 0; t < tiles; t++) {
      size_t image = (first + t) / own, tile = (first + t) % own;
      const float *plane = in + (image * blocks + block) * area * CK_W;
      ptrdiff_t top = (ptrdiff_t)(tile / across) * M - w->pad_h;
      ptrdiff_t left = (ptrdiff_t)(tile % across) * M - w->pad_w;
      bool inside = top >= 0 && left >= 0 && top + N <= w->in_h && left + N <= w->in_w;
      vf half[MOST * MOST];
      const float *from = plane + (top * w->in_w + left) * CK_W;
#pragma clang loop unroll(disable)
      for (int x = 0; x < N; x++) {
        vf d[MOST], o[MOST];
#pragma clang loop unroll(full)
        for (int y = 0; y < N; y++) {
          bool here = inside || (top + y >= 0 && top + y < w->in_h && left + x >= 0 && left + x < w->in_w);
          d[y] = here ? vf_load(from + (y * w->in_w + x) * CK_W) : (vf)0.0f;
        }
        input_line(M, d, o);
#pragma clang loop unroll(full)
        for (int y = 0; y < N; y++) half[y * N + x] = o[y];
      }
      float *place = to + (block * room + t) * CK_W;
#pragma clang loop unroll(disable)
      for (int y = 0; y < N; y++) {
        vf o[MOST];
        input_line(M, half + y * N, o);
#pragma clang loop unroll(full)
        for (int x = 0; x < N; x++) vf_store(place + (size_t)(y * N + x) * part, o[x]);
      }
    }
  }
}

/// Transforms blocks of output channels back from [tile element][block][room][CK_W]. The first block in `from` is
/// `block_begin`.
CK_INLINE void transform_output(
    int M, const ck_window *w, const float *from, size_t block_begin, size_t block_end, size_t first, size_t tiles, size_t part,
    size_t room, const struct ending *ending, const float *bias, const float *add, float *out) {
  enum { MOST = 8 };
  int N = M + 2;
  size_t blocks = blocks_of((size_t)w->out_channels), area = (size_t)(w->out_h * w->out_w);
  size_t across = tiles_across(w, (size_t)M), own = tiles_of_image(w, (size_t)M);
  for (size_t block = block_begin; block < block_end; block++) {
    size_t lanes = (size_t)w->out_channels - block * CK_W < CK_W ? (size_t)w->out_channels - block * CK_W : CK_W;
    vf shift = bias ? vf_load_n(bias + block * CK_W, lanes) : (vf)0.0f;
    struct ending e = *ending;
    e.lanes = lanes;
    for (size_t t = 0; t < tiles; t++) {
      const float *place = from + ((block - block_begin) * room + t) * CK_W;
      vf half[MOST * MOST];
#pragma clang loop unroll(disable)
      for (int x = 0; x < N; x++) {
        vf m[MOST], o[MOST];
#pragma clang loop unroll(full)
        for (int y = 0; y < N; y++) m[y] = vf_load(place + (size_t)(y * N + x) * part);
        output_line(M, m, o);
#pragma clang loop unroll(full)
        for (int y = 0; y < M; y++) half[y * N + x] = o[y];
      }
      size_t image = (first + t) / own, tile = (first + t) % own;
      size_t top = tile / across * (size_t)M, left = tile % across * (size_t)M;
      size_t rows = (size_t)w->out_h - top < (size_t)M ? (size_t)w->out_h - top : (size_t)M;
      size_t columns = (size_t)w->out_w - left < (size_t)M ? (size_t)w->out_w - left : (size_t)M;
#pragma clang loop unroll(disable)
      for (size_t y = 0; y < rows; y++) {
        vf o[MOST];
        output_line(M, half + y * (size_t)N, o);
        size_t at = ((image * blocks + block) * area + (top + y) * (size_t)w->out_w + left) * CK_W;
#pragma clang loop unroll(full)
        for (int x = 0; x < M; x++) {
          if ((size_t)x >= columns) break;
          vf v = o[x] + shift;
          if (add) v += vf_load(add + at + (size_t)x * CK_W);
          vf_store(out + at + (size_t)x * CK_W, vf_clamp(v, e.clamp));
        }
        if (needs_finish(&e)) finish_stored(&e, true, out + at, columns);
      }
    }
  }
}

