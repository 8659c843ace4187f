// Ensembles of trees. Leaves are added tree after tree, so sums are bit-exact.
#include "plain.h"

/// Makes a node a branch with two children after all existing nodes, or a leaf.
static uint32_t grow(ck_tree_node *nodes, uint32_t *count, uint32_t place, size_t features, size_t left) {
  if (left == 0 || random_size(0, 5) == 0) {
    nodes[place] = (ck_tree_node){random_real(-1, 1), (uint32_t)features, place};
    return 0;
  }
  uint32_t child = *count;
  *count += 2;
  nodes[place] = (ck_tree_node){round(random_real(-4, 4)) / 4, (uint32_t)random_size(0, features - 1), child};
  uint32_t a = grow(nodes, count, child, features, left - 1), b = grow(nodes, count, child + 1, features, left - 1);
  return 1 + (a > b ? a : b);
}

/// Values that often equal a threshold; some are missing (NaN).
static double *random_rows(size_t n, bool missing) {
  double *x = reals(n, -1, 1);
  for (size_t i = 0; i < n; i++) {
    if (i % 3 == 0) x[i] = round(x[i] * 4) / 4;
    if (missing && random_size(0, 9) == 0) x[i] = NAN;
  }
  return x;
}

static void check_trees(void) {
  enum { MOST_NODES = 4000 };
  size_t features = random_size(1, 9), count = random_size(0, 20),
         rows = random_bool() ? random_size(0, 7) : random_size(8, 150);
  size_t dimensions = random_size(1, 3);
  bool missing = random_bool();
  ck_tree_node *nodes = take(MOST_NODES * sizeof *nodes);
  uint32_t *roots = take(count * 4), *depths = take(count * 4), used = 0;
  for (size_t t = 0; t < count; t++)
    roots[t] = used++, depths[t] = grow(nodes, &used, roots[t], features, random_size(0, 6));
  uint8_t *missing_first = take(used);
  uint32_t *entries = take(used * 8), *entry_index = take(used * 8);
  double *entry_value = reals(used * 2, -1, 1);
  for (uint32_t n = 0, e = 0; n < used; n++) {
    missing_first[n] = random_bool(), entries[2 * n] = e;
    if (nodes[n].child == n) e += (uint32_t)random_size(0, 2);
    entries[2 * n + 1] = e;
  }
  for (uint32_t e = 0; e < used * 2; e++) entry_index[e] = (uint32_t)random_size(0, dimensions - 1);
  ck_trees trees = {
      .features = features,
      .trees = count,
      .nodes = nodes,
      .roots = roots,
      .depths = depths,
      .missing_first = missing_first};
  if (random_bool())
    dimensions = 1;
  else
    trees.entries = entries, trees.entry_index = entry_index, trees.entry_value = entry_value;
  double *x = random_rows(rows * features, missing), *sums = reals(rows * dimensions, -1, 1),
         *expected = zeros(rows * dimensions);
  double *again = zeros(rows * dimensions), *room = zeros(ck_trees_room(&trees, rows)), *own = zeros(features + 1);
  memcpy(expected, sums, rows * dimensions * sizeof *sums), memcpy(again, sums, rows * dimensions * sizeof *sums);
  for (size_t r = 0; r < rows; r++) {
    for (size_t t = 0; t < count; t++) {
      uint32_t n = roots[t];
      while (nodes[n].child != n) {
        double number = x[r * features + nodes[n].feature];
        n = nodes[n].child + (number != number ? !missing_first[n] : !(number <= nodes[n].value));
      }
      if (!trees.entries) expected[r] += nodes[n].value;
      for (uint32_t e = entries[2 * n]; trees.entries && e < entries[2 * n + 1]; e++)
        expected[r * dimensions + entry_index[e]] += entry_value[e];
    }
  }
  at("ck_trees_rows_f64", "%zu trees, %zu features, %zu rows, %zu dimensions%s%s", count, features, rows, dimensions,
     missing ? ", numbers missing" : "", trees.entries ? ", entries" : "");
  ck_trees_rows_f64(&trees, x, rows, dimensions, room, sums);
  expect_bytes(expected, sums, rows * dimensions * sizeof *sums);
  at("ck_trees_f64", "%zu trees, %zu features%s%s", count, features, missing ? ", numbers missing" : "",
     trees.entries ? ", entries" : "");
  for (size_t r = 0; r < rows; r++) ck_trees_f64(&trees, x + r * features, own, again + r * dimensions);
  expect_bytes(expected, again, rows * dimensions * sizeof *sums);
}

