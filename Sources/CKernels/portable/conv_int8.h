// Direct NCHWc convolution with int8 input and weights. A block is CK_W groups of four channels. The conversion to
// bytes also adds the padding. Included by block_conv.h.

/// The window with groups of four channels counted as channels, over an image that has exactly the elements that the
/// windows read.
CK_INLINE ck_window int8_window(const ck_window *w) {
  ck_window quads = *w;
  quads.in_channels = (w->in_channels + CK_ALONG - 1) / CK_ALONG;
  quads.pad_h = quads.pad_w = 0;
  if (w->kernel_h == 1 && w->kernel_w == 1) quads.stride_h = quads.stride_w = 1;
  quads.in_h = (w->out_h - 1) * quads.stride_h + (w->kernel_h - 1) * w->dilation_h + 1;
  quads.in_w = (w->out_w - 1) * quads.stride_w + (w->kernel_w - 1) * w->dilation_w + 1;
  return quads;
}

size_t CK_FN(block_conv_i8_image_size)(const ck_window *w) {
  ck_window quads = int8_window(w);
  return blocks_of((size_t)quads.in_channels) * (size_t)(quads.in_h * quads.in_w) * CK_W;
}

/// Rows of all blocks of the image.
size_t CK_FN(block_conv_i8_rows)(const ck_window *w) {
  ck_window quads = int8_window(w);
  return blocks_of((size_t)quads.in_channels) * (size_t)quads.in_h;
}

/// Converts one position of a block: the channels of up to four fp32 blocks, `plane` apart.
CK_INLINE void position_bytes(const float *in, size_t plane, size_t blocks, struct steps s, uint8_t *to) {
#pragma clang loop unroll(full)
  for (size_t b = 0; b < 4; b++, to += CK_W) {
    if (b < blocks) {
      store_bytes(to, vf_load(in + b * plane), s);
    } else {
      memset(to, 0, CK_W);
    }
  }
}

void CK_FN(block_conv_i8_image)(
    const ck_window *w, const float *in, float inverse, int32_t low, float *out, size_t row_begin, size_t row_end) {
  ck_window quads = int8_window(w);
  struct steps s = {inverse, low};
  ptrdiff_t step_y = w->stride_h / quads.stride_h, step_x = w->stride_w / quads.stride_w;
  size_t plane = (size_t)(w->in_h * w->in_w) * CK_W, line = (size_t)quads.in_w * CK_W;
  size_t blocks = blocks_of((size_t)w->in_channels), rows = (size_t)quads.in_h;
  for (size_t row = row_begin; row < row_end; row++) {
    size_t block = row / rows * 4, left = blocks - block < 4 ? blocks - block : 4;
    ptrdiff_t y = (ptrdiff_t)(row % rows) * step_y - w->pad_h;
    uint8_t *to = (uint8_t *)(out + row * line);
    if (y < 0 || y >= w->in_h) {
      memset(to, byte_of_nothing(s), line * sizeof(float));
      continue;
    }
    const float *from = in + block * plane + (size_t)(y * w->in_w) * CK_W;
    for (ptrdiff_t i = 0; i < quads.in_w; i++, to += 4 * CK_W) {
      ptrdiff_t x = i * step_x - w->pad_w;
      if (x < 0 || x >= w->in_w) {
        memset(to, byte_of_nothing(s), 4 * CK_W);
      } else if (left == 4) {
        position_bytes(from + x * CK_W, plane, 4, s, to);
      } else {
        position_bytes(from + x * CK_W, plane, left, s, to);
      }
    }
  }
}

size_t CK_FN(block_conv_i8_packed_size)(const ck_window *w) {
  ck_window quads = int8_window(w);
  return packed_size(&quads);
}

void CK_FN(block_conv_pack_i8)(
    const ck_window *w, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  ck_window quads = int8_window(w);
  block_conv_pack(
      &quads, planes, WEIGHTS_INT8, weights, (size_t)w->in_channels, row_stride, unit_begin, unit_end, packed);
}

void CK_FN(block_conv_i8_f32)(
    const ck_window *w, const float *image, const float *packed, const ck_integer_sums *sums, const ck_epilogue *epilogue,
    const float *add, float *out, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_window quads = int8_window(w);
  struct integer_sums own = {.starts = sums->starts, .scales = sums->scales};
  block_conv(
      &quads, false, WEIGHTS_INT8, image, packed, NULL, &own, epilogue, add, out, NULL, unit_begin, unit_end, row_begin, row_end);
}
