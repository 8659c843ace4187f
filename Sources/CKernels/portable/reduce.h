// Reductions of [outer, axis, inner]. Rows (inner = 1) are reduced along memory. Otherwise tiles of columns run down
// the axis.
#include <float.h>

#include "../vmath.h"

enum {
  ROW_BLOCK = 2048,   // values summed in float before the sum is added to the double total
  COLUMN_BLOCK = 64,  // as ROW_BLOCK, down a column
};

CK_INLINE vf map_plain(vf x) { return x; }
CK_INLINE vf map_abs(vf x) { return vf_abs(x); }
CK_INLINE vf map_square(vf x) { return x * x; }

#define CK_SUM(map)                                                                                                   \
  CK_INLINE double sum_row_##map(const float *x, size_t n) {                                                          \
    vd total = 0;                                                                                                     \
    for (size_t begin = 0; begin < n; begin += ROW_BLOCK) {                                                           \
      size_t end = n - begin < ROW_BLOCK ? n : begin + ROW_BLOCK, i = begin;                                          \
      vf s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                                              \
      for (; i + 4 * CK_W <= end; i += 4 * CK_W) {                                                                    \
        s0 += map_##map(vf_load(x + i));                                                                              \
        s1 += map_##map(vf_load(x + i + CK_W));                                                                       \
        s2 += map_##map(vf_load(x + i + 2 * CK_W));                                                                   \
        s3 += map_##map(vf_load(x + i + 3 * CK_W));                                                                   \
      }                                                                                                               \
      for (; i + CK_W <= end; i += CK_W) s0 += map_##map(vf_load(x + i));                                             \
      if (i < end) s1 += map_##map(vf_load_n(x + i, end - i));                                                        \
      total += vd_of((s0 + s1) + (s2 + s3));                                                                          \
    }                                                                                                                 \
    return vd_sum(total);                                                                                             \
  }                                                                                                                   \
  /* V vectors of columns; the last one has `lanes` lanes if that is below CK_W. */                                   \
  CK_INLINE void sum_columns_##map(                                                                                   \
      const float *x, size_t axis, size_t stride, int V, size_t lanes, vd *total) {                                   \
    for (int v = 0; v < V; v++) total[v] = 0;                                                                         \
    for (size_t begin = 0; begin < axis; begin += COLUMN_BLOCK) {                                                     \
      size_t end = axis - begin < COLUMN_BLOCK ? axis : begin + COLUMN_BLOCK;                                         \
      vf s[4] = {0, 0, 0, 0};                                                                                         \
      for (size_t a = begin; a < end; a++) {                                                                          \
        const float *p = x + a * stride;                                                                              \
        for (int v = 0; v < V; v++)                                                                                   \
          s[v] += map_##map(lanes < CK_W ? vf_load_n(p + v * CK_W, lanes) : vf_load(p + v * CK_W));                   \
      }                                                                                                               \
      for (int v = 0; v < V; v++) total[v] += vd_of(s[v]);                                                            \
    }                                                                                                                 \
  }
CK_SUM(plain)
CK_SUM(abs)
CK_SUM(square)

#define CK_FOLD(name, combine, neutral)                                                                               \
  CK_INLINE vf fold_row_##name(const float *x, size_t n) {                                                            \
    vf s0 = neutral, s1 = s0, s2 = s0, s3 = s0;                                                                       \
    size_t i = 0;                                                                                                     \
    for (; i + 4 * CK_W <= n; i += 4 * CK_W) {                                                                        \
      s0 = combine(s0, vf_load(x + i));                                                                               \
      s1 = combine(s1, vf_load(x + i + CK_W));                                                                        \
      s2 = combine(s2, vf_load(x + i + 2 * CK_W));                                                                    \
      s3 = combine(s3, vf_load(x + i + 3 * CK_W));                                                                    \
    }                                                                                                                 \
    for (; i + CK_W <= n; i += CK_W) s0 = combine(s0, vf_load(x + i));                                                \
    if (i < n) s1 = combine(s1, vf_keep_n(vf_load_n(x + i, n - i), n - i, neutral));                                  \
    return combine(combine(s0, s1), combine(s2, s3));                                                                 \
  }                                                                                                                   \
  CK_INLINE vf fold_column_##name(const float *x, size_t axis, size_t stride, size_t lanes) {                         \
    vf s = neutral;                                                                                                   \
    for (size_t a = 0; a < axis; a++)                                                                                 \
      s = combine(s, lanes < CK_W ? vf_load_n(x + a * stride, lanes) : vf_load(x + a * stride));                      \
    return s;                                                                                                         \
  }
