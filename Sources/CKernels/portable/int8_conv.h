// Direct NCHWc convolution with uint8 input and output. It shares the register tiles of conv_int8.h; only the image and
// the epilogue differ. Included by block_conv.h.

size_t CK_FN(int8_block_size)(void) { return 4 * CK_W; }

bool CK_FN(int8_conv_is_plain)(const ck_window *w) {
  return w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->pad_h == 0 && w->pad_w == 0 &&
         w->in_h == w->out_h && w->in_w == w->out_w;
}

void CK_FN(int8_conv_image)(
    const ck_window *w, const uint8_t *in, uint8_t pad, float *image, size_t row_begin, size_t row_end) {
  ck_window quads = int8_window(w);
  ptrdiff_t step_y = w->stride_h / quads.stride_h, step_x = w->stride_w / quads.stride_w;
  size_t line = (size_t)quads.in_w * 4 * CK_W, rows = (size_t)quads.in_h;
  // The range of positions that are inside the input.
  struct taps inside = taps_inside(-w->pad_w, step_x, quads.in_w, w->in_w);
  for (size_t row = row_begin; row < row_end; row++) {
    ptrdiff_t y = (ptrdiff_t)(row % rows) * step_y - w->pad_h;
    uint8_t *to = (uint8_t *)image + row * line;
    if (y < 0 || y >= w->in_h || inside.begin >= inside.end) {
      memset(to, pad, line);
      continue;
    }
    const uint8_t *from = in + ((row / rows * (size_t)w->in_h + (size_t)y) * (size_t)w->in_w) * 4 * CK_W;
    from += (inside.begin * step_x - w->pad_w) * 4 * CK_W;
    memset(to, pad, (size_t)inside.begin * 4 * CK_W);
    size_t count = (size_t)(inside.end - inside.begin);
    to += inside.begin * 4 * CK_W;
    if (step_x == 1) {
      memcpy(to, from, count * 4 * CK_W);
    } else {
      for (size_t i = 0; i < count; i++) {
        vf_store((float *)(to + i * 4 * CK_W), vf_load((const float *)(from + (ptrdiff_t)i * step_x * 4 * CK_W)));
      }
    }
    memset(to + count * 4 * CK_W, pad, (size_t)(quads.in_w - inside.end) * 4 * CK_W);
  }
}

size_t CK_FN(int8_planes_size)(const ck_window *w) {
  ck_window quads = int8_window(w);
  return (size_t)(quads.in_channels * quads.in_h * quads.in_w);
}

void CK_FN(int8_planes)(
    const ck_window *w, const uint8_t *in, uint8_t flip, uint8_t pad, float *image, size_t row_begin, size_t row_end) {
  ck_window quads = int8_window(w);
  ptrdiff_t step_y = w->stride_h / quads.stride_h, step_x = w->stride_w / quads.stride_w;
  size_t rows = (size_t)quads.in_h, area = (size_t)(w->in_h * w->in_w);
  struct taps inside = taps_inside(-w->pad_w, step_x, quads.in_w, w->in_w);
  for (size_t row = row_begin; row < row_end; row++) {
    ptrdiff_t y = (ptrdiff_t)(row % rows) * step_y - w->pad_h;
    uint8_t *to = (uint8_t *)(image + row * (size_t)quads.in_w);
    memset(to, pad, (size_t)quads.in_w * CK_ALONG);
    if (y < 0 || y >= w->in_h || inside.begin >= inside.end) continue;
    size_t channel = row / rows * CK_ALONG, left = (size_t)w->in_channels - channel;
    const uint8_t *first = in + channel * area + y * w->in_w;
    // Missing channels have zero weights, so any input works for them.
    const uint8_t *a = first, *b = left > 1 ? first + area : a, *c = left > 2 ? first + 2 * area : a,
                  *d = left > 3 ? first + 3 * area : a;
    for (ptrdiff_t i = inside.begin; i < inside.end; i++) {
      ptrdiff_t x = i * step_x - w->pad_w;
      uint32_t four = a[x] | (uint32_t)b[x] << 8 | (uint32_t)c[x] << 16 | (uint32_t)d[x] << 24;
      four ^= flip * 0x01010101u;
      memcpy(to + i * CK_ALONG, &four, CK_ALONG);
    }
  }
}

void CK_FN(int8_conv)(
    const ck_window *w, bool planes, const float *image, const float *packed, const ck_int8_accumulators *sums, ck_int8_quantization steps, uint8_t *out,
    size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_window quads = int8_window(w);
  struct integer_sums own = {sums->starts, sums->scales, sums->shifts, steps};
  ck_epilogue nothing = {.activation = CK_UNARY_IDENTITY};
  block_conv(
      &quads, planes, WEIGHTS_INT8, image, packed, NULL, &own, &nothing, NULL, (float *)out, NULL, unit_begin, unit_end, row_begin,
      row_end);
}
