// GEMM over packed operands. A is packed as [k block][tile][k][TILE], B as [k block][panel][k][PANEL], so the inner
// loop reads both sequentially. It keeps a TILE x PANEL register tile of C.
#include "../gemm_layout.h"
#include "../window.h"

#define CK_PANEL (2 * CK_W)

/// The epilogue of a finished register tile of C.
struct finish {
  const float *bias;
  ck_bias_axis axis;
  struct clamp clamp;
  ck_unary_row activation;  // if the clamp alone is not enough
  float alpha, beta;
};

static struct finish finish_of(const ck_epilogue *epilogue, ck_bias_axis axis) {
  struct finish f = {epilogue->bias, axis, clamp_of(epilogue), NULL, epilogue->alpha, epilogue->beta};
  if (!f.clamp.complete) f.activation = CK_FN(unary_rows_f32)[epilogue->activation];
  return f;
}

/// One register tile of C: its location, and how many of its columns exist.
struct piece {
  float *c;
  size_t ldc, row, column, lanes;
  bool accumulate;             // C holds the sum of earlier K blocks
  const struct finish *finish;  // after the last K block; else NULL
};

CK_INLINE void piece_of_rows(int R, size_t k, const float *a, const float *b, const struct piece *p) {
  vf s[CK_TILE], t[CK_TILE];
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) s[r] = t[r] = 0;
  for (size_t l = 0; l < k; l++, a += CK_TILE, b += CK_PANEL) {
    vf b0 = vf_load(b), b1 = vf_load(b + CK_W);
#if defined(CK_BY_LANES)
    vf lanes[CK_TILE / CK_W];  // rows of the tile beyond R are zeros
#pragma clang loop unroll(full)
    for (int v = 0; v < (R + CK_W - 1) / CK_W; v++) lanes[v] = vf_load(a + v * CK_W);
#endif
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
#if defined(CK_BY_LANES)
      vf x = vf_lane(lanes[r / CK_W], r % CK_W);
#else
      vf x = a[r];
#endif
      s[r] = vf_fma(x, b0, s[r]);
      t[r] = vf_fma(x, b1, t[r]);
    }
  }
  size_t n0 = p->lanes < CK_W ? p->lanes : CK_W, n1 = p->lanes - n0;
  const struct finish *f = p->finish;
  vf bias0 = 0, bias1 = 0;
  if (f && f->bias && f->axis == CK_BIAS_COLUMNS) {
    bias0 = vf_load_n(f->bias + p->column, n0);
    bias1 = vf_load_n(f->bias + p->column + CK_W, n1);
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) {
    float *c = p->c + (size_t)r * p->ldc;
    if (p->accumulate) {
      s[r] += vf_load_n(c, n0);
      t[r] += vf_load_n(c + CK_W, n1);
    }
    if (f) {
      if (f->bias && f->axis == CK_BIAS_ROWS) bias0 = bias1 = f->bias[p->row + (size_t)r];
      s[r] = vf_clamp(s[r] + bias0, f->clamp);
      t[r] = vf_clamp(t[r] + bias1, f->clamp);
    }
    vf_store_n(c, s[r], n0);
    vf_store_n(c + CK_W, t[r], n1);
    if (f && f->activation) f->activation(f->alpha, f->beta, c, c, p->lanes);
  }
}

typedef void (*piece_function)(size_t k, const float *a, const float *b, const struct piece *p);
#define CK_PIECE(R)                                                                             \
  static void piece_##R(size_t k, const float *a, const float *b, const struct piece *p) {      \
    piece_of_rows(R, k, a, b, p);                                                               \
  }
CK_PIECE(1)
CK_PIECE(2)
CK_PIECE(3)
CK_PIECE(4)
#if CK_TILE > 4
CK_PIECE(5)
CK_PIECE(6)
#endif
#if CK_TILE > 6
CK_PIECE(7)
CK_PIECE(8)
#endif
#if CK_TILE > 8
CK_PIECE(9)
CK_PIECE(10)
CK_PIECE(11)
CK_PIECE(12)
#endif
#if CK_TILE > 12
CK_PIECE(13)
CK_PIECE(14)
#endif
static const piece_function pieces[CK_TILE + 1] = {
    NULL, piece_1, piece_2, piece_3, piece_4,
#if CK_TILE > 4
    piece_5, piece_6,
#endif
#if CK_TILE > 6
    piece_7, piece_8,
#endif
#if CK_TILE > 8
    piece_9, piece_10, piece_11, piece_12,
#endif
#if CK_TILE > 12
    piece_13, piece_14,
#endif
};

