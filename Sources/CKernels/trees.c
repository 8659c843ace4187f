// Trees without jumps: some paths go down side by side, each step a load, a comparison and an addition, so that the processor has something
// to do while it waits for a node.
#include <math.h>
#include <string.h>

#include "CKernels.h"

enum { PATHS = 8, LEVELS = 3 };

#define EACH_PATH _Pragma("clang loop unroll(full)") for (int p = 0; p < PATHS; p++)

/// Lets every path go down until all are at leaves, `depth` branches at most.
static inline __attribute__((always_inline)) void descend(
    const ck_tree_node *nodes, uint32_t depth, const double *x, uint32_t *at) {
  uint32_t place[PATHS];
  EACH_PATH place[p] = at[p];
  for (uint32_t level = 0; level < depth;) {
    uint32_t end = depth - level < 2 * LEVELS ? depth : level + LEVELS;
    for (; level < end; level++) {
      EACH_PATH {
        const ck_tree_node *node = nodes + place[p];
        place[p] = node->child + (x[node->feature] > node->value);
      }
    }
    if (level == depth) break;
    // Paths end far above the longest in trees that are no full ones.
    uint32_t moving = 0;
    EACH_PATH moving |= nodes[place[p]].child ^ place[p];
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

/// Some numbers are missing: one path after the other.
static void walk(const ck_trees *t, const double *x, double *sums) {
  for (size_t tree = 0; tree < t->trees; tree++) {
    uint32_t at = t->roots[tree];
    while (t->nodes[at].child != at) {
      const ck_tree_node *node = t->nodes + at;
      double number = x[node->feature];
      bool first = number != number ? t->missing_first[at] : number <= node->value;
      at = node->child + !first;
    }
    add_leaf(t, at, sums);
  }
}

static bool has_missing(const double *x, size_t n) {
  bool missing = false;
  for (size_t i = 0; i < n; i++) missing |= x[i] != x[i];
  return missing;
}

void ck_trees_f64(const ck_trees *t, const double *x, double *room, double *sums) {
  if (has_missing(x, t->features)) {
    walk(t, x, sums);
    return;
  }
  if (t->features > 0) memcpy(room, x, t->features * sizeof *x);
  room[t->features] = -INFINITY;
  for (size_t tree = 0; tree < t->trees; tree += PATHS) {
    size_t count = t->trees - tree < PATHS ? t->trees - tree : PATHS;
    uint32_t at[PATHS], depth = 0;
    EACH_PATH {
      size_t own = tree + ((size_t)p < count ? (size_t)p : 0);  // paths without a tree go with the first
      at[p] = t->roots[own];
      depth = t->depths[own] > depth ? t->depths[own] : depth;
    }
    descend(t->nodes, depth, room, at);
    for (size_t p = 0; p < count; p++) add_leaf(t, at[p], sums);
  }
}
