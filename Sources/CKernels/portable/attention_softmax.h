// The softmax of attention: masks, exponentials, and the final division by their sums.
#pragma once
#include "../vmath.h"
#include "attention_strip.h"
#if defined(CK_TARGET_AVX512BF16)
#include "../x86/bf16_dot.h"
#endif

/// exp(x) for x at most zero. Returns 0 where the result would be subnormal: masks of -100 cause such results, and some
/// processors multiply subnormals slowly.
CK_INLINE vf exp_below_zero(vf x) {
#if defined(CK_TARGET_AVX512)
  // 2^t for t = n + f, n an integer, f in 0 ..< 1. The scale instruction takes n from t itself.
  vf t = x * 1.44269504f, f = _mm512_reduce_ps(t, _MM_FROUND_TO_NEG_INF);
  vf q = vf_fma(f, 0.00186714528f, 0.00901699347f);
  q = vf_fma(q, f, 0.0557999454f);
  q = vf_fma(q, f, 0.240164438f);
  q = vf_fma(q, f, 0.693151313f);
  q = vf_fma(q, f, 1.0f);
  return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(t, (vf)-126.0f, _CMP_NLT_UQ), q, t);
#else
  vi n;
  vf r = vf_exp_reduce(vf_above((vf)-87.0f, x), &n);
  vf e = (1.0f + (r + vf_exp_tail(r))) * vf_pow2i(n);
  return x < -87.0f ? (vf)0.0f : e;
#endif
}

/// exp(x) for x at most zero, as accurate as the attention weights need.
CK_INLINE vf share_of(vf x) {
#if defined(CK_TARGET_AVX512BF16)
  // Error 7.5e-5, before rounding to bf16 adds 2e-3. 2^t for t = n + f, as in exp_below_zero.
  vf t = x * 1.44269504f, f = _mm512_reduce_ps(t, _MM_FROUND_TO_NEG_INF);
  vf q = vf_fma(f, 0.0780245215f, 0.226067156f);
  q = vf_fma(q, f, 0.695833564f);
  q = vf_fma(q, f, 0.999925196f);
  return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(t, (vf)-126.0f, _CMP_NLT_UQ), q, t);
#else
  return exp_below_zero(x);
#endif
}

CK_INLINE float greatest_lane(vf v) {
#define CK_STEP(step) v = vf_above(v, CK_FOLD_LANES(v, step));
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
  return v[0];
}

/// Applies a mask to scores.
CK_INLINE vf masked(vf v, vf mask, bool replaces) { return replaces ? (mask != mask ? v : mask) : v + mask; }

/// Applies the masks to one query's scores of `keys` keys from `key` on. Padding lanes of the last block become -inf.
static void mask_scores(
    const ck_score_mask *masks, size_t mask_count, size_t query, size_t key, float *scores, size_t step, size_t keys) {
  for (size_t k = 0; k < keys; k += CK_W, scores += step) {
    size_t lanes = keys - k < CK_W ? keys - k : CK_W;
    vf v = vf_load(scores);
    for (size_t m = 0; m < mask_count; m++) {
      const float *line = masks[m].numbers + (ptrdiff_t)query * masks[m].row + key + k;
      v = masked(v, lanes == CK_W ? vf_load(line) : vf_load_n(line, lanes), masks[m].replaces);
    }
    vf_store(scores, lanes == CK_W ? v : vf_keep_n(v, lanes, -INFINITY));
  }
}

/// Stores the attention weights of blocks b and b + 1; as bf16 pairs they take one block.
CK_INLINE void store_shares(vf e, vf f, float *scores, size_t step, size_t b) {
#if defined(CK_TARGET_AVX512BF16)
  vf_store(scores + b / 2 * step, pairs_of(e, f));
#else
  vf_store(scores + b * step, e);
  vf_store(scores + (b + 1) * step, f);
#endif
}

/// Stores those of a last block, b, that has no partner.
CK_INLINE void store_last_share(vf e, float *scores, size_t step, size_t b) {
#if defined(CK_TARGET_AVX512BF16)
  vf_store(scores + b / 2 * step, pairs_of(e, (vf)0.0f));
#else
  vf_store(scores + b * step, e);
#endif
}

/// Replaces one query's scores by their exponentials relative to the running maximum `most`, which it updates. Scales
/// `sums` and `results` to a new maximum. NaN is ignored by the maximum but reaches the sum. bf16 pairs take half as
/// many blocks.
CK_INLINE void soften(
    float *scores, size_t step, size_t blocks, float *most, float *sums, float *results, size_t result_step, size_t wide) {
  vf high = vf_load(scores), other = high;
  size_t b = 1;
  for (; b + 2 <= blocks; b += 2) {
    high = vf_above(vf_load(scores + b * step), high);
    other = vf_above(vf_load(scores + (b + 1) * step), other);
  }
  if (b < blocks) high = vf_above(vf_load(scores + b * step), high);
  float old = *most, now = greatest_lane(vf_above(vf_above(high, other), (vf)old));
  // All scores so far are -inf: subtract nothing. All exponentials are then 0.
  float base = now == -INFINITY ? 0 : now;
  vf sum = vf_load(sums), more = 0;
  if (now > old) {
    *most = now;
    vf factor = exp_below_zero((vf)(old - base));
    sum *= factor;
    for (size_t w = 0; w < wide; w++) vf_store(results + w * result_step, vf_load(results + w * result_step) * factor);
  }
  for (b = 0; b + 2 <= blocks; b += 2) {
    vf e = share_of(vf_load(scores + b * step) - base), f = share_of(vf_load(scores + (b + 1) * step) - base);
    store_shares(e, f, scores, step, b);
    sum += e, more += f;
  }
  if (b < blocks) {
    vf e = share_of(vf_load(scores + b * step) - base);
    store_last_share(e, scores, step, b);
    sum += e;
  }
  vf_store(sums, sum + more);
}

/// Divides finished rows by their sums. A sum is zero if all scores are -inf; the result is then NaN, as the softmax
/// formula gives.
CK_INLINE void finish_rows(
    const ck_attention *a, const float *results, size_t room, const float *sums, float *out, size_t count) {
  size_t wide = blocks_of(a->width);
  for (size_t q = 0; q < count; q++, out += a->out.row) {
    float share = 1.0f / vf_sum(vf_load(sums + q * CK_W));
    for (size_t b = 0; b < wide; b++) {
      size_t lanes = a->width - b * CK_W < CK_W ? a->width - b * CK_W : CK_W;
      vf v = vf_load(results + (b * room + q) * CK_W) * share;
      float *to = out + (ptrdiff_t)(b * CK_W) * a->out.column;
      if (a->out.column == 1) {
        vf_store_n(to, v, lanes);
      } else {
        for (size_t i = 0; i < lanes; i++) to[(ptrdiff_t)i * a->out.column] = v[i];
      }
    }
  }
}

