// The position of the maximum along the middle dimension of [outer][axis][inner] (SIGN 1), or of the minimum (SIGN -1).
// The first of equal values wins. NaN beats every number in both cases.
#ifndef SIGN
#define SIGN 1
#endif

static bool is_beyond(float value, float best) { return value > best || (isnan(value) && !isnan(best)); }

// Rows (inner is 1): one work-group per row.
kernel void arg_rows(global const ELEMENT(HALF_X) * x, ulong x0, global int *y, ulong y0, INDEX axis) {
  local float values[GROUP];
  local int places[GROUP];
  INDEX row = get_group_id(0);
  int item = get_local_id(0);
  x += x0 + row * axis;
  float best = -INFINITY;
  int place = item < axis ? item : INT_MAX;
  for (INDEX i = item; i < axis; i += GROUP) {
    float value = SIGN * AT(HALF_X, x, i);
    if (is_beyond(value, best)) {
      best = value;
      place = (int)i;
    }
  }
  values[item] = best;
  places[item] = place;
  for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_size) {
      float other = values[item + half_size];
      int other_place = places[item + half_size];
      if (is_beyond(other, values[item]) || (!is_beyond(values[item], other) && other_place < places[item])) {
        values[item] = other;
        places[item] = other_place;
      }
    }
  }
  if (item == 0) y[y0 + row] = places[0];
}

// Columns: one work-item per column.
kernel void arg_columns(global const ELEMENT(HALF_X) * x, ulong x0, global int *y, ulong y0, INDEX axis, INDEX inner,
                        INDEX count) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX column = (INDEX)get_global_id(0); column < count; column += step) {
    INDEX start = column / inner * axis * inner + column % inner;
    float best = SIGN * AT(HALF_X, x, start);
    int place = 0;
    for (INDEX i = 1; i < axis; i++) {
      float value = SIGN * AT(HALF_X, x, start + i * inner);
      if (is_beyond(value, best)) {
        best = value;
        place = (int)i;
      }
    }
    y[column] = place;
  }
}