static void check_full(void) {
  size_t features = random_size(1, 6), count = random_size(0, 12), slots = random_size(1, 8),
         dimensions = random_size(1, 3);
  size_t rows = random_bool() ? random_size(0, 9) : random_size(10, 200), values = 0, tests = 0, leaves = 0;
  uint32_t *slot_feature = take(slots * 4), *value_begin = take((slots + 1) * 4);
  uint8_t *missing_second = take(slots), *depths = take(count);
  uint32_t *test_begin = take(count * 4), *leaf_begin = take(count * 4), *dimension = take(count * 4);
  for (size_t s = 0; s < slots; s++) {
    slot_feature[s] = (uint32_t)random_size(0, features - 1), missing_second[s] = random_bool();
    value_begin[s] = (uint32_t)values, values += random_size(1, 9);
  }
  value_begin[slots] = (uint32_t)values;
  double *numbers = reals(values, 0, 0);
  for (size_t s = 0; s < slots; s++) {
    for (uint32_t v = value_begin[s]; v < value_begin[s + 1]; v++)
      numbers[v] = v == value_begin[s] ? round(random_real(-4, 0)) / 4 : numbers[v - 1] + 0.25;
  }
  for (size_t t = 0; t < count; t++) {
    depths[t] = (uint8_t)random_size(0, CK_TREE_DEPTH), dimension[t] = (uint32_t)random_size(0, dimensions - 1);
    test_begin[t] = (uint32_t)tests, leaf_begin[t] = (uint32_t)leaves;
    tests += ((size_t)1 << depths[t]) - 1, leaves += (size_t)1 << depths[t];
  }
  ck_tree_test *test = take(tests * sizeof *test);
  for (size_t i = 0; i < tests; i++) {
    test[i].slot = (uint16_t)random_size(0, slots - 1);
    uint32_t begin = value_begin[test[i].slot], end = value_begin[test[i].slot + 1];
    test[i].rank = (int16_t)((int32_t)random_size(0, end - begin - 1) - 32768);
  }
  double *leaf = reals(leaves, -1, 1), *x = random_rows(rows * features, random_bool()),
         *sums = reals(rows * dimensions, -1, 1);
  ck_full_trees trees = {features, count,  slots,      dimensions, slot_feature, missing_second, value_begin,
                         numbers,  depths, test_begin, leaf_begin, dimension,    test,           leaf};
  double *expected = zeros(rows * dimensions);
  memcpy(expected, sums, rows * dimensions * sizeof *sums);
  for (size_t r = 0; r < rows; r++) {
    for (size_t t = 0; t < count; t++) {
      size_t n = 0;
      for (size_t level = 0; level < depths[t]; level++) {
        ck_tree_test own = test[test_begin[t] + n];
        double number = x[r * features + slot_feature[own.slot]],
               with = numbers[value_begin[own.slot] + (size_t)(own.rank + 32768)];
        n = 2 * n + 1 + (number != number ? missing_second[own.slot] : number > with);
      }
      expected[r * dimensions + dimension[t]] += leaf[leaf_begin[t] + n + 1 - ((size_t)1 << depths[t])];
    }
  }
  at("ck_full_trees_f64", "%zu trees, %zu slots, %zu rows, %zu dimensions", count, slots, rows, dimensions);
  size_t room = (ck_full_trees_room(&trees) + 63) / 64 * 64;
  char *memory = take(room + 64);
  ck_full_trees_f64(&trees, x, rows, memory + (64 - (uintptr_t)memory % 64) % 64, sums);
  expect_bytes(expected, sums, rows * dimensions * sizeof *sums);
}

/// The thresholds of features: ascending multiples of 1/2 for each, and their search tables.
static ck_uint8_feature *compared(size_t features, const size_t *counts, double **values, double **pivots) {
  size_t value = 0, pivot = 0, slot = 0;
  ck_uint8_feature *all = take(features * sizeof *all);
  for (size_t f = 0; f < features; f++) {
    size_t pieces = (counts[f] / 16 + 7) / 8 * 8, slots = (counts[f] + CK_BYTE_SLOT_VALUES - 1) / CK_BYTE_SLOT_VALUES;
    if (slots == 0) slots = 1;
    all[f] = (ck_uint8_feature){(uint32_t)f,      (uint32_t)value,  (uint32_t)pivot, (uint32_t)pieces,
                               (uint16_t)slot,   (uint16_t)slots,  random_bool()};
    value += (counts[f] / 16 + 1) * 16, pivot += pieces, slot += slots;
  }
  *values = reals(value, INFINITY, INFINITY), *pivots = reals(pivot, INFINITY, INFINITY);
  for (size_t v = 0; v < value; v++) (*values)[v] = INFINITY;
  for (size_t p = 0; p < pivot; p++) (*pivots)[p] = INFINITY;
  for (size_t f = 0; f < features; f++) {
    double *own = *values + all[f].value_begin;
    for (size_t v = 0; v < counts[f]; v++) {
      own[v] = (double)v / 2 - 3;
      if (v % 16 == 15) (*pivots)[all[f].pivot_begin + v / 16] = own[v];
    }
  }
  return all;
}

