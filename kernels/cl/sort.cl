// Stable argsort along the middle dimension of [outer][axis][inner] (a line). NaN is greater than every number. Ties
// are broken by position, so the order is unique.
#ifndef T
#define T float
#define REAL 1
#endif
#ifndef ASCENDING
#define ASCENDING 0
#endif
// The outputs of a line: its values, their positions (PLACE) or both. An absent output is passed as any pointer.
#ifndef PLACE
#define PLACE int
#endif
#ifndef VALUES
#define VALUES 1
#define PLACES 1
#endif
// Elements that a group sorts in local memory: a power of two.
#ifndef RUN
#define RUN 64
#endif

static bool below(T a, T b) {
#if REAL
  return a < b || (a == a && b != b);
#else
  return a < b;
#endif
}

static bool precedes(T a, int i, T b, int j) {
  if (ASCENDING ? below(a, b) : below(b, a)) return true;
  if (ASCENDING ? below(b, a) : below(a, b)) return false;
  return i < j;
}

// Sorts `count` elements, `inner` apart, with a bitonic network. Padding positions come last. All work-items of the
// group must call it.
static void sort_run(local T *keys, local int *order, global const T *x, INDEX inner, int count) {
  int item = get_local_id(0);
  for (int i = item; i < RUN; i += GROUP) {
    order[i] = i;
    keys[i] = i < count ? x[i * inner] : (T)0;
  }
  for (int size = 2; size <= RUN; size *= 2) {
    for (int gap = size / 2; gap > 0; gap /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int pair = item; pair < RUN / 2; pair += GROUP) {
        int low = 2 * pair - (pair & (gap - 1)), high = low + gap;
        int i = order[high], j = order[low];
        bool is_first = i >= count || j >= count ? i < j : precedes(keys[high], i, keys[low], j);
        if (is_first == ((low & size) == 0)) {
          T key = keys[high];
          keys[high] = keys[low];
          keys[low] = key;
          order[high] = j;
          order[low] = i;
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Lines of up to RUN elements: a group sorts one and writes its first `keep`.
kernel void sort_lines(global const T *x, ulong x0, global T *values, ulong values0, global PLACE *places,
                       ulong places0, INDEX axis, INDEX inner, INDEX keep, INDEX lines) {
  local T keys[RUN];
  local int order[RUN];
  for (INDEX line = get_group_id(0); line < lines; line += get_num_groups(0)) {
    INDEX outer = line / inner, column = line % inner;
    sort_run(keys, order, x + x0 + outer * axis * inner + column, inner, (int)axis);
    for (int i = get_local_id(0); i < keep; i += GROUP) {
      INDEX at = (outer * keep + i) * inner + column;
      if (VALUES) values[values0 + at] = keys[i];
      if (PLACES) places[places0 + at] = (PLACE)order[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Longer lines, first step: each group sorts one run of RUN elements. `order` is [line][axis].
kernel void sort_runs(global const T *x, ulong x0, global int *order, ulong order0, INDEX axis, INDEX inner, INDEX runs,
                      INDEX count) {
  local T keys[RUN];
  local int places[RUN];
  for (INDEX group = get_group_id(0); group < count; group += get_num_groups(0)) {
    INDEX line = group / runs, begin = group % runs * RUN;
    int length = (int)min((INDEX)RUN, axis - begin);
    sort_run(keys, places, x + x0 + (line / inner * axis + begin) * inner + line % inner, inner, length);
    for (int i = get_local_id(0); i < length; i += GROUP) {
      order[order0 + line * axis + begin + i] = (int)begin + places[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Second step: merges pairs of runs. The new index of an element is its index in its own run plus the number of
// elements of the other run that precede it.
kernel void merge_runs(global const T *x, ulong x0, global const int *from, ulong from0, global int *to, ulong to0,
                       INDEX axis, INDEX inner, INDEX length, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX line = i / axis, place = i % axis;
    global const T *numbers = x + x0 + line / inner * axis * inner + line % inner;
    global const int *order = from + from0 + line * axis;
    INDEX pair = place / (2 * length) * (2 * length);
    bool is_second = place - pair >= length;
    INDEX begin = is_second ? pair : pair + length;
    INDEX low = begin, high = max(min(begin + length, axis), begin);
    int position = order[place];
    T number = numbers[position * inner];
    while (low < high) {
      INDEX middle = low + (high - low) / 2;
      int other = order[middle];
      if (precedes(numbers[other * inner], other, number, position)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    INDEX own = is_second ? place - length : place;
    to[to0 + line * axis + own + (low - begin)] = position;
  }
}

// Last step: writes the first `keep` of each sorted line.
kernel void take_sorted(global const T *x, ulong x0, global const int *order, ulong order0, global T *values,
                        ulong values0, global PLACE *places, ulong places0, INDEX axis, INDEX inner, INDEX keep,
                        INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX column = i % inner, rest = i / inner, outer = rest / keep;
    int position = order[order0 + (outer * inner + column) * axis + rest % keep];
    if (VALUES) values[values0 + i] = x[x0 + (outer * axis + position) * inner + column];
    if (PLACES) places[places0 + i] = (PLACE)position;
  }
}
