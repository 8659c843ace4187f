// `data` with updates at the positions that indices denote. Updates to one position apply in their order, so results
// are deterministic: each output element is written by one work-item.
//
// T is the element type, SUM the type in which elements are combined.
#ifndef T
#define T float
#define SUM float
#define REAL 1
#endif
// 0 update, 1 add, 2 sub, 3 mul, 4 div, 5 max, 6 min.
#ifndef MODE
#define MODE 1
#endif
// The index type, and whether a negative index is out of bounds instead of counted from the end.
#ifndef PICK
#define PICK int
#endif
#ifndef STRICT
#define STRICT 0
#endif
// Indices that denote one position, and whether every element has its own index.
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef ALONG
#define ALONG 0
#endif

typedef struct {
  INDEX axes[DEPTH]; // sizes of the indexed axes of data
  INDEX extent;      // product of these sizes
  INDEX picks;       // positions; per outer position if indices are along an axis
  INDEX inner;       // elements after the axes
} Scatter;

#if REAL
#define FINISH(value) (value)

static SUM combined(SUM old, SUM update) {
  switch (MODE) {
    case 0: return update;
    case 1: return old + update;
    case 2: return old - update;
    case 3: return old * update;
    case 4: return old / update;
    case 5: return update >= old ? update : old;
    default: return update < old ? update : old;
  }
}
#else
// 32-bit integers are combined in 64 bits. Sums do not overflow; products are clamped outside the result range.
// Division by 0 gives a value beyond that range, and 0 / 0 gives NOTHING.
#define LARGE 4294967295L
#define NOTHING LONG_MIN
#define FINISH(value) finished(value)

static int finished(SUM value) {
  if (value == NOTHING) return 0;
  return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

static SUM divided(SUM old, SUM update) {
  if (old == NOTHING || (old == 0 && update == 0)) return NOTHING;
  if (old == LARGE || old == -LARGE || update == 0) return (old < 0) == (update < 0) ? LARGE : -LARGE;
  return old / update;
}

static SUM combined(SUM old, SUM update) {
  switch (MODE) {
    case 0: return update;
    case 1: return old + update;
    case 2: return old - update;
    case 3: return min(max(old * update, -LARGE), LARGE);
    case 4: return divided(old, update);
    case 5: return max(old, update);
    default: return min(old, update);
  }
}
#endif

// The position of a row of indices among the elements of the axes. If an index is out of bounds, returns -1 and sets
// the fault word.
static INDEX place_of(global const PICK *indices, INDEX row, const Scatter *s, global int *fault) {
  INDEX place = 0;
  for (int d = 0; d < DEPTH; d++) {
    INDEX index = indices[row * DEPTH + d];
    if (!STRICT && index < 0) index += s->axes[d];
    if (index < 0 || index >= s->axes[d]) {
      atomic_or(fault, 1);
      return -1;
    }
    place = place * s->axes[d] + index;
  }
  return place;
}

// One work-item per element of the result; it scans all updates. y may be the memory of data.
kernel void scatter_elements(global const T *data, ulong data0, global const PICK *indices, ulong indices0,
                             global const T *updates, ulong updates0, global T *y, ulong y0, Scatter s, INDEX count,
                             global int *fault) {
  indices += indices0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX column = i % s.inner, own = i / s.inner % s.extent, outer = i / s.inner / s.extent;
    SUM value = data[data0 + i];
    for (INDEX pick = 0; pick < s.picks; pick++) {
      INDEX update = (outer * s.picks + pick) * s.inner + column;
      INDEX place = place_of(indices, ALONG ? update : pick, &s, fault);
      if (place == own) value = combined(value, updates[updates0 + update]);
    }
    y[y0 + i] = FINISH(value);
  }
}

// One work-item per column, [outer][inner]; it writes all updates of the column. y holds data before.
kernel void scatter_columns(global const PICK *indices, ulong indices0, global const T *updates, ulong updates0,
                            global T *y, ulong y0, Scatter s, INDEX count, global int *fault) {
  indices += indices0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX column = i % s.inner, outer = i / s.inner;
    for (INDEX pick = 0; pick < s.picks; pick++) {
      INDEX update = (outer * s.picks + pick) * s.inner + column;
      INDEX place = place_of(indices, ALONG ? update : pick, &s, fault);
      if (place < 0) continue;
      global T *target = y + y0 + (outer * s.extent + place) * s.inner + column;
      *target = FINISH(combined(*target, updates[updates0 + update]));
    }
  }
}