static void check_bytes_of_trees(void) {
  if (!ck_int8_supported()) return;
  size_t features = random_size(1, 9), count = random_size(0, 150), dimensions = random_size(1, 3);
  uint32_t depth = (uint32_t)random_size(0, CK_BYTE_TREE_DEPTH);
  size_t *counts = take(features * sizeof *counts);
  for (size_t f = 0; f < features; f++) counts[f] = random_bool() ? random_size(0, 40) : random_size(0, 3000);
  double *values, *pivots;
  ck_uint8_feature *all = compared(features, counts, &values, &pivots);
  size_t groups = (count + CK_UINT8_TREES - 1) / CK_UINT8_TREES, tests = ((size_t)1 << depth) - 1, leaves = (size_t)1 << depth;
  uint8_t *slots = take(groups * tests * CK_UINT8_TREES), *ranks = take(groups * tests * CK_UINT8_TREES);
  uint32_t *feature = take(groups * tests * CK_UINT8_TREES * 4), *global = take(groups * tests * CK_UINT8_TREES * 4);
  for (size_t i = 0; i < groups * tests * CK_UINT8_TREES; i++) {
    size_t f = feature[i] = (uint32_t)random_size(0, features - 1);
    bool none = counts[f] == 0 || random_size(0, 9) == 0;
    global[i] = none ? UINT32_MAX : (uint32_t)random_size(0, counts[f] - 1);
    slots[i] = none ? 0 : (uint8_t)(all[f].slot_begin + global[i] / CK_BYTE_SLOT_VALUES);
    ranks[i] = none ? 255 : (uint8_t)(global[i] % CK_BYTE_SLOT_VALUES);
  }
  size_t rows = random_size(0, 70), width = features + random_size(0, 2);
  double *leaf = reals(count * leaves, -1, 1), *sums = reals(rows * dimensions, -1, 1), *expected = zeros(rows * dimensions);
  uint32_t *dimension = take(count * 4);
  for (size_t t = 0; t < count; t++) dimension[t] = (uint32_t)random_size(0, dimensions - 1);
  double *x = reals(rows * width, -9, 9);
  for (size_t r = 0; r < rows; r++) {
    for (size_t f = 0; f < features; f++) {
      double *own = x + r * width + f;
      *own = random_size(0, 7) == 0 ? NAN : round(random_real(-8, (double)counts[f] + 2)) / 2 - 3;
      if (random_size(0, 9) == 0) *own = random_bool() ? INFINITY : -INFINITY;
    }
  }
  memcpy(expected, sums, rows * dimensions * sizeof *sums);
  for (size_t i = 0; i < rows * count; i++) {
    size_t r = i / count, t = i % count, n = 0, begin = t / CK_UINT8_TREES * tests * CK_UINT8_TREES + t % CK_UINT8_TREES;
    for (size_t level = 0; level < depth; level++) {
      size_t at = begin + n * CK_UINT8_TREES, f = feature[at];
      double number = x[r * width + f];
      bool second = number != number ? all[f].missing_second
                                     : global[at] != UINT32_MAX && number > values[all[f].value_begin + global[at]];
      n = 2 * n + 1 + (global[at] != UINT32_MAX && second);
    }
    expected[r * dimensions + dimension[t]] += leaf[t * leaves + n - tests];
  }
  ck_uint8_trees trees = {features, count, width, dimensions, depth, all, values, pivots, slots, ranks, leaf,
                         dimensions == 1 ? NULL : dimension};
  at("ck_uint8_trees_f64", "%zu rows, %zu trees of %u levels, %zu features, %zu dimensions", rows, count, depth, features, dimensions);
  ck_uint8_trees_f64(&trees, x, rows, sums);
  expect_bytes(expected, sums, rows * dimensions * sizeof *sums);
}

void check_ensembles(void) {
  for (size_t turn = 0; turn < 60; turn++) {
    check_trees(), release();
    check_full(), release();
    check_bytes_of_trees(), release();
  }
}
