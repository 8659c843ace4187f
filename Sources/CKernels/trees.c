// Branch-free tree traversal. PATHS paths are followed in parallel, so that the processor has other work while it waits
// for a node. Each step is a load, a comparison and an addition. For one row the paths belong to several trees, for
// many rows to one tree.
#include <math.h>
#include <string.h>

#include "CKernels.h"

enum { PATHS = 8, LEVELS = 3, BLOCK = 64 };

#define EACH_PATH _Pragma("clang loop unroll(full)") for (int p = 0; p < PATHS; p++)

/// The next node. With `missing`, NaN goes to the side that the branch specifies.
static inline __attribute__((always_inline)) uint32_t follow(
    const ck_trees *t, uint32_t place, const double *x, bool missing) {
  const ck_tree_node *node = t->nodes + place;
  double number = x[node->feature];
  uint32_t second = number > node->value;
  if (missing) second |= (uint32_t)(number != number) & (uint32_t)(t->missing_first[place] ^ 1);
  return node->child + second;
}

/// Follows every path until all are at leaves, for at most `depth` branches. Path p reads x + p * step.
static inline __attribute__((always_inline)) void descend(
    const ck_trees *t, uint32_t depth, const double *x, size_t step, uint32_t *at, bool missing) {
  uint32_t place[PATHS];
  EACH_PATH place[p] = at[p];
  for (uint32_t level = 0; level < depth;) {
    uint32_t end = depth - level < 2 * LEVELS ? depth : level + LEVELS;
    for (; level < end; level++) {
      EACH_PATH place[p] = follow(t, place[p], x + (size_t)p * step, missing);
    }
    if (level == depth) break;
    // In unbalanced trees most paths end far above the deepest leaf.
    uint32_t moving = 0;
    EACH_PATH moving |= t->nodes[place[p]].child ^ place[p];
    if (moving == 0) break;
  }
  EACH_PATH at[p] = place[p];
}

static inline void add_leaf(const ck_trees *t, uint32_t node, double *sums) {
  if (!t->entries) {
    sums[0] += t->nodes[node].value;
    return;
  }
  for (uint32_t e = t->entries[2 * (size_t)node]; e < t->entries[2 * (size_t)node + 1]; e++) {
    sums[t->entry_index[e]] += t->entry_value[e];
  }
}

/// Copies a row and appends the value that leaves test. Returns whether a value is missing (NaN).
static bool place_row(const ck_trees *t, const double *x, double *room) {
  bool missing = false;
  for (size_t i = 0; i < t->features; i++) {
    room[i] = x[i];
    missing |= x[i] != x[i];
  }
  room[t->features] = -INFINITY;
  return missing;
}

/// One row, PATHS trees at a time.
static inline __attribute__((always_inline)) void go_through(
    const ck_trees *t, const double *room, double *sums, bool missing) {
  for (size_t tree = 0; tree < t->trees; tree += PATHS) {
    size_t count = t->trees - tree < PATHS ? t->trees - tree : PATHS;
    uint32_t at[PATHS], depth = 0;
    EACH_PATH {
      size_t own = tree + ((size_t)p < count ? (size_t)p : 0);  // paths without a tree repeat the first
      at[p] = t->roots[own];
      depth = t->depths[own] > depth ? t->depths[own] : depth;
    }
    descend(t, depth, room, 0, at, missing);
    for (size_t p = 0; p < count; p++) add_leaf(t, at[p], sums);
  }
}

void ck_trees_f64(const ck_trees *t, const double *x, double *room, double *sums) {
  if (place_row(t, x, room)) {
    go_through(t, room, sums, true);
  } else {
    go_through(t, room, sums, false);
  }
}

/// A block of rows, tree after tree: the nodes of a tree stay in L1 for all rows.
static inline __attribute__((always_inline)) void go_together(
    const ck_trees *t, const double *room, size_t rows, size_t dimensions, double *sums, bool missing) {
  size_t step = t->features + 1;
  for (size_t tree = 0; tree < t->trees; tree++) {
    for (size_t row = 0; row < rows; row += PATHS) {
      uint32_t at[PATHS];
      EACH_PATH at[p] = t->roots[tree];
      descend(t, t->depths[tree], room + row * step, step, at, missing);
      size_t count = rows - row < PATHS ? rows - row : PATHS;
      for (size_t p = 0; p < count; p++) add_leaf(t, at[p], sums + (row + p) * dimensions);
    }
  }
}

size_t ck_trees_room(const ck_trees *t, size_t rows) {
  return (rows < PATHS ? 1 : (rows < BLOCK ? (rows + PATHS - 1) / PATHS * PATHS : BLOCK)) * (t->features + 1);
}

void ck_trees_rows_f64(
    const ck_trees *t, const double *x, size_t rows, size_t dimensions, double *room, double *sums) {
  size_t step = t->features + 1;
  for (size_t row = 0; row < rows; row += BLOCK) {
    size_t count = rows - row < BLOCK ? rows - row : BLOCK;
    if (count < PATHS) {
      for (; row < rows; row++) ck_trees_f64(t, x + row * t->features, room, sums + row * dimensions);
      return;
    }
    bool missing = false;
    for (size_t r = 0; r < count; r++) missing |= place_row(t, x + (row + r) * t->features, room + r * step);
    // Paths without a row repeat the last row.
    for (size_t r = count; r % PATHS != 0; r++) memcpy(room + r * step, room + (count - 1) * step, step * sizeof *room);
    if (missing) {
      go_together(t, room, count, dimensions, sums + row * dimensions, true);
    } else {
      go_together(t, room, count, dimensions, sums + row * dimensions, false);
    }
  }
}

size_t ck_full_trees_room(const ck_full_trees *t) {
  return CK_TREE_ROWS * (t->slots * sizeof(int16_t) + t->dimensions * sizeof(double));
}
