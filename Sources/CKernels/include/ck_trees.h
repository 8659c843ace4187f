// Ensembles of decision trees.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// A branch goes to node `child` where x[feature] <= value, else to the node after `child`. A leaf is its own child.
/// Its `feature` is the index after the last feature, which holds a value below every other, so a walk stays at the
/// leaf. A leaf's value is its contribution to the only dimension.
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
  const uint8_t *_Nullable missing_first;  // of branches: whether a missing value (NaN) goes to `child`
  // Two per node: the first entry of a leaf, and the index after its last. NULL if a leaf contributes its value.
  const uint32_t *_Nullable entries;
  const uint32_t *_Nullable entry_index;   // the dimension that an entry adds to
  const double *_Nullable entry_value;
} ck_trees;

/// sums += the contributions of the leaves that x reaches, tree after tree. `room` holds one element more than x.
void ck_trees_f64(const ck_trees *trees, const double *x, double *room, double *sums);

/// As ck_trees_f64 for rows of x, each to a row of `dimensions` sums; the results are those of single rows. `room`
/// holds ck_trees_room elements.
void ck_trees_rows_f64(
    const ck_trees *trees, const double *x, size_t rows, size_t dimensions, double *room, double *sums);
size_t ck_trees_room(const ck_trees *trees, size_t rows);

/// Full trees: every path has the tree's depth. The children of the branch at place n are at places 2 n + 1 and 2 n +
/// 2. Tests compare ranks. The rank of a value is the number of smaller values among the sorted thresholds of its slot.
enum { CK_TREE_DEPTH = 7, CK_TREE_ROWS = 64, CK_TREE_RANKS = 65535 };

/// Goes to the second child where the slot's rank, minus 32768, is greater than `rank`.
typedef struct ck_tree_test {
  int16_t rank;
  uint16_t slot;
} ck_tree_test;

/// A slot is a feature together with its rule for missing values.
typedef struct ck_full_trees {
  size_t features, trees, slots, dimensions;
  const uint32_t *slot_feature;
  const uint8_t *missing_second;  // of slots: whether a missing value (NaN) goes to the second child
  const uint32_t *value_begin;    // of slots, and one more; a slot has at most CK_TREE_RANKS - 1 values
  const double *values;           // ascending
  const uint8_t *depths;          // of trees, at most CK_TREE_DEPTH
  const uint32_t *test_begin, *leaf_begin, *dimension;  // of trees
  const ck_tree_test *tests;
  const double *leaves;
} ck_full_trees;

/// sums += the contributions of the leaves that each row of x reaches, tree after tree. The result of a row does not
/// depend on the other rows. `room` holds ck_full_trees_room bytes, aligned to 64.
CK_KERNEL(base) void ck_full_trees_f64(
    const ck_full_trees *trees, const double *x, size_t rows, void *room, double *sums);
size_t ck_full_trees_room(const ck_full_trees *trees);

/// Full trees whose tests compare bytes. A slot is at most 255 of the thresholds of a feature. Its byte is the number
/// of thresholds that are less than the value.
enum { CK_UINT8_TREES = 64, CK_BYTE_TREE_DEPTH = 7, CK_BYTE_SLOTS = 128, CK_BYTE_SLOT_VALUES = 255 };

/// The thresholds of a feature. A search first looks among the maxima of each group of sixteen, then within one group.
typedef struct ck_uint8_feature {
  uint32_t feature;
  uint32_t value_begin;  // infinities, at least one, pad the values to a multiple of 16
  uint32_t pivot_begin;  // infinities pad the pivots to a multiple of 8
  uint32_t pivots;       // including the padding
  uint16_t slot_begin, slots;
  uint8_t missing_second;  // whether a missing value (NaN) goes to the second child
} ck_uint8_feature;

typedef struct ck_uint8_trees {
  size_t features, trees;
  size_t width, dimensions;         // elements of a row, and sums of one
  uint32_t depth;                   // of all trees, at most CK_BYTE_TREE_DEPTH
  const ck_uint8_feature *compared;  // `features` of them
  const double *values, *pivots;
  // For each group of CK_UINT8_TREES trees, level by level and place by place, the tests of all trees of the group. A
  // test goes to the second child where the slot's byte is greater than the rank. Slot 0 pads the last group.
  const uint8_t *slots, *ranks;
  const double *leaves;                 // 1 << depth of each tree
  const uint32_t *_Nullable dimension;  // of trees; NULL if all contribute to the only one
} ck_uint8_trees;

/// sums += the contributions of the leaves that each row of x reaches, tree after tree. The result of a row does not
/// depend on the other rows. Only if ck_int8_supported().
CK_KERNEL(avx512vnni) void ck_uint8_trees_f64(const ck_uint8_trees *trees, const double *x, size_t rows, double *sums);

#pragma clang assume_nonnull end
