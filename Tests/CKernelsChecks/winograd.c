// Winograd convolutions. Rounding errors grow with the tile: 6e-7, 2e-6 and 8e-6 per product for tiles of 2, 4 and 6.
#include "plain.h"

static const size_t tiles_of[] = {2, 4, 6};
static const double bounds[] = {3, 10, 40};  // relative to the tolerance of a direct product

struct wino {
  ck_window w;
  size_t tile, tiles, images, in_area, out_area, inputs, outputs;
  float *weights, *in, *in_blocks, *add, *out;
  ck_epilogue e;
  double *expected;
};

/// Images one after the other, dense and NCHWc.
static struct wino random_wino(size_t kind, size_t images) {
  size_t size = ck_block_size();
  struct wino s = {
      .tile = tiles_of[kind],
      .images = images,
      .inputs = random_size(1, 3 * size),
      .outputs = random_size(1, 5 * size)};
  if (random_size(0, 9) == 0) s.inputs = random_size(8 * size, 20 * size);
  ptrdiff_t pad_h = (ptrdiff_t)random_size(0, 2), pad_w = (ptrdiff_t)random_size(0, 2);
  ptrdiff_t in_h = (ptrdiff_t)random_size(3, 20), in_w = (ptrdiff_t)random_size(3, 20);
  s.w = (ck_window){
      .in_channels = (ptrdiff_t)s.inputs,
      .out_channels = (ptrdiff_t)s.outputs,
      .groups = 1,
      .in_d = 1,
      .in_h = in_h,
      .in_w = in_w,
      .out_d = 1,
      .out_h = in_h + pad_h + (ptrdiff_t)random_size(0, 2) - 2,
      .out_w = in_w + pad_w + (ptrdiff_t)random_size(0, 2) - 2,
      .kernel_d = 1,
      .kernel_h = 3,
      .kernel_w = 3,
      .stride_d = 1,
      .stride_h = 1,
      .stride_w = 1,
      .dilation_d = 1,
      .dilation_h = 1,
      .dilation_w = 1,
      .pad_h = pad_h,
      .pad_w = pad_w};
  size_t down = ((size_t)s.w.out_h + s.tile - 1) / s.tile, across = ((size_t)s.w.out_w + s.tile - 1) / s.tile;
  s.tiles = down * across * images, s.in_area = in_area(&s.w), s.out_area = out_area(&s.w);
  s.weights = floats(s.outputs * s.inputs * 9, -1, 1), s.e = random_epilogue(s.outputs);
  for (size_t i = 0; i < s.outputs * s.inputs * 9; i++)
    s.weights[i] = (float)plain_half(plain_half_of((double)s.weights[i]));
  s.in = floats(images * s.inputs * s.in_area, -1, 1);
  size_t in_image = blocked_size(s.inputs, s.in_area), image = blocked_size(s.outputs, s.out_area);
  s.in_blocks = floats(images * in_image, 0, 0), s.out = blank(images * image), s.expected = zeros(images * image);
  if (random_bool()) s.add = floats(images * image, 0, 0);
  for (size_t i = 0; i < images; i++) {
    memcpy(s.in_blocks + i * in_image, blocked(s.in + i * s.inputs * s.in_area, s.inputs, s.in_area), in_image * 4);
    if (s.add)
      memcpy(s.add + i * image, blocked(floats(s.outputs * s.out_area, -1, 1), s.outputs, s.out_area), image * 4);
  }
  return s;
}

/// The outputs of tiles first ..< last and channels begin ..< end.
static void expect_tiles(struct wino *s, size_t first, size_t last, size_t begin, size_t end) {
  size_t size = ck_block_size(), image = blocked_size(s->outputs, s->out_area);
  size_t across = ((size_t)s->w.out_w + s->tile - 1) / s->tile, down = ((size_t)s->w.out_h + s->tile - 1) / s->tile;
  for (size_t k = 0; k < s->images; k++) {
    double *sums = plain_conv(&s->w, s->in + k * s->inputs * s->in_area, s->weights), *to = s->expected + k * image;
    for (size_t i = 0; i < image; i++) {
      size_t c = i / size / s->out_area * size + i % size, p = i / size % s->out_area, x = p % (size_t)s->w.out_w,
             y = p / (size_t)s->w.out_w;
      size_t tile = (k * down + y / s->tile) * across + x / s->tile;
      bool named = tile >= first && tile < last && c >= begin && (c < end || end == s->outputs);
      double add = s->add ? (double)s->add[k * image + i] : 0;
      to[i] = !named ? UNTOUCHED : c < s->outputs ? plain_epilogue(&s->e, c, sums[c * s->out_area + p] + add) : 0;
    }
  }
}

