// Evaluates ensembles of full (complete) decision trees, 64 trees of one row in parallel. A test compares two bytes: a
// rank of the row's feature value with the rank of the threshold. At each level, the results of the levels above select
// the next test of every tree. One byte lookup and one comparison evaluate all 64 tests of a level.
#include "../vector.h"

/// The number of thresholds of a feature that are less than x.
CK_INLINE uint32_t bytes_less(const ck_uint8_trees *t, const ck_uint8_feature *f, __m512d x) {
  const double *pivots = t->pivots + f->pivot_begin;
  uint32_t pieces = 0;
  for (uint32_t p = 0; p < f->pivots; p += 8) {
    pieces += (uint32_t)__builtin_popcount(_mm512_cmp_pd_mask(_mm512_loadu_pd(pivots + p), x, _CMP_LT_OQ));
  }
  const double *piece = t->values + f->value_begin + 16 * (size_t)pieces;
  uint32_t low = _mm512_cmp_pd_mask(_mm512_loadu_pd(piece), x, _CMP_LT_OQ);
  uint32_t high = _mm512_cmp_pd_mask(_mm512_loadu_pd(piece + 8), x, _CMP_LT_OQ);
  return 16 * pieces + (uint32_t)__builtin_popcount(low | high << 8);
}

/// Computes the bytes that the tests of one row compare. A feature with many thresholds uses several bytes (slots).
CK_INLINE void place_bytes(const ck_uint8_trees *t, const double *x, uint8_t *bytes) {
  memset(bytes, 0, CK_BYTE_SLOTS);
  for (size_t i = 0; i < t->features; i++) {
    const ck_uint8_feature *f = t->compared + i;
    double number = x[f->feature];
    bool second = number != number && f->missing_second;
    int32_t less = (int32_t)bytes_less(t, f, _mm512_set1_pd(number));
    for (uint32_t s = 0; s < f->slots; s++) {
      int32_t own = less - (int32_t)(s * CK_BYTE_SLOT_VALUES);
      own = own < 0 ? 0 : own > CK_BYTE_SLOT_VALUES ? CK_BYTE_SLOT_VALUES : own;
      bytes[f->slot_begin + s] = second ? CK_BYTE_SLOT_VALUES : (uint8_t)own;
    }
  }
}

