// Sorting. A value's rank and its position form one 64-bit word, with the rank in the upper half. Words compare in one
// step and no two are equal, so the order is that of a stable sort.
#include "ck_sort.h"

#include <string.h>

/// A small selection uses a heap, which most values do not enter. Otherwise a radix sort orders all values.
static bool is_selection(size_t axis, size_t keep) { return keep <= axis / 8; }

size_t ck_sort_scratch(size_t axis, size_t keep) { return is_selection(axis, keep) ? keep : 2 * axis; }

/// Maps a float to an unsigned integer with the same order. Both zeros are equal; NaN is greatest.
static inline uint32_t rank_f32(float value) {
  uint32_t bits;
  if (value != value) return UINT32_MAX;
  if (value == 0) return UINT32_C(1) << 31;
  memcpy(&bits, &value, 4);
  return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static inline uint32_t rank_i32(int32_t value) { return (uint32_t)value ^ UINT32_C(1) << 31; }

static inline uint64_t word(uint32_t rank, bool ascending, size_t place) {
  return (uint64_t)(ascending ? rank : ~rank) << 32 | (uint32_t)place;
}

// MARK: selection

/// Places `value` at node `at` of a max-heap and moves it down to its position.
static inline void sink(uint64_t *heap, size_t count, size_t at, uint64_t value) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    child += child + 1 < count && heap[child + 1] > heap[child];
    if (heap[child] <= value) break;
    heap[at] = heap[child];
  }
  heap[at] = value;
}

static void make_heap(uint64_t *heap, size_t count) {
  for (size_t at = count / 2; at-- > 0;) sink(heap, count, at, heap[at]);
}

static void sort_heap(uint64_t *heap, size_t count) {
  while (count > 1) {
    uint64_t last = heap[--count];
    heap[count] = heap[0];
    sink(heap, count, 0, last);
  }
}

// MARK: radix sort

/// Radix sort by bytes of the rank, from the lowest. Words start in the order of their positions. The result is in
/// `words`.
static void sort_digits(uint64_t *words, uint64_t *other, size_t count) {
  uint32_t counts[4][256] = {{0}};
  for (size_t i = 0; i < count; i++) {
    for (int digit = 0; digit < 4; digit++) counts[digit][words[i] >> (32 + 8 * digit) & 255]++;
  }
  uint64_t *from = words, *to = other;
  for (int digit = 0; digit < 4; digit++) {
    uint32_t *starts = counts[digit], sum = 0;
    int shift = 32 + 8 * digit;
    if (count == 0 || starts[from[0] >> shift & 255] == count) continue;
    for (int value = 0; value < 256; value++) {
      uint32_t here = starts[value];
      starts[value] = sum;
      sum += here;
    }
    for (size_t i = 0; i < count; i++) to[starts[from[i] >> shift & 255]++] = from[i];
    uint64_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != words) memcpy(words, from, count * sizeof(uint64_t));
}

/// Insertion sort, which is faster for a few words.
static void sort_short(uint64_t *words, size_t count) {
  for (size_t i = 1; i < count; i++) {
    uint64_t value = words[i];
    size_t at = i;
    for (; at > 0 && words[at - 1] > value; at--) words[at] = words[at - 1];
    words[at] = value;
  }
}

#define SHORT 48

#define CK_SORT(suffix, type)                                                                                         \
  static void order_##suffix(                                                                                         \
      bool ascending, const type *in, size_t axis, size_t inner, size_t keep, uint64_t *words) {                      \
    bool selects = is_selection(axis, keep);                                                                          \
    size_t first = selects ? keep : axis;                                                                             \
    for (size_t i = 0; i < first; i++) words[i] = word(rank_##suffix(in[i * inner]), ascending, i);                    \
    if (selects) {                                                                                                    \
      if (keep == 0) return;                                                                                          \
      make_heap(words, keep);                                                                                         \
      for (size_t i = keep; i < axis; i++) {                                                                          \
        uint64_t value = word(rank_##suffix(in[i * inner]), ascending, i);                                             \
        if (value < words[0]) sink(words, keep, 0, value);                                                            \
      }                                                                                                               \
      sort_heap(words, keep);                                                                                         \
    } else if (axis <= SHORT) {                                                                                       \
      sort_short(words, axis);                                                                                        \
    } else {                                                                                                          \
      sort_digits(words, words + axis, axis);                                                                         \
    }                                                                                                                 \
  }                                                                                                                   \
                                                                                                                      \
  void ck_sort_##suffix(                                                                                              \
      bool ascending, const type *in, type *values, int32_t *places, size_t outer, size_t axis, size_t inner,         \
      size_t keep, uint64_t *scratch) {                                                                               \
    for (size_t o = 0; o < outer; o++) {                                                                              \
      for (size_t k = 0; k < inner; k++) {                                                                            \
        const type *line = in + o * axis * inner + k;                                                                 \
        order_##suffix(ascending, line, axis, inner, keep, scratch);                                                  \
        size_t target = o * keep * inner + k;                                                                         \
        for (size_t i = 0; i < keep; i++, target += inner) {                                                          \
          uint32_t place = (uint32_t)scratch[i];                                                                      \
          if (places) places[target] = (int32_t)place;                                                                \
          if (values) values[target] = line[place * inner];                                                           \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }
CK_SORT(f32, float)
CK_SORT(i32, int32_t)