CK_INLINE vf combine_mul(vf a, vf b) { return a * b; }
CK_FOLD(max, vf_max, -INFINITY)
CK_FOLD(min, vf_min, INFINITY)
CK_FOLD(prod, combine_mul, 1.0f)

static float max_row(const float *x, size_t n) { return vf_max_lane(fold_row_max(x, n)); }

static float prod_lanes(vf v) {
  float p = v[0];
  for (int i = 1; i < CK_W; i++) p *= v[i];
  return p;
}

static float log_sum_exp_row(const float *x, size_t n) {
  float m = max_row(x, n);
  if (!(m - m == 0)) return m;  // infinite or NaN
  vd total = 0;
  size_t i = 0;
  for (; i + CK_W <= n; i += CK_W) total += vd_of(vf_exp_below_zero(vf_load(x + i) - m));
  if (i < n) total += vd_of(vf_keep_n(vf_exp_below_zero(vf_load_n(x + i, n - i) - m), n - i, 0));
  return m + (float)log(vd_sum(total));
}

static float reduce_row(ck_reduce_op op, const float *x, size_t n) {
  switch (op) {
    case CK_REDUCE_SUM: return (float)sum_row_plain(x, n);
    case CK_REDUCE_MEAN: return (float)(sum_row_plain(x, n) / (double)n);
    case CK_REDUCE_MAX: return max_row(x, n);
    case CK_REDUCE_MIN: return -vf_max_lane(-fold_row_min(x, n));
    case CK_REDUCE_PROD: return prod_lanes(fold_row_prod(x, n));
    case CK_REDUCE_L1: return (float)sum_row_abs(x, n);
    case CK_REDUCE_L2: return (float)sqrt(sum_row_square(x, n));
    case CK_REDUCE_SUM_SQUARE: return (float)sum_row_square(x, n);
    case CK_REDUCE_LOG_SUM: return (float)log(sum_row_plain(x, n));
    default: return log_sum_exp_row(x, n);
  }
}

CK_INLINE void store_total(ck_reduce_op op, vd total, size_t axis, float *out, size_t lanes) {
  if (op == CK_REDUCE_MEAN) total /= (double)axis;
  if (op == CK_REDUCE_L2) total = __builtin_elementwise_sqrt(total);
  vf y = vf_of_vd(total);
  if (op == CK_REDUCE_LOG_SUM) y = vf_log(y);
  if (lanes < CK_W) {
    vf_store_n(out, y, lanes);
  } else {
    vf_store(out, y);
  }
}

