// Gathers and scatters. All are exact. Float sums are rounded at each addition, as in the plain loop.
#include "plain.h"

struct walk {
  size_t outer, axis, inner, count, size;
  ck_bounds bounds;
};

static struct walk random_walk(void) {
  struct walk w = {
      random_size(0, 3),
      random_size(1, 9),
      random_bool() ? 1 : random_size(0, 20),
      random_size(0, 12),
      (size_t)1 << random_size(0, 3),
      (ck_bounds)random_size(0, 2)};
  if (random_size(0, 8) == 0) w.axis = 0;
  return w;
}

/// The position that an index denotes, or -1 for an invalid one.
static ptrdiff_t plain_index(ck_bounds bounds, int32_t index, size_t axis) {
  int64_t i = index, n = (int64_t)axis;
  if (i < 0 && bounds != CK_BOUNDS_STRICT) i += n;
  if (bounds == CK_BOUNDS_CLAMP && n > 0) i = i < 0 ? 0 : i >= n ? n - 1 : i;
  return i < 0 || i >= n ? -1 : (ptrdiff_t)i;
}

/// Valid indices; sometimes one is invalid.
static int32_t *random_indices(size_t n, size_t axis, ck_bounds bounds) {
  int32_t low = bounds == CK_BOUNDS_STRICT ? 0 : -(int32_t)axis;
  int32_t *p = integers(n, axis == 0 ? 0 : low, axis == 0 ? 0 : (int32_t)axis - 1);
  if (n > 0 && random_size(0, 3) == 0)
    p[random_size(0, n - 1)] = (int32_t[]){INT32_MIN, INT32_MAX, (int32_t)axis}[random_size(0, 2)];
  return p;
}

static const char *walk_text(const struct walk *w) {
  static char text[100];
  snprintf(
      text, sizeof text, "[%zu, %zu, %zu], %zu indices, %zu bytes, bounds %d", w->outer, w->axis, w->inner, w->count,
      w->size, w->bounds);
  return text;
}

static unsigned char *random_bytes(size_t n) {
  unsigned char *p = take(n);
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)random_bits();
  return p;
}

static void check_gather(bool along) {
  struct walk w = random_walk();
  size_t results = w.outer * w.count * w.inner, named = along ? results : w.count;
  int32_t *indices = random_indices(named, w.axis, w.bounds);
  unsigned char *in = random_bytes(w.outer * w.axis * w.inner * w.size), *out = random_bytes(results * w.size);
  unsigned char *expected = take(results * w.size);
  ptrdiff_t bad = CK_INDICES_VALID;
  for (size_t i = named; i-- > 0;) bad = plain_index(w.bounds, indices[i], w.axis) < 0 ? (ptrdiff_t)i : bad;
  for (size_t i = 0; bad < 0 && i < results; i++) {
    ptrdiff_t k = plain_index(w.bounds, indices[along ? i : i / w.inner % w.count], w.axis);
    size_t from = (i / w.inner / w.count * w.axis + (size_t)k) * w.inner + i % w.inner;
    memcpy(expected + i * w.size, in + from * w.size, w.size);
  }
  at(along ? "ck_gather_along_axis" : "ck_gather", "%s", walk_text(&w));
  ptrdiff_t answer =
      (along ? ck_gather_along_axis : ck_gather)(w.bounds, w.size, in, indices, out, w.outer, w.axis, w.inner, w.count);
  // If there is nothing to gather, indices need not be checked.
  if (results > 0) expect_true(answer == bad, "it tells the first bad index, or that there is none");
  if (bad < 0) expect_bytes(expected, out, results * w.size);
  answer = (along ? ck_gather_along_axis : ck_gather)(w.bounds, 3, in, indices, out, w.outer, w.axis, w.inner, w.count);
  expect_true(answer == CK_INDICES_UNSUPPORTED, "3 bytes are refused");
}

static double updated(ck_scatter_mode mode, double old, double with) {
  switch (mode) {
    case CK_SCATTER_UPDATE: return with;
    case CK_SCATTER_ADD: return old + with;
    case CK_SCATTER_SUB: return old - with;
    case CK_SCATTER_MUL: return old * with;
    case CK_SCATTER_DIV: return old / with;
    case CK_SCATTER_MAX: return old > with ? old : with;
    default: return old < with ? old : with;
  }
}

/// Small integers: their sums, products and truncated quotients are the same in every type.
static int32_t updated_i32(ck_scatter_mode mode, int32_t old, int32_t with) {
  double x = updated(mode, old, with);
  return mode == CK_SCATTER_MUL ? (int32_t)((uint32_t)old * (uint32_t)with) : (int32_t)trunc(x);
}

