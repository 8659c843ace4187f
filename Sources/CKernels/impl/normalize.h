// Softmax and normalisations.
#include "../vmath.h"

// Moments of a run of values, in double where it counts.

static double sum_of(const float *x, size_t n) {
  vd total = 0;
  for (size_t begin = 0; begin < n; begin += 1024) {
    size_t end = n - begin < 1024 ? n : begin + 1024, i = begin;
    vf s0 = 0, s1 = 0;
    for (; i + 2 * CK_W <= end; i += 2 * CK_W) s0 += vf_load(x + i), s1 += vf_load(x + i + CK_W);
    for (; i + CK_W <= end; i += CK_W) s0 += vf_load(x + i);
    if (i < end) s1 += vf_load_n(x + i, end - i);
    total += vd_of(s0 + s1);
  }
  return vd_sum(total);
}

/// Sum of (x - center)^2.
static double squares_of(const float *x, size_t n, float center) {
  vd total = 0;
  for (size_t begin = 0; begin < n; begin += 1024) {
    size_t end = n - begin < 1024 ? n : begin + 1024, i = begin;
    vf s0 = 0, s1 = 0;
    for (; i + 2 * CK_W <= end; i += 2 * CK_W) {
      vf a = vf_load(x + i) - center, b = vf_load(x + i + CK_W) - center;
      s0 = vf_fma(a, a, s0), s1 = vf_fma(b, b, s1);
    }
    for (; i + CK_W <= end; i += CK_W) {
      vf a = vf_load(x + i) - center;
      s0 = vf_fma(a, a, s0);
    }
    if (i < end) {
      vf a = vf_keep_n(vf_load_n(x + i, end - i) - center, end - i, 0);
      s1 = vf_fma(a, a, s1);
    }
    total += vd_of(s0 + s1);
  }
  return vd_sum(total);
}

/// out = (x - center) * scale * gamma + beta; NULL gamma is 1, NULL beta 0.
CK_INLINE void affine_row(
    const float *x, float center, float scale, const float *gamma, const float *beta, float *out, size_t n) {
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) {
    vf v = (vf_load(x + i) - center) * scale;
    if (gamma) v *= vf_load(gamma + i);
    if (beta) v += vf_load(beta + i);
    vf_store(out + i, v);
  }
  if (i < n) {
    vf v = (vf_load_n(x + i, n - i) - center) * scale;
    if (gamma) v *= vf_load_n(gamma + i, n - i);
    if (beta) v += vf_load_n(beta + i, n - i);
    vf_store_n(out + i, v, n - i);
  }
}

/// out = (x - center) * scale + shift.
static void shift_row(const float *x, float center, float scale, float shift, float *out, size_t n) {
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) vf_store(out + i, vf_fma(vf_load(x + i) - center, (vf)scale, (vf)shift));
  if (i < n) vf_store_n(out + i, vf_fma(vf_load_n(x + i, n - i) - center, (vf)scale, (vf)shift), n - i);
}

void CK_FN(layer_norm_f32)(
    const float *in, const float *gamma, const float *beta, float epsilon, float *out, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, in += columns, out += columns) {
    float mean = (float)(sum_of(in, columns) / (double)columns);
    double variance = squares_of(in, columns, mean) / (double)columns;
    float scale = (float)(1.0 / sqrt(variance + (double)epsilon));
    affine_row(in, mean, scale, gamma, beta, out, columns);
  }
}

void CK_FN(rms_norm_f32)(const float *in, const float *gamma, float epsilon, float *out, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, in += columns, out += columns) {
    double mean_square = squares_of(in, columns, 0) / (double)columns;
    affine_row(in, 0, (float)(1.0 / sqrt(mean_square + (double)epsilon)), gamma, NULL, out, columns);
  }
}

void CK_FN(l2_norm_f32)(const float *in, float epsilon, float *out, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, in += columns, out += columns) {
    float scale = (float)(1.0 / sqrt(squares_of(in, columns, 0) + (double)epsilon));
    affine_row(in, 0, scale, NULL, NULL, out, columns);
  }
}

