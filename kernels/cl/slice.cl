// Writes `update` into a slice of y by NumPy's rules. The plan fixes the size of the slice; its bounds are known at run
// time only. If the slice has another size, the kernel writes nothing and sets the fault word.
#ifndef T
#define T uint
#endif
#ifndef RANK
#define RANK 1
#endif

#define OPEN 0
#define KNOWN 1

typedef struct {
  INDEX size[RANK];   // of y
  INDEX stride[RANK]; // elements of y from one index to the next
  INDEX step[RANK];   // not 0
  INDEX count[RANK];  // elements of the slice; -1 for an axis with a single index
  // Source of each bound: the end of the axis (OPEN), the value here (KNOWN), or the element of the argument with this
  // index.
  INDEX begin_from[RANK];
  INDEX begin[RANK];
  INDEX end_from[RANK];
  INDEX end[RANK];
} Slice;

static INDEX bound(INDEX from, INDEX number, global const int *argument) {
  return from == KNOWN ? number : (INDEX)argument[number];
}

static INDEX clamped(INDEX index, INDEX size, INDEX step) {
  if (index < 0) index += size;
  return step > 0 ? clamp(index, (INDEX)0, size) : clamp(index, (INDEX)-1, size - 1);
}

// The first index of the slice along an axis. -1 if the slice is not the planned one.
static INDEX first_index(const Slice *s, int d, global const int *begin, global const int *end) {
  INDEX size = s->size[d], step = s->step[d];
  if (s->count[d] < 0) {
    INDEX index = bound(s->begin_from[d], s->begin[d], begin);
    if (index < 0) index += size;
    return index < size ? index : -1;
  }
  INDEX first = step > 0 ? 0 : size - 1, last = step > 0 ? size : -1;
  if (s->begin_from[d] != OPEN) first = clamped(bound(s->begin_from[d], s->begin[d], begin), size, step);
  if (s->end_from[d] != OPEN) last = clamped(bound(s->end_from[d], s->end[d], end), size, step);
  INDEX span = step > 0 ? last - first : first - last;
  INDEX found = span > 0 ? (span - 1) / (step > 0 ? step : -step) + 1 : 0;
  return found == s->count[d] ? first : -1;
}

kernel void update_slice(global const T *update, ulong update0, global const int *begin, ulong begin0,
                         global const int *end, ulong end0, global T *y, ulong y0, Slice s, INDEX count,
                         global int *fault) {
  update += update0;
  y += y0;
  for (int d = 0; d < RANK; d++) {
    INDEX first = first_index(&s, d, begin + begin0, end + end0);
    if (first < 0) {
      atomic_or(fault, 1);
      return;
    }
    y += first * s.stride[d];
  }
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX rest = i, place = 0;
    for (int d = RANK - 1; d >= 0; d--) {
      if (s.count[d] < 0) continue;
      place += rest % s.count[d] * s.step[d] * s.stride[d];
      rest /= s.count[d];
    }
    y[place] = update[i];
  }
}