CK_INLINE size_t at_most(size_t a, size_t b) { return a < b ? a : b; }

size_t CK_FN(gemm_tile_rows)(void) { return CK_TILE; }
size_t CK_FN(gemm_panel_columns)(void) { return CK_PANEL; }

/// Packs `count` lines of length k to a width of `width`. Lines are `line` apart, elements `step` apart: out[l * width
/// + i].
CK_INLINE void pack_lines(
    const float *in, ptrdiff_t line, ptrdiff_t step, size_t count, size_t k, size_t width, float *out) {
  if (line == 1) {
    for (size_t l = 0; l < k; l++) {
      const float *p = in + (ptrdiff_t)l * step;
      for (size_t i = 0; i < count; i++) out[l * width + i] = p[i];
      for (size_t i = count; i < width; i++) out[l * width + i] = 0;
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const float *p = in + (ptrdiff_t)i * line;
    for (size_t l = 0; l < k; l++) out[l * width + i] = p[(ptrdiff_t)l * step];
  }
  for (size_t l = 0; l < k; l++) {
    for (size_t i = count; i < width; i++) out[l * width + i] = 0;
  }
}

void CK_FN(gemm_pack_a_part_f32)(
    size_t m, size_t k, const float *a, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t tile_begin,
    size_t tile_end, float *packed) {
  size_t padded = (m + CK_TILE - 1) / CK_TILE * CK_TILE;
  for (size_t l = 0; l < k; l += CK_K_BLOCK) {
    size_t depth = at_most(k - l, CK_K_BLOCK);
    for (size_t t = tile_begin; t < tile_end; t++) {
      const float *from = a + (ptrdiff_t)((t - tile_begin) * CK_TILE) * row_stride + (ptrdiff_t)l * column_stride;
      float *to = packed + l * padded + t * CK_TILE * depth;
      pack_lines(from, row_stride, column_stride, at_most(m - t * CK_TILE, CK_TILE), depth, CK_TILE, to);
    }
  }
}

void CK_FN(gemm_pack_b_part_f32)(
    size_t k, size_t n, const float *b, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t panel_begin, size_t panel_end, float *packed) {
  size_t padded = (n + CK_PANEL - 1) / CK_PANEL * CK_PANEL;
  for (size_t l = k_begin; l < k_end; l += CK_K_BLOCK) {
    size_t depth = at_most(k - l, CK_K_BLOCK);
    for (size_t p = panel_begin; p < panel_end; p++) {
      const float *from =
          b + (ptrdiff_t)((p - panel_begin) * CK_PANEL) * column_stride + (ptrdiff_t)(l - k_begin) * row_stride;
      float *to = packed + l * padded + p * CK_PANEL * depth;
      pack_lines(from, column_stride, row_stride, at_most(n - p * CK_PANEL, CK_PANEL), depth, CK_PANEL, to);
    }
  }
}

/// Bias and activation alone, for k = 0.
static void finish_nothing(size_t m, size_t n, const struct finish *f, float *c, size_t ldc, size_t r0, size_t c0) {
  struct piece p = {.ldc = ldc, .finish = f};
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j += CK_PANEL) {
      p.c = c + i * ldc + j, p.row = r0 + i, p.column = c0 + j, p.lanes = at_most(n - j, CK_PANEL);
      piece_1(0, c, c, &p);
    }
  }
}

