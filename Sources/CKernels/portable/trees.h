// Full trees of few levels. All tests of a tree are evaluated for a vector of rows. The results of the levels above
// halve the comparisons of a level until one is left. The bits of these results are the leaf index.
#include "../vector.h"

enum { LANES = 2 * CK_W, ROWS = CK_TREE_ROWS };
typedef __attribute__((ext_vector_type(2 * CK_W))) int16_t vs;

CK_INLINE vs vs_load(const int16_t *p) {
  vs v;
  memcpy(&v, p, sizeof v);
  return v;
}

/// Prevents the compiler from turning a comparison into a branch.
#define AS_IT_IS(number) __asm__("" : "+r"(number))

/// For each of `count` values x, counts how many of n ascending values are less. The searches are interleaved and
/// branch-free. NaN gives 0.
CK_INLINE void ranks_of(const double *values, uint32_t n, const double *x, uint32_t *rank, size_t count) {
  for (size_t r = 0; r < count; r++) rank[r] = 0;
  for (uint32_t left = n; left > 0;) {
    uint32_t half = (left + 1) / 2;
    _Pragma("clang loop vectorize(disable)") for (size_t r = 0; r < count; r++) {
      uint32_t less = values[rank[r] + half - 1] < x[r];
      AS_IT_IS(less);
      rank[r] += half & (0u - less);
    }
    left -= half;
  }
}

CK_INLINE void place_ranks(const ck_full_trees *t, size_t slot, const double *x, int16_t *ranks, size_t count) {
  uint32_t begin = t->value_begin[slot], rank[ROWS];
  ranks_of(t->values + begin, t->value_begin[slot + 1] - begin, x, rank, count);
  bool second = t->missing_second[slot];
  for (size_t r = 0; r < count; r++) {
    uint32_t own = second && x[r] != x[r] ? CK_TREE_RANKS : rank[r];
    ranks[r] = (int16_t)((int32_t)own - 32768);
  }
}

/// The leaf index of each lane.
CK_INLINE vs leaves_of(const ck_tree_test *tests, const int16_t *ranks, int depth) {
  vs answer[CK_TREE_DEPTH], leaf = 0;
  _Pragma("clang loop unroll(full)") for (int level = 0; level < depth; level++) {
    vs test[1 << (CK_TREE_DEPTH - 1)];
    int count = 1 << level;
    const ck_tree_test *own = tests + count - 1;
    _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++) {
      test[i] = vs_load(ranks + (size_t)own[i].slot * ROWS) > (vs)own[i].rank;
    }
    _Pragma("clang loop unroll(full)") for (int above = 0; above < level; above++) {
      count /= 2;
      _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++) {
        test[i] = (test[i] & ~answer[above]) | (test[i + count] & answer[above]);
      }
    }
    answer[level] = test[0];
    leaf |= answer[level] & (int16_t)(1 << (depth - 1 - level));
  }
  return leaf;
}

#define CK_TREE_OF(depth)                                                                                             \
  static void tree_##depth(const ck_tree_test *tests, const double *leaves, const int16_t *ranks, double *sums) {     \
    for (size_t row = 0; row < ROWS; row += LANES) {                                                                  \
      int16_t leaf[LANES];                                                                                            \
      vs found = leaves_of(tests, ranks + row, depth);                                                                \
      memcpy(leaf, &found, sizeof leaf);                                                                              \
      for (size_t l = 0; l < LANES; l++) sums[row + l] += leaves[leaf[l]];                                            \
    }                                                                                                                 \
  }
CK_TREE_OF(0)
CK_TREE_OF(1)
CK_TREE_OF(2)
CK_TREE_OF(3)
CK_TREE_OF(4)
CK_TREE_OF(5)
CK_TREE_OF(6)
CK_TREE_OF(7)
#undef CK_TREE_OF

static void (*const tree_of[CK_TREE_DEPTH + 1])(
    const ck_tree_test *, const double *, const int16_t *, double *) = {tree_0, tree_1, tree_2, tree_3,
                                                                        tree_4, tree_5, tree_6, tree_7};

static void block(const ck_full_trees *t, const double *x, size_t rows, void *room, double *sums) {
  int16_t *ranks = room;
  double *own = (double *)(ranks + t->slots * ROWS);
  for (size_t slot = 0; slot < t->slots; slot++) {
    double column[ROWS];
    // Lanes without a row repeat the last row.
    for (size_t r = 0; r < ROWS; r++) column[r] = x[(r < rows ? r : rows - 1) * t->features + t->slot_feature[slot]];
    place_ranks(t, slot, column, ranks + slot * ROWS, ROWS);
  }
  for (size_t d = 0; d < t->dimensions; d++) {
    for (size_t r = 0; r < ROWS; r++) own[d * ROWS + r] = r < rows ? sums[r * t->dimensions + d] : 0;
  }
  for (size_t tree = 0; tree < t->trees; tree++) {
    tree_of[t->depths[tree]](
        t->tests + t->test_begin[tree], t->leaves + t->leaf_begin[tree], ranks, own + t->dimension[tree] * ROWS);
  }
  for (size_t d = 0; d < t->dimensions; d++) {
    for (size_t r = 0; r < rows; r++) sums[r * t->dimensions + d] = own[d * ROWS + r];
  }
}

void CK_FN(full_trees_f64)(const ck_full_trees *t, const double *x, size_t rows, void *room, double *sums) {
  for (size_t row = 0; row < rows; row += ROWS) {
    size_t count = rows - row < ROWS ? rows - row : ROWS;
    block(t, x + row * t->features, count, room, sums + row * t->dimensions);
  }
}