CK_INLINE void reduce_tile(
    ck_reduce_op op, const float *x, size_t axis, size_t stride, int V, size_t lanes, float *out) {
  vd total[4];
  switch (op) {
    case CK_REDUCE_SUM:
    case CK_REDUCE_MEAN:
    case CK_REDUCE_LOG_SUM: sum_columns_plain(x, axis, stride, V, lanes, total); break;
    case CK_REDUCE_L1: sum_columns_abs(x, axis, stride, V, lanes, total); break;
    case CK_REDUCE_L2:
    case CK_REDUCE_SUM_SQUARE: sum_columns_square(x, axis, stride, V, lanes, total); break;
    default:
      for (int v = 0; v < V; v++) {
        const float *p = x + v * CK_W;
        vf y;
        if (op == CK_REDUCE_MAX) {
          y = fold_column_max(p, axis, stride, lanes);
        } else if (op == CK_REDUCE_MIN) {
          y = fold_column_min(p, axis, stride, lanes);
        } else if (op == CK_REDUCE_PROD) {
          y = fold_column_prod(p, axis, stride, lanes);
        } else {
          vf m = fold_column_max(p, axis, stride, lanes);
          vd sum = 0;
          for (size_t a = 0; a < axis; a++) {
            vf e = lanes < CK_W ? vf_load_n(p + a * stride, lanes) : vf_load(p + a * stride);
            sum += vd_of(vf_exp_below_zero(e - m));
          }
          y = (m - m) == 0.0f ? m + vf_log(vf_of_vd(sum)) : m;
        }
        vf_store_n(out + v * CK_W, y, lanes < CK_W ? lanes : CK_W);
      }
      return;
  }
  for (int v = 0; v < V; v++) store_total(op, total[v], axis, out + v * CK_W, lanes);
}

void CK_FN(reduce_f32)(ck_reduce_op op, const float *in, float *out, size_t outer, size_t axis, size_t inner) {
  if (inner == 1) {
    for (size_t o = 0; o < outer; o++) out[o] = reduce_row(op, in + o * axis, axis);
    return;
  }
  for (size_t o = 0; o < outer; o++, in += axis * inner, out += inner) {
    size_t i = 0;
    for (; i + 4 * CK_W <= inner; i += 4 * CK_W) reduce_tile(op, in + i, axis, inner, 4, CK_W, out + i);
    for (; i + CK_W <= inner; i += CK_W) reduce_tile(op, in + i, axis, inner, 1, CK_W, out + i);
    if (i < inner) reduce_tile(op, in + i, axis, inner, 1, inner - i, out + i);
  }
}

// arg max and arg min. A NaN beats every number. The first of equal values wins.

CK_INLINE vi arg_better(bool max, vf x, vf best) {
  return (max ? x > best : x < best) | ((x != x) & (best == best));
}
CK_INLINE bool arg_better_scalar(bool max, float x, float best) {
  return (max ? x > best : x < best) || (x != x && best == best);
}

CK_INLINE int32_t arg_row(bool max, const float *x, size_t n) {
  size_t i = 1;
  float value = x[0];
  int32_t position = 0;
  if (n >= 2 * CK_W) {
    vf best = vf_load(x);
    vi where = vi_lanes(), now = where;
    for (i = CK_W; i + CK_W <= n; i += CK_W) {
      now += CK_W;
      vf v = vf_load(x + i);
      vi better = arg_better(max, v, best);
      best = better ? v : best;
      where = better ? now : where;
    }
    value = best[0], position = where[0];
    for (int l = 1; l < CK_W; l++) {
      bool better = arg_better_scalar(max, best[l], value);
      bool tie = best[l] == value || (best[l] != best[l] && value != value);
      if (better || (tie && where[l] < position)) value = best[l], position = where[l];
    }
  }
  for (; i < n; i++) {
    if (arg_better_scalar(max, x[i], value)) value = x[i], position = (int32_t)i;
  }
  return position;
}

CK_INLINE void arg_columns(bool max, const float *x, int32_t *out, size_t axis, size_t inner) {
  for (size_t i = 0; i < inner; i += CK_W) {
    size_t lanes = inner - i < CK_W ? inner - i : CK_W;
    vf best = lanes < CK_W ? vf_load_n(x + i, lanes) : vf_load(x + i);
    vi where = 0;
    for (size_t a = 1; a < axis; a++) {
      const float *p = x + a * inner + i;
      vf v = lanes < CK_W ? vf_load_n(p, lanes) : vf_load(p);
      vi better = arg_better(max, v, best);
      best = better ? v : best;
      where = better ? (vi)(int32_t)a : where;
    }
    if (lanes < CK_W) {
      vi_store_n(out + i, where, lanes);
    } else {
      vi_store(out + i, where);
    }
  }
}

