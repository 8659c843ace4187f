// Ensembles of decision trees.
//
//   ck_trees_f64       (trees, x, room, sums)
//   ck_trees_rows_f64  (trees, x, rows, dimensions, room, sums)
//   ck_trees_room      (trees, rows)
//   ck_full_trees_f64  (trees, x, rows, room, sums)
//   ck_full_trees_room (trees)
//   ck_uint8_trees_f64  (trees, x, rows, sums)
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

/// The same for rows of x, each to a row of `dimensions` sums: the same numbers as row by row. `room` is for ck_trees_room numbers.
void ck_trees_rows_f64(
    const ck_trees *trees, const double *x, size_t rows, size_t dimensions, double *room, double *sums);
size_t ck_trees_room(const ck_trees *trees, size_t rows);

/// Full trees: every path has a tree's depth, and followers stand where the place of their branch says: 2 n + 1 and 2 n + 2. Tests are of
/// ranks: of the rising numbers that any branch compares a feature with, how many are less.
enum { CK_TREE_DEPTH = 7, CK_TREE_ROWS = 64, CK_TREE_RANKS = 65535 };

/// Goes to the second follower where the slot's rank, less 32768, is greater.
typedef struct ck_tree_test {
  int16_t rank;
  uint16_t slot;
} ck_tree_test;

/// A slot is a feature, with what becomes of numbers that are none.
typedef struct ck_full_trees {
  size_t features, trees, slots, dimensions;
  const uint32_t *slot_feature;
  const uint8_t *missing_second;  // of slots: whether a number that is none (NaN) goes to the second follower
  const uint32_t *value_begin;    // of slots, and one more; no slot has more than CK_TREE_RANKS - 1 values
  const double *values;           // rising
  const uint8_t *depths;          // of trees, CK_TREE_DEPTH at most
  const uint32_t *test_begin, *leaf_begin, *dimension;  // of trees
  const ck_tree_test *tests;
  const double *leaves;
} ck_full_trees;

/// sums += what the leaves have that each row of x comes to, tree after tree: a row gives the same whatever rows are beside it. `room` is for
/// ck_full_trees_room bytes, aligned to 64.
void ck_full_trees_f64(const ck_full_trees *trees, const double *x, size_t rows, void *room, double *sums);
size_t ck_full_trees_room(const ck_full_trees *trees);

/// Full trees whose tests are of bytes: a slot is 255 numbers at most of those that a feature is compared with, and its byte is how
/// many of them are less.
enum { CK_UINT8_TREES = 64, CK_BYTE_TREE_DEPTH = 7, CK_BYTE_SLOTS = 128, CK_BYTE_SLOT_VALUES = 255 };

/// What a feature is compared with. Its numbers are looked for among the greatest of each sixteen, then among those sixteen.
typedef struct ck_uint8_feature {
  uint32_t feature;
  uint32_t value_begin;  // behind the last number infinities, one at least, to a multiple of 16
  uint32_t pivot_begin;  // behind the last pivot infinities to a multiple of 8
  uint32_t pivots;       // with those
  uint16_t slot_begin, slots;
  uint8_t missing_second;  // whether a number that is none (NaN) goes to the second follower
} ck_uint8_feature;

typedef struct ck_uint8_trees {
  size_t features, trees;
  size_t width, dimensions;         // numbers of a row, and sums of one
  uint32_t depth;                   // of all trees, CK_BYTE_TREE_DEPTH at most
  const ck_uint8_feature *compared;  // `features` of them
  const double *values, *pivots;
  // Of each CK_UINT8_TREES trees, level by level and in it place by place, those of all trees: a test goes to the second follower where the
  // slot's byte is greater than the rank. What the last group has too much is slot 0.
  const uint8_t *slots, *ranks;
  const double *leaves;                 // 1 << depth of each tree
  const uint32_t *_Nullable dimension;  // of trees; NULL where all add to the only one
} ck_uint8_trees;

/// sums += what the leaves have that each row of x comes to, tree after tree: a row gives the same whatever rows are beside it. Only where
/// ck_int8_supported().
void ck_uint8_trees_f64(const ck_uint8_trees *trees, const double *x, size_t rows, double *sums);

#pragma clang assume_nonnull end
