// Ensembles of decision trees.
//
//   ck_trees_f64  (trees, x, room, sums)
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// A branch: from here to `child` where x[feature] <= value, else to the node behind that. A leaf is its own child, and asks
/// for the feature behind the last, which is less than everything; its value is what it adds to the only dimension.
typedef struct ck_tree_node {
  double value;
  uint32_t feature;
  uint32_t child;
} ck_tree_node;

typedef struct ck_trees {
  size_t features, trees;
  const ck_tree_node *_Nullable nodes;
  const uint32_t *_Nullable roots;
  const uint32_t *_Nullable depths;        // branches on the longest path of a tree
  const uint8_t *_Nullable missing_first;  // of branches: whether a number that is none (NaN) goes to `child`
  // Two of each node: the first entry of a leaf, and the one behind its last. NULL where a leaf adds its value.
  const uint32_t *_Nullable entries;
  const uint32_t *_Nullable entry_index;   // the dimension that an entry adds to
  const double *_Nullable entry_value;
} ck_trees;

/// sums += what the leaves have that x comes to, tree after tree. `room` is for one number more than x has.
void ck_trees_f64(const ck_trees *trees, const double *x, double *room, double *sums);

#pragma clang assume_nonnull end
