// Direct NCHWc convolution with bf16 input and weights. A block is CK_W pairs of channels. Included by block_conv.h.

/// The window with pairs of channels counted as channels.
CK_INLINE ck_window bf16_window(const ck_window *w) {
  ck_window pairs = *w;
  pairs.in_channels = (w->in_channels + 1) / 2;
  return pairs;
}

size_t CK_FN(block_conv_bf16_packed_size)(const ck_window *w) {
  ck_window pairs = bf16_window(w);
  return packed_size(&pairs);
}

size_t CK_FN(block_conv_bf16_scratch_size)(const ck_window *w) {
  ck_window pairs = bf16_window(w);
  return scratch_size(&pairs, false);
}

void CK_FN(block_interleave_bf16)(const float *in, size_t channels, size_t area, float *out, size_t block_begin, size_t block_end) {
  size_t blocks = blocks_of(channels);
  for (size_t block = block_begin; block < block_end; block++) {
    const float *low = in + 2 * block * area * CK_W, *high = low + area * CK_W;
    bool both = 2 * block + 1 < blocks;
    float *to = out + block * area * CK_W;
    for (size_t i = 0; i < area * CK_W; i += CK_W) {
      vf_store(to + i, pairs_of(vf_load(low + i), both ? vf_load(high + i) : (vf)0.0f));
    }
  }
}

void CK_FN(block_conv_pack_bf16)(
    const ck_window *w, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end, float *packed) {
  ck_window pairs = bf16_window(w);
  block_conv_pack(
      &pairs, false, WEIGHTS_BF16, weights, (size_t)w->in_channels, row_stride, unit_begin, unit_end, packed);
}

void CK_FN(block_conv_bf16_f32)(
    const ck_window *w, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add, float *out,
    float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_window pairs = bf16_window(w);
  block_conv(&pairs, false, WEIGHTS_BF16, in, packed, NULL, NULL, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}