void CK_FN(gemm_packed_f32)(
    size_t m, size_t n, size_t k, const float *packed_a, const float *packed_b, ck_bias_axis bias_axis,
    const ck_epilogue *epilogue, float *c, size_t ldc, size_t tile_begin, size_t tile_end, size_t panel_begin,
    size_t panel_end) {
  // Register tiles of A per iteration; their rows of one K block stay in L2 while all panels pass.
  enum { TILES = 32 };
  size_t tiles = (m + CK_TILE - 1) / CK_TILE, panels = (n + CK_PANEL - 1) / CK_PANEL;
  struct finish f = finish_of(epilogue, bias_axis);
  if (tile_begin >= tile_end || panel_begin >= panel_end) return;
  if (k == 0) {
    size_t r0 = tile_begin * CK_TILE, c0 = panel_begin * CK_PANEL;
    finish_nothing(
        at_most(m, tile_end * CK_TILE) - r0, at_most(n, panel_end * CK_PANEL) - c0, &f, c + r0 * ldc + c0, ldc, r0, c0);
    return;
  }
  for (size_t t0 = tile_begin; t0 < tile_end; t0 += TILES) {
    size_t t1 = at_most(tile_end, t0 + TILES);
    for (size_t l = 0; l < k; l += CK_K_BLOCK) {
      size_t depth = at_most(k - l, CK_K_BLOCK);
      const float *a = packed_a + l * tiles * CK_TILE, *b = packed_b + l * panels * CK_PANEL;
      for (size_t q = panel_begin; q < panel_end; q++) {
        for (size_t t = t0; t < t1; t++) {
          struct piece p = {
              .c = c + t * CK_TILE * ldc + q * CK_PANEL, .ldc = ldc, .row = t * CK_TILE, .column = q * CK_PANEL,
              .lanes = at_most(n - q * CK_PANEL, CK_PANEL), .accumulate = l > 0,
              .finish = l + depth == k ? &f : NULL};
          pieces[at_most(m - t * CK_TILE, CK_TILE)](depth, a + t * CK_TILE * depth, b + q * CK_PANEL * depth, &p);
        }
      }
    }
  }
}

// Convolution: panels of input patches.

enum { CONV_PANELS = 4, MASKED_TAPS = 128 };

size_t CK_FN(conv_gemm_scratch_size)(void) { return (size_t)CONV_PANELS * CK_K_BLOCK * CK_PANEL; }

/// CK_W consecutive output positions: where their windows begin in a plane of the input.
struct patches {
  vi z, y, x, offset;
  vi exists;
  bool contiguous;  // consecutive offsets differ by one
};

static struct patches patches_at(const ck_window *w, size_t first, size_t total) {
  struct patches p = {.contiguous = true};
  ptrdiff_t previous = 0;
  for (int i = 0; i < CK_W; i++) {
    bool exists = first + (size_t)i < total;
    ptrdiff_t at = (ptrdiff_t)(exists ? first + (size_t)i : total - 1);
    ptrdiff_t z = at / w->out_w / w->out_h * w->stride_d - w->pad_d;
    ptrdiff_t y = at / w->out_w % w->out_h * w->stride_h - w->pad_h, x = at % w->out_w * w->stride_w - w->pad_w;
    ptrdiff_t offset = (z * w->in_h + y) * w->in_w + x;
    p.z[i] = (int32_t)z, p.y[i] = (int32_t)y, p.x[i] = (int32_t)x, p.offset[i] = (int32_t)offset;
    p.exists[i] = exists ? -1 : 0;
    if (i > 0 && exists && offset != previous + 1) p.contiguous = false;
    previous = offset;
  }
  return p;
}

struct tap {
  ptrdiff_t z, y, x, offset;
};

CK_INLINE struct tap tap_at(const ck_window *w, size_t index) {
  ptrdiff_t i = (ptrdiff_t)index;
  struct tap t = {
      i / w->kernel_w / w->kernel_h * w->dilation_d, i / w->kernel_w % w->kernel_h * w->dilation_h,
      i % w->kernel_w * w->dilation_w, 0};
  t.offset = (t.z * w->in_h + t.y) * w->in_w + t.x;
  return t;
}

/// The lanes whose input for this tap is inside. One unsigned comparison per axis covers both ends.
CK_INLINE vi inside_of(const ck_window *w, const struct patches *p, struct tap t) {
  return p->exists & ((vu)(p->z + (int32_t)t.z) < (uint32_t)w->in_d) &
         ((vu)(p->y + (int32_t)t.y) < (uint32_t)w->in_h) & ((vu)(p->x + (int32_t)t.x) < (uint32_t)w->in_w);
}

