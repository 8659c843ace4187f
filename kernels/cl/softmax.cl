// y = exp(x - max) / sum(exp(x - max)) along the middle dimension of [outer][axis][inner].
static float larger(float a, float b) { return a != a || a > b ? a : b; }
#define ADD(a, b) (a + b)
GROUP_FOLD(group_max, float, larger)
GROUP_FOLD(group_sum, float, ADD)

// Rows (inner is 1): one work-group per row.
kernel void softmax_rows(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX axis) {
  local float scratch[GROUP];
  INDEX start = (INDEX)get_group_id(0) * axis;
  x += x0 + start;
  y += y0 + start;
  float top = -INFINITY;
  for (INDEX i = get_local_id(0); i < axis; i += GROUP) top = larger(AT(HALF_X, x, i), top);
  top = group_max(top, scratch);
  float sum = 0.0f;
  for (INDEX i = get_local_id(0); i < axis; i += GROUP) sum += exp(AT(HALF_X, x, i) - top);
  float factor = 1.0f / group_sum(sum, scratch);
  for (INDEX i = get_local_id(0); i < axis; i += GROUP) {
    PUT(HALF_Y, y, i, exp(AT(HALF_X, x, i) - top) * factor);
  }
}

// Columns: one work-item per column.
kernel void softmax_columns(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0,
                            INDEX axis, INDEX inner, INDEX count) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX column = (INDEX)get_global_id(0); column < count; column += step) {
    INDEX start = column / inner * axis * inner + column % inner;
    float top = -INFINITY;
    for (INDEX i = 0; i < axis; i++) top = larger(AT(HALF_X, x, start + i * inner), top);
    float sum = 0.0f;
    for (INDEX i = 0; i < axis; i++) sum += exp(AT(HALF_X, x, start + i * inner) - top);
    float factor = 1.0f / sum;
    for (INDEX i = 0; i < axis; i++) {
      PUT(HALF_Y, y, start + i * inner, exp(AT(HALF_X, x, start + i * inner) - top) * factor);
    }
  }
}