void CK_FN(group_norm_f32)(
    const float *in, const float *gamma, const float *beta, float epsilon, float *out, size_t batch, size_t channels,
    size_t groups, size_t spatial) {
  if (groups == 0) return;
  size_t members = channels / groups, n = members * spatial;
  for (size_t b = 0; b < batch; b++) {
    for (size_t g = 0; g < groups; g++, in += n, out += n) {
      float mean = (float)(sum_of(in, n) / (double)n);
      float scale = (float)(1.0 / sqrt(squares_of(in, n, mean) / (double)n + (double)epsilon));
      for (size_t m = 0; m < members; m++) {
        size_t c = g * members + m;
        shift_row(
            in + m * spatial, mean, gamma ? scale * gamma[c] : scale, beta ? beta[c] : 0.0f, out + m * spatial, spatial);
      }
    }
  }
}

void CK_FN(batch_norm_f32)(
    const float *in, const float *mean, const float *variance, const float *gamma, const float *beta, float epsilon,
    float *out, size_t batch, size_t channels, size_t spatial) {
  for (size_t b = 0; b < batch; b++) {
    for (size_t c = 0; c < channels; c++, in += spatial, out += spatial) {
      double scale = (gamma ? (double)gamma[c] : 1.0) / sqrt((double)variance[c] + (double)epsilon);
      shift_row(in, mean[c], (float)scale, beta ? beta[c] : 0.0f, out, spatial);
    }
  }
}

// Softmax.

/// exp(scale x + mask - max) / sum for one row; `mask` may be NULL.
CK_INLINE void softmax_row(const float *x, float scale, const float *mask, float *out, size_t n) {
  vf m0 = -INFINITY, m1 = -INFINITY;  // these ignore NaN: its exponential makes the sum NaN, and so the row
  size_t i = 0;
#define CK_SCORE(load) ((load(x + i CK_REST)) * scale + (mask ? load(mask + i CK_REST) : (vf)0.0f))
#define CK_REST
  for (; i + 2 * CK_W <= n; i += CK_W) {
    vf v = CK_SCORE(vf_load);
    m0 = v > m0 ? v : m0;
    i += CK_W;
    vf w = CK_SCORE(vf_load);
    m1 = w > m1 ? w : m1;
  }
  if (i + CK_W <= n) {
    vf v = CK_SCORE(vf_load);
    m0 = v > m0 ? v : m0;
    i += CK_W;
  }
#undef CK_REST
#define CK_REST , n - i
  if (i < n) {
    vf v = vf_keep_n(CK_SCORE(vf_load_n), n - i, -INFINITY);
    m1 = v > m1 ? v : m1;
  }
#undef CK_REST
  float m = vf_max_lane(m0 > m1 ? m0 : m1);
  vf s = 0;
  vd total = 0;
  i = 0;
#define CK_REST
  for (; i + CK_W <= n; i += CK_W) {
    vf e = vf_exp(CK_SCORE(vf_load) - m);
    s += e;
    vf_store(out + i, e);
    if ((i & 1023) == 1024 - CK_W) total += vd_of(s), s = 0;
  }
#undef CK_REST
#define CK_REST , n - i
  if (i < n) {
    vf e = vf_exp(CK_SCORE(vf_load_n) - m);
    s += vf_keep_n(e, n - i, 0);
    vf_store_n(out + i, e, n - i);
  }
#undef CK_REST
#undef CK_SCORE
  float inverse = (float)(1.0 / vd_sum(total + vd_of(s)));
  for (i = 0; i + CK_W <= n; i += CK_W) vf_store(out + i, vf_load(out + i) * inverse);
  if (i < n) vf_store_n(out + i, vf_load_n(out + i, n - i) * inverse, n - i);
}

