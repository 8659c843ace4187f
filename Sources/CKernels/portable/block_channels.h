// Operations on NCHWc tensors that treat all positions of a channel alike: binary operations with a value per channel,
// affine transforms, and reductions over positions. Also resampling of positions.
#include "../window.h"

CK_INLINE vf channel_op(ck_binary_op op, vf a, vf b) {
  switch (op) {
    case CK_BINARY_ADD: return a + b;
    case CK_BINARY_SUB: return a - b;
    case CK_BINARY_MUL: return a * b;
    case CK_BINARY_DIV: return a / b;
    case CK_BINARY_MAX: return vf_max(a, b);
    default: return vf_min(a, b);
  }
}

CK_INLINE void channel_line(
    ck_binary_op op, bool vector_first, const float *in, vf v, vf keep, bool clears, float *out, size_t area) {
  for (size_t i = 0; i < area; i++, in += CK_W, out += CK_W) {
    vf x = vf_load(in), y = vector_first ? channel_op(op, v, x) : channel_op(op, x, v);
    if (clears) y = keep != 0.0f ? y : (vf)0.0f;
    vf_store(out, y);
  }
}

void CK_FN(block_channels_binary_f32)(
    ck_binary_op op, bool vector_first, const float *in, const float *vector, float *out, size_t channels, size_t area,
    size_t block_begin, size_t block_end) {
  for (size_t block = block_begin; block < block_end; block++) {
    size_t lanes = channels - block * CK_W < CK_W ? channels - block * CK_W : CK_W, place = block * area * CK_W;
    vf v = vf_load_n(vector + block * CK_W, lanes), keep = vf_keep_n((vf)1.0f, lanes, 0);
    bool clears = lanes < CK_W;
#define CK_CHANNEL_CASE(OP)                                                                                  \
  case OP:                                                                                                   \
    if (vector_first) {                                                                                      \
      channel_line(OP, true, in + place, v, keep, clears, out + place, area);                                \
    } else {                                                                                                 \
      channel_line(OP, false, in + place, v, keep, clears, out + place, area);                               \
    }                                                                                                        \
    break;
    switch (op) {
      CK_CHANNEL_CASE(CK_BINARY_ADD)
      CK_CHANNEL_CASE(CK_BINARY_SUB)
      CK_CHANNEL_CASE(CK_BINARY_MUL)
      CK_CHANNEL_CASE(CK_BINARY_DIV)
      CK_CHANNEL_CASE(CK_BINARY_MAX)
      CK_CHANNEL_CASE(CK_BINARY_MIN)
      default: break;
    }
  }
}

void CK_FN(block_reduce_f32)(
    bool greatest, const float *in, float *out, size_t channels, size_t area, size_t block_begin, size_t block_end) {
  for (size_t block = block_begin; block < block_end; block++) {
    size_t lanes = channels - block * CK_W < CK_W ? channels - block * CK_W : CK_W, i = 0;
    const float *p = in + block * area * CK_W;
    vf a[4];
    for (int j = 0; j < 4; j++) a[j] = greatest ? -INFINITY : 0;
    for (; i + 4 <= area; i += 4, p += 4 * CK_W) {
#pragma clang loop unroll(full)
      for (int j = 0; j < 4; j++) {
        vf v = vf_load(p + j * CK_W);
        a[j] = greatest ? vf_max(v, a[j]) : a[j] + v;
      }
    }
    for (; i < area; i++, p += CK_W) a[0] = greatest ? vf_max(vf_load(p), a[0]) : a[0] + vf_load(p);
    vf all = greatest ? vf_max(vf_max(a[0], a[1]), vf_max(a[2], a[3])) : ((a[0] + a[1]) + (a[2] + a[3])) / (float)area;
    vf_store_n(out + block * CK_W, all, lanes);
  }
}

void CK_FN(block_resize_f32)(
    const float *in, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *out, size_t out_h, size_t out_w,
    size_t block_begin, size_t block_end) {
  out += block_begin * out_h * out_w * CK_W;
  for (size_t block = block_begin; block < block_end; block++) {
    const float *plane = in + block * in_h * in_w * CK_W;
    for (size_t y = 0; y < out_h; y++) {
      const float *low = plane + (size_t)ytaps[y].low * in_w * CK_W, *high = plane + (size_t)ytaps[y].high * in_w * CK_W;
      float down = ytaps[y].weight;
      for (size_t x = 0; x < out_w; x++, out += CK_W) {
        size_t left = (size_t)xtaps[x].low * CK_W, right = (size_t)xtaps[x].high * CK_W;
        float across = xtaps[x].weight;
        vf a = vf_load(low + left), b;
        if (down != 0.0f) a = vf_fma(vf_load(high + left) - a, (vf)down, a);
        if (across != 0.0f) {
          b = vf_load(low + right);
          if (down != 0.0f) b = vf_fma(vf_load(high + right) - b, (vf)down, b);
          a = vf_fma(b - a, (vf)across, a);
        }
        vf_store(out, a);
      }
    }
  }
}

void CK_FN(block_affine_f32)(
    const float *in, const float *mean, const float *scale, const float *shift, float *out, size_t channels, size_t area,
    size_t block_begin, size_t block_end) {
  for (size_t block = block_begin; block < block_end; block++) {
    size_t lanes = channels - block * CK_W < CK_W ? channels - block * CK_W : CK_W, place = block * area * CK_W;
    size_t first = block * CK_W;
    vf m = vf_load_n(mean + first, lanes), a = vf_load_n(scale + first, lanes), b = vf_load_n(shift + first, lanes);
    for (size_t i = 0; i < area * CK_W; i += CK_W) vf_store(out + place + i, vf_fma(vf_load(in + place + i) - m, a, b));
  }
}

void CK_FN(block_clear_f32)(float *tensor, size_t channels, size_t area) {
  size_t lanes = channels % CK_W;
  if (lanes == 0) return;
  float *p = tensor + channels / CK_W * area * CK_W;
  for (size_t i = 0; i < area; i++, p += CK_W) vf_store(p, vf_keep_n(vf_load(p), lanes, 0));
}