/// Loads the lanes of `mask` from plane[offset]. Other lanes are 0; their memory is not accessed.
CK_INLINE vf patch_load(const float *plane, const struct patches *p, ptrdiff_t offset, vi mask) {
#if defined(CK_TARGET_AVX512)
  __mmask16 m = _mm512_movepi32_mask((__m512i)mask);
  if (p->contiguous) return _mm512_maskz_loadu_ps(m, plane + offset + p->offset[0]);
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, (__m512i)p->offset, plane + offset, 4);
#elif defined(CK_TARGET_AVX2)
  if (p->contiguous) return _mm256_maskload_ps(plane + offset + p->offset[0], (__m256i)mask);
  return _mm256_mask_i32gather_ps(
      _mm256_setzero_ps(), plane + offset, (__m256i)p->offset, (__m256)mask, 4);
#else
#if defined(CK_TARGET_NEON)
  if (p->contiguous && vminvq_u32((vu)mask) != 0) return vf_load(plane + offset + p->offset[0]);
#endif
  vf v = 0;
  for (int i = 0; i < CK_W; i++) {
    if (mask[i]) v[i] = plane[offset + p->offset[i]];
  }
  return v;
#endif
}

/// Packs rows k_begin ..< k_end of one panel: element (channel, tap) of the patches at `p`.
static void fill_panel(
    const ck_window *w, const float *in, const struct patches *p, size_t taps, vi (*masks)[2], size_t k_begin,
    size_t k_end, float *panel) {
  size_t plane = (size_t)(w->in_d * w->in_h * w->in_w), channel = k_begin / taps, index = k_begin % taps;
  for (size_t l = k_begin; l < k_end; l++, panel += CK_PANEL) {
    struct tap t = tap_at(w, index);
    const float *from = in + channel * plane;
    for (int v = 0; v < 2; v++) {
      vi mask = index < MASKED_TAPS ? masks[index][v] : inside_of(w, &p[v], t);
      vf_store(panel + v * CK_W, patch_load(from, &p[v], t.offset, mask));
    }
    if (++index == taps) index = 0, channel++;
  }
}

void CK_FN(conv_gemm_f32)(
    const ck_window *w, ptrdiff_t group, const float *in, const float *packed_weights, const ck_epilogue *epilogue,
    float *out, float *scratch, size_t panel_begin, size_t panel_end) {
  size_t m = (size_t)(w->out_channels / w->groups), channels = (size_t)(w->in_channels / w->groups);
  size_t taps = (size_t)(w->kernel_d * w->kernel_h * w->kernel_w), k = channels * taps;
  size_t total = (size_t)(w->out_d * w->out_h * w->out_w), plane = (size_t)(w->in_d * w->in_h * w->in_w);
  size_t tiles = (m + CK_TILE - 1) / CK_TILE;
  struct finish f = finish_of(epilogue, CK_BIAS_ROWS);
  if (f.bias) f.bias += (size_t)group * m;
  in += (size_t)group * channels * plane;
  out += (size_t)group * m * total;
  struct patches patches[CONV_PANELS][2];
  vi masks[CONV_PANELS][MASKED_TAPS][2];
  for (size_t q0 = panel_begin; q0 < panel_end; q0 += CONV_PANELS) {
    size_t panels = at_most(panel_end - q0, CONV_PANELS);
    for (size_t q = 0; q < panels; q++) {
      for (size_t v = 0; v < 2; v++) {
        patches[q][v] = patches_at(w, (q0 + q) * CK_PANEL + v * CK_W, total);
        for (size_t i = 0; i < at_most(taps, MASKED_TAPS); i++)
          masks[q][i][v] = inside_of(w, &patches[q][v], tap_at(w, i));
      }
    }
    for (size_t l = 0; l < k; l += CK_K_BLOCK) {
      size_t depth = at_most(k - l, CK_K_BLOCK);
      const float *a = packed_weights + l * tiles * CK_TILE;
      for (size_t q = 0; q < panels; q++)
        fill_panel(w, in, patches[q], taps, masks[q], l, l + depth, scratch + q * depth * CK_PANEL);
      for (size_t t = 0; t < tiles; t++) {
        for (size_t q = 0; q < panels; q++) {
          size_t column = (q0 + q) * CK_PANEL;
          struct piece p = {
              .c = out + t * CK_TILE * total + column, .ldc = total, .row = t * CK_TILE, .column = column,
              .lanes = at_most(total - column, CK_PANEL), .accumulate = l > 0,
              .finish = l + depth == k ? &f : NULL};
          pieces[at_most(m - t * CK_TILE, CK_TILE)](
              depth, a + t * CK_TILE * depth, scratch + q * depth * CK_PANEL, &p);
        }
      }
    }
  }
}