static const _Alignas(64) uint16_t tree_numbers[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// pick_n selects each tree's entry among the 1 << n entries of level n, by the results of the n levels above. In the
// outermost call answers[0] is the result of the root.
CK_INLINE __m512i pick_0(const uint8_t *level, const __mmask64 *answers) { return (void)answers, _mm512_loadu_si512(level); }
#define PICK(n, less)                                                                                                 \
  CK_INLINE __m512i pick_##n(const uint8_t *level, const __mmask64 *answers) {                                        \
    __m512i first = pick_##less(level, answers + 1);                                                                  \
    return _mm512_mask_mov_epi8(first, answers[0], pick_##less(level + ((CK_UINT8_TREES / 2) << n), answers + 1));       \
  }
PICK(1, 0)
PICK(2, 1)
PICK(3, 2)
PICK(4, 3)
PICK(5, 4)
PICK(6, 5)
#undef PICK

/// The leaf index of each of 64 trees, one byte each.
CK_INLINE __m512i leaves_of(const ck_uint8_trees *t, const uint8_t *slots, const uint8_t *ranks, const __m512i *bytes) {
  __mmask64 answers[CK_BYTE_TREE_DEPTH];
  __m512i leaf = _mm512_setzero_si512();
#define LEVEL(n)                                                                                                      \
  if (t->depth == n) return leaf;                                                                                     \
  {                                                                                                                   \
    size_t begin = ((1 << n) - 1) * CK_UINT8_TREES;                                                                      \
    __m512i slot = pick_##n(slots + begin, answers), own = _mm512_permutex2var_epi8(bytes[0], slot, bytes[1]);         \
    answers[n] = _mm512_cmpgt_epu8_mask(own, pick_##n(ranks + begin, answers));                                       \
    leaf = _mm512_add_epi8(leaf, leaf);                                                                               \
    leaf = _mm512_mask_sub_epi8(leaf, answers[n], leaf, _mm512_set1_epi8(-1));                                        \
  }
  LEVEL(0)
  LEVEL(1)
  LEVEL(2)
  LEVEL(3)
  LEVEL(4)
  LEVEL(5)
  LEVEL(6)
#undef LEVEL
  return leaf;
}

/// Converts the leaf indices of 64 trees to indices into the leaves of all 64 trees.
CK_INLINE void place_leaves(__m512i leaf, uint32_t depth, uint16_t *places) {
  for (uint32_t half = 0; half < 2; half++) {
    __m512i tree = _mm512_add_epi16(_mm512_load_si512(tree_numbers), _mm512_set1_epi16((int16_t)(32 * half)));
    __m512i own = _mm512_cvtepu8_epi16(half ? _mm512_extracti64x4_epi64(leaf, 1) : _mm512_castsi512_si256(leaf));
    own = _mm512_add_epi16(own, _mm512_sll_epi16(tree, _mm_cvtsi32_si128((int)depth)));
    _mm512_store_si512(places + 32 * half, own);
  }
}

/// BYTE_ROWS: rows that are evaluated one after the other with the same 64 trees, while the tables of these trees are
/// in L1. BYTE_ROWS_TOGETHER: rows whose leaves one loop adds.
enum { BYTE_ROWS = 32, BYTE_ROWS_TOGETHER = 4 };

/// Adds the leaf values of `count` trees from `tree` on, for R rows. The additions of one row form a dependency chain.
/// The additions of other rows, and the evaluation of the next trees, overlap with it.
CK_INLINE void add_leaves(
    size_t R, const ck_uint8_trees *t, size_t tree, size_t count, uint16_t (*places)[CK_UINT8_TREES], double *sums) {
  const double *own = t->leaves + (tree << t->depth);
  if (t->dimension) {
    for (size_t i = 0; i < count; i++) {
      double *to = sums + t->dimension[tree + i];
      for (size_t r = 0; r < R; r++) to[r * t->dimensions] += own[places[r][i]];
    }
    return;
  }
  double sum[BYTE_ROWS_TOGETHER];
  for (size_t r = 0; r < R; r++) sum[r] = sums[r];
  _Pragma("clang loop unroll_count(8)") for (size_t i = 0; i < count; i++) {
    _Pragma("clang loop unroll(full)") for (size_t r = 0; r < R; r++) sum[r] += own[places[r][i]];
  }
  for (size_t r = 0; r < R; r++) sums[r] = sum[r];
}

CK_INLINE void go_down(size_t R, const ck_uint8_trees *t, size_t tree, uint8_t (*bytes)[CK_BYTE_SLOTS], double *sums) {
  _Alignas(64) uint16_t places[BYTE_ROWS_TOGETHER][CK_UINT8_TREES];
  size_t done = tree * (((size_t)1 << t->depth) - 1), left = t->trees - tree;
  for (size_t r = 0; r < R; r++) {
    __m512i own[2] = {_mm512_load_si512(bytes[r]), _mm512_load_si512(bytes[r] + 64)};
    place_leaves(leaves_of(t, t->slots + done, t->ranks + done, own), t->depth, places[r]);
  }
  add_leaves(R, t, tree, left < CK_UINT8_TREES ? left : CK_UINT8_TREES, places, sums);
}

void CK_FN(uint8_trees_f64)(const ck_uint8_trees *t, const double *x, size_t rows, double *sums) {
  _Alignas(64) uint8_t bytes[BYTE_ROWS][CK_BYTE_SLOTS];
  for (size_t begin = 0; begin < rows; begin += BYTE_ROWS) {
    size_t count = rows - begin < BYTE_ROWS ? rows - begin : BYTE_ROWS;
    for (size_t r = 0; r < count; r++) place_bytes(t, x + (begin + r) * t->width, bytes[r]);
    double *own = sums + begin * t->dimensions;
    for (size_t tree = 0; tree < t->trees; tree += CK_UINT8_TREES) {
      size_t r = 0;
      for (; r + BYTE_ROWS_TOGETHER <= count; r += BYTE_ROWS_TOGETHER) {
        go_down(BYTE_ROWS_TOGETHER, t, tree, bytes + r, own + r * t->dimensions);
      }
      for (; r < count; r++) go_down(1, t, tree, bytes + r, own + r * t->dimensions);
    }
  }
}