/// `lanes` columns (at most CK_W) of [axis, stride].
CK_INLINE void softmax_columns(const float *x, float *out, size_t axis, size_t stride, size_t lanes, bool whole) {
#define CK_LOAD(p) (whole ? vf_load(p) : vf_load_n(p, lanes))
#define CK_STORE(p, v) (whole ? vf_store(p, v) : vf_store_n(p, v, lanes))
  vf m = -INFINITY, s = 0;
  vd total = 0;
  for (size_t a = 0; a < axis; a++) {
    vf v = CK_LOAD(x + a * stride);
    m = v > m ? v : m;  // NaN as in a row
  }
  for (size_t a = 0; a < axis; a++) {
    vf e = vf_exp(CK_LOAD(x + a * stride) - m);
    s += e;
    CK_STORE(out + a * stride, e);
    if ((a & 63) == 63) total += vd_of(s), s = 0;
  }
  vf inverse = vf_of_vd(1.0 / (total + vd_of(s)));
  for (size_t a = 0; a < axis; a++) CK_STORE(out + a * stride, CK_LOAD(out + a * stride) * inverse);
#undef CK_LOAD
#undef CK_STORE
}

void CK_FN(softmax_f32)(const float *in, float *out, size_t outer, size_t axis, size_t inner) {
  for (size_t o = 0; o < outer; o++, in += axis * inner, out += axis * inner) {
    if (inner == 1) {
      softmax_row(in, 1.0f, NULL, out, axis);
      continue;
    }
    size_t i = 0;
    for (; i + CK_W <= inner; i += CK_W) softmax_columns(in + i, out + i, axis, inner, CK_W, true);
    if (i < inner) softmax_columns(in + i, out + i, axis, inner, inner - i, false);
  }
}

void CK_FN(softmax_scaled_f32)(
    const float *in, float scale, const float *mask, float *out, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; r++, in += columns, out += columns) {
    if (mask) {
      softmax_row(in, scale, mask, out, columns);
    } else {
      softmax_row(in, scale, NULL, out, columns);
    }
  }
}

// Local response normalisation.

/// d^-beta for positive d, the usual exponents by square roots.
CK_INLINE vf inverse_power(vf d, float beta) {
  if (beta == 0.75f) {
    vf r = vf_sqrt(d);
    return 1.0f / (r * vf_sqrt(r));
  }
  if (beta == 0.5f) return 1.0f / vf_sqrt(d);
  if (beta == 1.0f) return 1.0f / d;
  return vf_pow(d, (vf)-beta);
}

void CK_FN(local_response_norm_f32)(
    const float *in, size_t size, float alpha, float beta, float k, float *out, size_t batch, size_t channels,
    size_t spatial) {
  float a = size == 0 ? 0.0f : alpha / (float)size;
  size_t below = size / 2, above = size == 0 ? 0 : (size - 1) / 2;
  for (size_t b = 0; b < batch; b++, in += channels * spatial, out += channels * spatial) {
    for (size_t c = 0; c < channels; c++) {
      size_t begin = c < below ? 0 : c - below, end = channels - c > above ? c + above + 1 : channels;
      for (size_t i = 0; i < spatial; i += CK_W) {
        size_t lanes = spatial - i < CK_W ? spatial - i : CK_W;
        vf s = 0;
        for (size_t j = begin; j < end; j++) {
          const float *p = in + j * spatial + i;
          vf x = lanes < CK_W ? vf_load_n(p, lanes) : vf_load(p);
          s = vf_fma(x, x, s);
        }
        const float *p = in + c * spatial + i;
        vf x = lanes < CK_W ? vf_load_n(p, lanes) : vf_load(p);
        vf y = x * inverse_power(vf_fma(s, (vf)a, (vf)k), beta);
        if (lanes < CK_W) {
          vf_store_n(out + c * spatial + i, y, lanes);
        } else {
          vf_store(out + c * spatial + i, y);
        }
      }
    }
  }
}
