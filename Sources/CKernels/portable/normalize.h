// Softmax and normalizations.
#include "../vmath.h"

// Sums for mean and variance. Block totals are in double.

static double sum_of(const float *x, size_t n) {
  double total = 0;
  for (size_t begin = 0; begin < n; begin += 1024) {
    size_t end = n - begin < 1024 ? n : begin + 1024, i = begin;
    vf s[4] = {0, 0, 0, 0};
    for (; i + 4 * CK_W <= end; i += 4 * CK_W) {
#pragma clang loop unroll(full)
      for (int j = 0; j < 4; j++) s[j] += vf_load(x + i + j * CK_W);
    }
    for (; i + CK_W <= end; i += CK_W) s[0] += vf_load(x + i);
    if (i < end) s[1] += vf_load_n(x + i, end - i);
    total += (double)vf_sum((s[0] + s[1]) + (s[2] + s[3]));
  }
  return total;
}

static double squares_of(const float *x, size_t n, float center) {
  double total = 0;
  for (size_t begin = 0; begin < n; begin += 1024) {
    size_t end = n - begin < 1024 ? n : begin + 1024, i = begin;
    vf s[6] = {0, 0, 0, 0, 0, 0};
    for (; i + 6 * CK_W <= end; i += 6 * CK_W) {
#pragma clang loop unroll(full)
      for (int j = 0; j < 6; j++) {
        vf a = vf_load(x + i + j * CK_W) - center;
        s[j] = vf_fma(a, a, s[j]);
      }
    }
    for (; i + CK_W <= end; i += CK_W) {
      vf a = vf_load(x + i) - center;
      s[0] = vf_fma(a, a, s[0]);
    }
    if (i < end) {
      vf a = vf_keep_n(vf_load_n(x + i, end - i) - center, end - i, 0);
      s[1] = vf_fma(a, a, s[1]);
    }
    total += (double)vf_sum(((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]));
  }
  return total;
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

/// Normalizes `count` rows of at most 1024 columns concurrently, so that the reduction of one row overlaps with the
/// others. With `centered` it subtracts the mean.
CK_INLINE void normalize_rows(
    int count, bool centered, const float *in, const float *gamma, const float *beta, float epsilon, float *out, size_t columns) {
  vf s[4], more[4], mean[4], scale[4];
  size_t whole = columns / CK_W * CK_W, rest = columns - whole, i = 0;
  float share = 1.0f / (float)columns;
#define CK_ROWS _Pragma("clang loop unroll(full)") for (int j = 0; j < count; j++)
  CK_ROWS s[j] = more[j] = mean[j] = 0;
  if (centered) {
    for (; i + 2 * CK_W <= whole; i += 2 * CK_W) {
      CK_ROWS {
        s[j] += vf_load(in + (size_t)j * columns + i);
        more[j] += vf_load(in + (size_t)j * columns + i + CK_W);
      }
    }
    if (i < whole) CK_ROWS s[j] += vf_load(in + (size_t)j * columns + i);
    if (rest) CK_ROWS more[j] += vf_load_n(in + (size_t)j * columns + whole, rest);
    CK_ROWS s[j] += more[j];
#define CK_STEP(step) CK_ROWS s[j] += CK_FOLD_LANES(s[j], step);
    CK_EACH_FOLD(CK_STEP)
    CK_ROWS mean[j] = s[j] * share, s[j] = more[j] = 0;
  }
  for (i = 0; i + 2 * CK_W <= whole; i += 2 * CK_W) {
    CK_ROWS {
      vf a = vf_load(in + (size_t)j * columns + i) - mean[j], b = vf_load(in + (size_t)j * columns + i + CK_W) - mean[j];
      s[j] = vf_fma(a, a, s[j]), more[j] = vf_fma(b, b, more[j]);
    }
  }
  if (i < whole) {
    CK_ROWS {
      vf a = vf_load(in + (size_t)j * columns + i) - mean[j];
      s[j] = vf_fma(a, a, s[j]);
    }
  }
  if (rest) {
    CK_ROWS {
      vf a = vf_keep_n(vf_load_n(in + (size_t)j * columns + whole, rest) - mean[j], rest, 0);
      more[j] = vf_fma(a, a, more[j]);
    }
  }
  CK_ROWS s[j] += more[j];
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
  CK_ROWS scale[j] = 1.0f / vf_sqrt(vf_fma(s[j], (vf)share, (vf)epsilon));
  for (i = 0; i < columns; i += CK_W) {
    size_t lanes = columns - i < CK_W ? columns - i : CK_W;
    bool full = lanes == CK_W;
    vf g = !gamma ? (vf)1.0f : full ? vf_load(gamma + i) : vf_load_n(gamma + i, lanes);
    vf b = !beta ? (vf)0.0f : full ? vf_load(beta + i) : vf_load_n(beta + i, lanes);
    CK_ROWS {
      size_t at = (size_t)j * columns + i;
      if (full) {
        vf_store(out + at, vf_fma((vf_load(in + at) - mean[j]) * scale[j], g, b));
      } else {
        vf_store_n(out + at, vf_fma((vf_load_n(in + at, lanes) - mean[j]) * scale[j], g, b), lanes);
      }
    }
  }
#undef CK_ROWS
}

void CK_FN(layer_norm_f32)(
    const float *in, const float *gamma, const float *beta, float epsilon, float *out, size_t rows, size_t columns) {
  size_t r = 0;
  if (columns <= 1024 && columns > 0) {
    for (; r + 4 <= rows; r += 4, in += 4 * columns, out += 4 * columns)
      normalize_rows(4, true, in, gamma, beta, epsilon, out, columns);
  }
  for (; r < rows; r++, in += columns, out += columns) {
    float mean = (float)(sum_of(in, columns) / (double)columns);
    double variance = squares_of(in, columns, mean) / (double)columns;
    float scale = (float)(1.0 / sqrt(variance + (double)epsilon));
    affine_row(in, mean, scale, gamma, beta, out, columns);
  }
}

void CK_FN(rms_norm_f32)(const float *in, const float *gamma, float epsilon, float *out, size_t rows, size_t columns) {
  size_t r = 0;
  if (columns <= 1024 && columns > 0) {
    for (; r + 4 <= rows; r += 4, in += 4 * columns, out += 4 * columns)
      normalize_rows(4, false, in, gamma, NULL, epsilon, out, columns);
  }
  for (; r < rows; r++, in += columns, out += columns) {
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

/// The factor of a channel.
CK_INLINE float channel_scale(const float *variance, const float *gamma, float epsilon, size_t c) {
  double scale = gamma ? (double)gamma[c] : 1.0;
  return (float)(variance ? scale / sqrt((double)variance[c] + (double)epsilon) : scale);
}

/// Batch norm with spatial = 1: channels are in lanes, and their factors serve all rows.
CK_INLINE void norm_of_columns(
    const float *in, const float *mean, const float *variance, const float *gamma, const float *beta, float epsilon,
    float *out, size_t rows, size_t channels) {
  for (size_t c = 0; c < channels; c += CK_W) {
    size_t lanes = channels - c < CK_W ? channels - c : CK_W;
    float scales[CK_W] = {0};
    for (size_t i = 0; i < lanes; i++) scales[i] = channel_scale(variance, gamma, epsilon, c + i);
    vf scale = vf_load(scales), center = vf_load_n(mean + c, lanes);
    vf shift = beta ? vf_load_n(beta + c, lanes) : (vf)0.0f;
    if (lanes == CK_W)
      for (size_t r = 0; r < rows; r++)
        vf_store(out + r * channels + c, vf_fma(vf_load(in + r * channels + c) - center, scale, shift));
    else
      for (size_t r = 0; r < rows; r++)
        vf_store_n(out + r * channels + c, vf_fma(vf_load_n(in + r * channels + c, lanes) - center, scale, shift), lanes);
  }
}

void CK_FN(batch_norm_f32)(
    const float *in, const float *mean, const float *variance, const float *gamma, const float *beta, float epsilon,
    float *out, size_t batch, size_t channels, size_t spatial) {
  if (spatial == 1) {
    norm_of_columns(in, mean, variance, gamma, beta, epsilon, out, batch, channels);
    return;
  }
  for (size_t b = 0; b < batch; b++)
    for (size_t c = 0; c < channels; c++, in += spatial, out += spatial)
      shift_row(in, mean[c], channel_scale(variance, gamma, epsilon, c), beta ? beta[c] : 0.0f, out, spatial);
}

// Softmax.

/// scale x + mask at i, for `lanes` lanes. The other lanes are -inf.
CK_INLINE vf score(const float *x, float scale, const float *mask, size_t i, size_t lanes) {
  if (lanes == CK_W) return mask ? vf_fma(vf_load(x + i), (vf)scale, vf_load(mask + i)) : vf_load(x + i) * scale;
  vf v = vf_load_n(x + i, lanes) * scale;
  return vf_keep_n(mask ? v + vf_load_n(mask + i, lanes) : v, lanes, -INFINITY);
}

/// exp(scale x + mask - max) / sum for one row. `mask` may be NULL. A NaN makes the sum and so the whole row NaN.
CK_INLINE void softmax_row(const float *x, float scale, const float *mask, float *out, size_t n) {
  vf most[4];
  for (int j = 0; j < 4; j++) most[j] = -INFINITY;
  size_t i = 0;
  for (; i + 4 * CK_W <= n; i += 4 * CK_W) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 4; j++) most[j] = vf_above(score(x, scale, mask, i + j * CK_W, CK_W), most[j]);
  }
  for (; i < n; i += CK_W) most[0] = vf_above(score(x, scale, mask, i, n - i < CK_W ? n - i : CK_W), most[0]);
  vf greatest = vf_above(vf_above(most[0], most[1]), vf_above(most[2], most[3]));
#define CK_STEP(step) greatest = vf_above(greatest, CK_FOLD_LANES(greatest, step));
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
  float m = greatest[0];
  double total = 0;
  for (size_t begin = 0; begin < n; begin += 2048) {
    size_t end = n - begin < 2048 ? n : begin + 2048;
    vf s[4] = {0, 0, 0, 0};
    for (i = begin; i + 4 * CK_W <= end; i += 4 * CK_W) {
#pragma clang loop unroll(full)
      for (int j = 0; j < 4; j++) {
        vf e = vf_exp_below_zero(score(x, scale, mask, i + j * CK_W, CK_W) - m);
        s[j] += e;
        vf_store(out + i + j * CK_W, e);
      }
    }
    for (; i < end; i += CK_W) {
      size_t lanes = end - i < CK_W ? end - i : CK_W;
      vf e = vf_exp_below_zero(score(x, scale, mask, i, lanes) - m);
      if (lanes < CK_W) {
        s[1] += vf_keep_n(e, lanes, 0); /* NaN if all lanes are -inf */
        vf_store_n(out + i, e, lanes);
      } else {
        s[0] += e;
        vf_store(out + i, e);
      }
    }
    total += (double)vf_sum((s[0] + s[1]) + (s[2] + s[3]));
  }
  float inverse = (float)(1.0 / total);
  for (i = 0; i + CK_W <= n; i += CK_W) vf_store(out + i, vf_load(out + i) * inverse);
  if (i < n) vf_store_n(out + i, vf_load_n(out + i, n - i) * inverse, n - i);
}

/// Softmax of `count` rows no longer than a vector, interleaved so that the reductions overlap.
CK_INLINE void softmax_short_rows(const float *x, float *out, size_t n, int count) {
  vf v[4], s[4];
#pragma clang loop unroll(full)
  for (int j = 0; j < count; j++) v[j] = vf_keep_n(vf_load_n(x + (size_t)j * n, n), n, -INFINITY), s[j] = v[j];
#define CK_STEP(step)                \
  _Pragma("clang loop unroll(full)") \
  for (int j = 0; j < count; j++) s[j] = vf_max(s[j], CK_FOLD_LANES(s[j], step));
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
#pragma clang loop unroll(full)
  for (int j = 0; j < count; j++) v[j] = vf_exp_below_zero(v[j] - s[j]), s[j] = vf_keep_n(v[j], n, 0);
#define CK_STEP(step)                \
  _Pragma("clang loop unroll(full)") \
  for (int j = 0; j < count; j++) s[j] += CK_FOLD_LANES(s[j], step);
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
#pragma clang loop unroll(full)
  for (int j = 0; j < count; j++) vf_store_n(out + (size_t)j * n, v[j] / s[j], n);
}

/// Softmax of `lanes` columns (at most CK_W) of [axis, stride].
CK_INLINE void softmax_columns(const float *x, float *out, size_t axis, size_t stride, size_t lanes, bool whole) {
#define CK_LOAD(p) (whole ? vf_load(p) : vf_load_n(p, lanes))
#define CK_STORE(p, v) (whole ? vf_store(p, v) : vf_store_n(p, v, lanes))
  vf m = -INFINITY, s = 0;
  vd total = 0;
  for (size_t a = 0; a < axis; a++) {
    vf v = CK_LOAD(x + a * stride);
    m = v > m ? v : m;  // ignores NaN, as in a row
  }
  for (size_t a = 0; a < axis; a++) {
    vf e = vf_exp_below_zero(CK_LOAD(x + a * stride) - m);
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
  size_t o = 0;
  if (inner == 1 && axis <= CK_W) {
    for (; o + 4 <= outer; o += 4, in += 4 * axis, out += 4 * axis) softmax_short_rows(in, out, axis, 4);
    for (; o < outer; o++, in += axis, out += axis) softmax_short_rows(in, out, axis, 1);
  }
  for (; o < outer; o++, in += axis * inner, out += axis * inner) {
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

// Local response normalization.

/// d^-beta for positive d. Common exponents use square roots.
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