static const char *wino_text(const struct wino *s) {
  static char text[256];
  snprintf(
      text, sizeof text, "tile %zu, %zu images, %s, activation %d%s", s->tile, s->images, window_text(&s->w),
      s->e.activation, s->add ? ", with an addend" : "");
  return text;
}

static void check_early(size_t kind) {
  struct wino s = random_wino(kind, 1);
  size_t units = ck_block_conv_units(&s.w), first = random_bool() ? 0 : random_size(0, s.tiles),
         last = random_bool() ? s.tiles : random_size(first, s.tiles);
  at("ck_winograd_f32", "%s, tiles %zu to %zu", wino_text(&s), first, last);
  float *packed = blank(ck_winograd_packed_size(&s.w, s.tile)),
        *scratch = blank(ck_winograd_scratch_size(&s.w, s.tile));
  for (size_t u = 0; u < units; u++) {
    const float *from = s.weights + ck_block_conv_unit_channel(&s.w, u) * s.inputs * 9;
    ck_winograd_pack_f32(&s.w, s.tile, from, (ptrdiff_t)(s.inputs * 9), u, u + 1, packed);
  }
  expect_tiles(&s, first, last, 0, s.outputs);
  if (first == last) expect_tiles(&s, 1, 0, 0, s.outputs);
  ck_winograd_f32(&s.w, s.tile, s.in_blocks, packed, &s.e, s.add, s.out, scratch, first, last);
  expect(s.expected, s.out, blocked_size(s.outputs, s.out_area), 4e-6, bounds[kind] * product_bound(s.inputs * 9));
}

static void check_late(size_t kind) {
  struct wino s = random_wino(kind, random_size(1, 2));
  size_t units = ck_block_conv_units(&s.w), begin = random_size(0, units - 1), end = random_size(begin + 1, units);
  size_t first = random_size(0, s.tiles - 1), tiles = random_size(1, s.tiles - first), room = tiles + random_size(0, 3);
  size_t in_blocks = block_count(s.inputs), middle = random_size(0, in_blocks);
  at("ck_winograd_fused_filter_f32", "%s, %zu tiles from %zu in room for %zu, units %zu to %zu", wino_text(&s), tiles, first,
     room, begin, end);
  float *packed = blank(ck_block_conv_packed_size(&s.w)),
        *between = blank(ck_winograd_fused_filter_tiles_size(&s.w, s.tile, room));
  float *scratch = blank(ck_winograd_fused_filter_scratch_size(&s.w, s.tile, room, end - begin));
  ck_block_conv_pack_f32(&s.w, false, s.weights, (ptrdiff_t)(s.inputs * 9), 0, units, packed);
  ck_winograd_fused_filter_tiles_f32(&s.w, s.tile, s.in_blocks, between, first, tiles, room, 0, middle);
  ck_winograd_fused_filter_tiles_f32(&s.w, s.tile, s.in_blocks, between, first, tiles, room, middle, in_blocks);
  expect_tiles(
      &s, first, first + tiles, ck_block_conv_unit_channel(&s.w, begin), ck_block_conv_unit_channel(&s.w, end));
  ck_winograd_fused_filter_f32(&s.w, s.tile, between, packed, &s.e, s.add, s.out, scratch, first, tiles, room, begin, end);
  expect(
      s.expected, s.out, s.images * blocked_size(s.outputs, s.out_area), 4e-6,
      bounds[kind] * product_bound(s.inputs * 9));
  // fp16 weights give the same bits as the same weights in fp32.
  size_t n = s.images * blocked_size(s.outputs, s.out_area);
  uint16_t *f16 = take(ck_block_conv_packed_size(&s.w) * 2);
  float *again = blank(n);
  at("ck_winograd_fused_filter_f16w_f32", "%s, %zu tiles from %zu, units %zu to %zu", wino_text(&s), tiles, first, begin, end);
  ck_block_conv_pack_f16(&s.w, s.weights, (ptrdiff_t)(s.inputs * 9), 0, units, f16);
  ck_winograd_fused_filter_f16w_f32(
      &s.w, s.tile, between, f16, &s.e, s.add, again, scratch, first, tiles, room, begin, end);
  expect_bytes(s.out, again, n * sizeof *again);
}

void check_winograd(void) {
  for (size_t turn = 0; turn < 25; turn++) {
    for (size_t kind = 0; kind < 3; kind++) {
      check_early(kind), release();
      check_late(kind), release();
    }
  }
}