static void check_scatter(ck_scatter_mode mode, bool along) {
  struct walk w = random_walk();
  size_t n = w.outer * w.axis * w.inner, updates = w.outer * w.count * w.inner, named = along ? updates : w.count;
  int32_t *indices = random_indices(named, w.axis, w.bounds);
  int32_t *whole = integers(n, -99, 99), *with_whole = integers(updates, 1, 9), *wanted = take(n * 4);
  float *data = floats(n, -2, 2), *with = floats(updates, 1, 2);
  double *expected = zeros(n);
  memcpy(wanted, whole, n * 4);
  for (size_t i = 0; i < n; i++) expected[i] = (double)data[i];
  ptrdiff_t bad = CK_INDICES_VALID;
  for (size_t i = named; i-- > 0;) bad = plain_index(w.bounds, indices[i], w.axis) < 0 ? (ptrdiff_t)i : bad;
  for (size_t i = 0; bad < 0 && i < updates; i++) {
    ptrdiff_t k = plain_index(w.bounds, indices[along ? i : i / w.inner % w.count], w.axis);
    size_t to = (i / w.inner / w.count * w.axis + (size_t)k) * w.inner + i % w.inner;
    expected[to] = (double)(float)updated(mode, expected[to], (double)with[i]);
    wanted[to] = updated_i32(mode, wanted[to], with_whole[i]);
  }
  at(along ? "ck_scatter_along_axis_f32" : "ck_scatter_f32", "mode %d, %s", mode, walk_text(&w));
  ptrdiff_t answer = (along ? ck_scatter_along_axis_f32 : ck_scatter_f32)(
      mode, w.bounds, data, indices, with, w.outer, w.axis, w.inner, w.count);
  if (updates > 0) expect_true(answer == bad, "it tells the first bad index, or that there is none");
  if (bad < 0) expect(expected, data, n, 1e-7, 0);
  at(along ? "ck_scatter_along_axis_i32" : "ck_scatter_i32", "mode %d, %s", mode, walk_text(&w));
  answer = (along ? ck_scatter_along_axis_i32 : ck_scatter_i32)(
      mode, w.bounds, whole, indices, with_whole, w.outer, w.axis, w.inner, w.count);
  if (updates > 0) expect_true(answer == bad, "it tells the first bad index, or that there is none");
  if (bad < 0) expect_integers(wanted, whole, n);
}

static void check_nd(ck_scatter_mode mode) {
  size_t depth = random_size(1, 3), inner = random_bool() ? 1 : random_size(0, 9), count = random_size(0, 9), cells = 1;
  ck_bounds bounds = (ck_bounds)random_size(0, 2);
  ptrdiff_t shape[3];
  for (size_t d = 0; d < depth; d++) shape[d] = (ptrdiff_t)random_size(1, 5), cells *= (size_t)shape[d];
  int32_t *indices = take(count * depth * 4);
  size_t *place = take(count * sizeof *place);
  ptrdiff_t bad = CK_INDICES_VALID;
  for (size_t j = count; j-- > 0;) {
    place[j] = 0;
    for (size_t d = 0; d < depth; d++) {
      int32_t least = bounds == CK_BOUNDS_STRICT ? 0 : -(int32_t)shape[d];
      indices[j * depth + d] = least + (int32_t)random_size(0, (size_t)(shape[d] - least - 1));
      if (random_size(0, 60) == 0) indices[j * depth + d] = (int32_t)shape[d];
    }
    for (size_t d = depth; d-- > 0;)
      if (plain_index(bounds, indices[j * depth + d], (size_t)shape[d]) < 0) bad = (ptrdiff_t)(j * depth + d);
    for (size_t d = 0; d < depth; d++) {
      ptrdiff_t k = plain_index(bounds, indices[j * depth + d], (size_t)shape[d]);
      place[j] = place[j] * (size_t)shape[d] + (size_t)(k < 0 ? 0 : k);
    }
  }
  size_t n = cells * inner, updates = count * inner;
  float *data = floats(n, -2, 2), *with = floats(updates, 1, 2), *out = blank(updates);
  int32_t *whole = integers(n, -99, 99), *with_whole = integers(updates, 1, 9), *wanted = take(n * 4);
  memcpy(wanted, whole, n * 4);
  double *gathered = zeros(updates), *expected = zeros(n);
  for (size_t i = 0; i < n; i++) expected[i] = (double)data[i];
  for (size_t i = 0; i < updates; i++) gathered[i] = (double)data[place[i / inner] * inner + i % inner];
  for (size_t i = 0; i < updates; i++) {
    size_t to = place[i / inner] * inner + i % inner;
    expected[to] = (double)(float)updated(mode, expected[to], (double)with[i]);
    wanted[to] = updated_i32(mode, wanted[to], with_whole[i]);
  }
#define AT(kernel) \
  at(kernel, "mode %d, depth %zu, %zu cells of %zu, %zu indices, bounds %d", mode, depth, cells, inner, count, bounds)
  AT("ck_gather_nd");
  expect_true(
      ck_gather_nd(bounds, 4, data, depth, shape, inner, indices, count, out) == bad || updates == 0,
      "it tells the first bad index");
  if (bad < 0) expect(gathered, out, updates, 0, 0);
  AT("ck_scatter_nd_f32");
  expect_true(
      ck_scatter_nd_f32(mode, bounds, data, depth, shape, inner, indices, count, with) == bad || updates == 0,
      "it tells the first bad index");
  if (bad < 0) expect(expected, data, n, 1e-7, 0);
  AT("ck_scatter_nd_i32");
  expect_true(
      ck_scatter_nd_i32(mode, bounds, whole, depth, shape, inner, indices, count, with_whole) == bad || updates == 0,
      "it tells the first bad index");
  if (bad < 0) expect_integers(wanted, whole, n);
#undef AT
}

void check_indices(void) {
  for (size_t turn = 0; turn < 30; turn++) {
    check_gather(false), release();
    check_gather(true), release();
    for (int mode = CK_SCATTER_UPDATE; mode <= CK_SCATTER_MIN; mode++) {
      check_scatter((ck_scatter_mode)mode, turn % 2), release();
      check_nd((ck_scatter_mode)mode), release();
    }
  }
}
