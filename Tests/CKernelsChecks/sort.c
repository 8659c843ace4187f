// Sorting of lines: exact, including the positions of equal values.
#include "check.h"

/// Whether the element at `a` of a line sorts before the one at `b`.
static bool stands_before(const double *line, size_t a, size_t b, bool ascending) {
  double x = line[a], y = line[b];
  bool less = x < y || (y != y && x == x), greater = y < x || (x != x && y == y);
  if (!ascending) {
    bool swapped = less;
    less = greater, greater = swapped;
  }
  return less || (!greater && a < b);
}

/// The rank of an element is the number of elements that sort before it.
static void plain_sort(const double *line, size_t axis, bool ascending, int32_t *order) {
  for (size_t i = 0; i < axis; i++) {
    size_t before = 0;
    for (size_t j = 0; j < axis; j++) before += j != i && stands_before(line, j, i, ascending);
    order[before] = (int32_t)i;
  }
}

static float number(size_t kind) {
  switch (random_size(0, kind == 0 ? 9 : 400)) {
    case 0: return (float)NAN;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return -0.0f;
    case 4: return 0;
    default: return kind == 2 ? (float)random_size(0, 3) : (float)random_real(-1, 1) * (random_bool() ? 1 : 1e-39f);
  }
}

static void check_sort(bool whole) {
  size_t outer = random_size(0, 3), axis = random_size(0, random_bool() ? 20 : 300), inner = random_bool() ? 1 : random_size(0, 5);
  size_t keep = random_bool() ? axis : random_size(0, random_bool() ? axis : axis / 8), kind = random_size(0, 2);
  bool ascending = random_bool();
  size_t n = outer * axis * inner, kept = outer * keep * inner;
  float *in = floats(n, -1, 1), *values = blank(kept);
  int32_t *integer = integers(n, kind == 0 ? INT32_MIN : -3, kind == 0 ? INT32_MAX : 3), *most = integers(kept, 0, 0);
  int32_t *places = integers(kept, 0, 0), *wanted = integers(kept, 0, 0), *wanted_integer = integers(kept, 0, 0);
  int32_t *order = integers(axis, 0, 0);
  double *line = zeros(axis), *expected = zeros(kept);
  uint64_t *scratch = take(8 * ck_sort_scratch(axis, keep));
  for (size_t i = 0; i < n; i++) in[i] = number(kind);
  for (size_t o = 0; o < outer; o++) {
    for (size_t k = 0; k < inner; k++) {
      for (size_t i = 0; i < axis; i++) {
        size_t at = (o * axis + i) * inner + k;
        line[i] = whole ? (double)integer[at] : (double)in[at];
      }
      plain_sort(line, axis, ascending, order);
      for (size_t i = 0; i < keep; i++) {
        size_t to = (o * keep + i) * inner + k;
        wanted[to] = order[i];
        expected[to] = line[order[i]];
        wanted_integer[to] = whole ? integer[(o * axis + (size_t)order[i]) * inner + k] : 0;
      }
    }
  }
  at(whole ? "ck_sort_i32" : "ck_sort_f32", "%zu x %zu x %zu, %zu kept, %s", outer, axis, inner, keep,
     ascending ? "ascending" : "descending");
  // Values alone, positions alone, or both.
  for (int parts = 1; parts <= 3; parts++) {
    float *some = parts & 1 ? values : NULL;
    int32_t *some_integers = parts & 1 ? most : NULL, *some_places = parts & 2 ? places : NULL;
    if (whole) {
      ck_sort_i32(ascending, integer, some_integers, some_places, outer, axis, inner, keep, scratch);
      if (some_integers) expect_integers(wanted_integer, most, kept);
    } else {
      ck_sort_f32(ascending, in, some, some_places, outer, axis, inner, keep, scratch);
      if (some) expect(expected, values, kept, 0, 0);
    }
    if (some_places) {
      expect_integers(wanted, places, kept);
      memset(places, 0, 4 * kept);
    }
  }
}

void check_sorts(void) {
  for (size_t turn = 0; turn < 300; turn++) check_sort(turn % 2), release();
}
