// Cumulative sums along the middle dimension of [outer][axis][inner]. EXCLUSIVE leaves out the element itself; REVERSED
// starts from the end.
#ifndef EXCLUSIVE
#define EXCLUSIVE 0
#define REVERSED 0
#endif
#define PLACE(i) (REVERSED ? axis - 1 - (i) : (i))

// Rows (inner is 1): one work-group per row, GROUP elements at a time.
kernel void scan_rows(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX axis) {
  local float sums[GROUP];
  INDEX row = get_group_id(0);
  int item = get_local_id(0);
  x += x0 + row * axis;
  y += y0 + row * axis;
  float before = 0.0f;
  for (INDEX start = 0; start < axis; start += GROUP) {
    INDEX i = start + item;
    float value = i < axis ? AT(HALF_X, x, PLACE(i)) : 0.0f;
    float sum = value;
    // Wait until the previous block's total is read.
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = sum;
    for (int step = 1; step < GROUP; step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      float other = item >= step ? sums[item - step] : 0.0f;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += other;
      sums[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float left = item > 0 ? sums[item - 1] : 0.0f;
    if (i < axis) PUT(HALF_Y, y, PLACE(i), before + (EXCLUSIVE ? left : sum));
    before += sums[GROUP - 1];
  }
}

// Columns: one work-item per column.
kernel void scan_columns(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX axis,
                         INDEX inner, INDEX count) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX column = (INDEX)get_global_id(0); column < count; column += step) {
    INDEX start = column / inner * axis * inner + column % inner;
    float sum = 0.0f;
    for (INDEX i = 0; i < axis; i++) {
      INDEX place = start + PLACE(i) * inner;
      float value = AT(HALF_X, x, place);
      PUT(HALF_Y, y, place, EXCLUSIVE ? sum : sum + value);
      sum += value;
    }
  }
}