void CK_FN(reduce_arg_f32)(ck_arg_op op, const float *in, int32_t *out, size_t outer, size_t axis, size_t inner) {
  for (size_t o = 0; o < outer; o++, in += axis * inner, out += inner) {
    if (inner == 1) {
      *out = op == CK_ARG_MAX ? arg_row(true, in, axis) : arg_row(false, in, axis);
    } else if (op == CK_ARG_MAX) {
      arg_columns(true, in, out, axis, inner);
    } else {
      arg_columns(false, in, out, axis, inner);
    }
  }
}

// int32: plain loops that the compiler vectorizes.

#define CK_REDUCE_I32(first, step)                                                                                    \
  for (size_t o = 0; o < outer; o++, in += axis * inner, out += inner) {                                              \
    if (inner == 1) {                                                                                                 \
      uint32_t r = (uint32_t)(first);                                                                                 \
      for (size_t a = 0; a < axis; a++) {                                                                             \
        int32_t x = in[a];                                                                                            \
        r = (uint32_t)(step);                                                                                         \
      }                                                                                                               \
      *out = (int32_t)r;                                                                                              \
      continue;                                                                                                       \
    }                                                                                                                 \
    for (size_t i = 0; i < inner; i++) out[i] = (int32_t)(first);                                                     \
    for (size_t a = 0; a < axis; a++) {                                                                               \
      const int32_t *restrict p = in + a * inner;                                                                     \
      for (size_t i = 0; i < inner; i++) {                                                                            \
        int32_t x = p[i];                                                                                             \
        uint32_t r = (uint32_t)out[i];                                                                                \
        out[i] = (int32_t)(step);                                                                                     \
      }                                                                                                               \
    }                                                                                                                 \
  }                                                                                                                   \
  return true

bool CK_FN(reduce_i32)(
    ck_reduce_op op, const int32_t *in, int32_t *restrict out, size_t outer, size_t axis, size_t inner) {
  switch (op) {
    case CK_REDUCE_SUM: CK_REDUCE_I32(0, r + (uint32_t)x);
    case CK_REDUCE_MAX: CK_REDUCE_I32(INT32_MIN, x > (int32_t)r ? (uint32_t)x : r);
    case CK_REDUCE_MIN: CK_REDUCE_I32(INT32_MAX, x < (int32_t)r ? (uint32_t)x : r);
    case CK_REDUCE_PROD: CK_REDUCE_I32(1, r * (uint32_t)x);
    case CK_REDUCE_L1: CK_REDUCE_I32(0, r + (x < 0 ? 0u - (uint32_t)x : (uint32_t)x));
    case CK_REDUCE_SUM_SQUARE: CK_REDUCE_I32(0, r + (uint32_t)x * (uint32_t)x);
    case CK_REDUCE_MEAN:
      for (size_t o = 0; o < outer; o++) {
        for (size_t i = 0; i < inner; i++) {
          int64_t sum = 0;
          for (size_t a = 0; a < axis; a++) sum += in[(o * axis + a) * inner + i];
          out[o * inner + i] = axis == 0 ? 0 : (int32_t)(sum / (int64_t)axis);
        }
      }
      return true;
    default: return false;
  }
}

void CK_FN(reduce_arg_i32)(ck_arg_op op, const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner) {
  for (size_t o = 0; o < outer; o++) {
    for (size_t i = 0; i < inner; i++) {
      const int32_t *x = in + o * axis * inner + i;
      int32_t best = x[0], position = 0;
      for (size_t a = 1; a < axis; a++) {
        int32_t v = x[a * inner];
        if (op == CK_ARG_MAX ? v > best : v < best) best = v, position = (int32_t)a;
      }
      out[o * inner + i] = position;
    }
  }
}
