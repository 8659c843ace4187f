// y = exp(x - max) / sum(exp(x - max)) along the middle dimension of [outer][axis][inner].
#define LARGER(a, b) (a != a || a > b ? a : b)
#define ADD(a, b) (a + b)
GROUP_FOLD(group_max, float, LARGER)
GROUP_FOLD(group_sum, float, ADD)

// Rows (inner is 1): a group takes one.
kernel void softmax_rows(global const float *x, ulong x0, global float *y, ulong y0, INDEX axis) {
  local float scratch[GROUP];
  INDEX start = (INDEX)get_group_id(0) * axis;
  x += x0 + start;
  y += y0 + start;
  float top = -INFINITY;
  for (INDEX i = get_local_id(0); i < axis; i += GROUP) top = LARGER(x[i], top);
  top = group_max(top, scratch);
  float sum = 0.0f;
  for (INDEX i = get_local_id(0); i < axis; i += GROUP) sum += exp(x[i] - top);
  float factor = 1.0f / group_sum(sum, scratch);
  for (INDEX i = get_local_id(0); i < axis; i += GROUP) y[i] = exp(x[i] - top) * factor;
}

// Columns: a work-item takes one.
kernel void softmax_columns(global const float *x, ulong x0, global float *y, ulong y0, INDEX axis, INDEX inner,
                            INDEX count) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX column = (INDEX)get_global_id(0); column < count; column += step) {
    INDEX start = column / inner * axis * inner + column % inner;
    float top = -INFINITY;
    for (INDEX i = 0; i < axis; i++) top = LARGER(x[start + i * inner], top);
    float sum = 0.0f;
    for (INDEX i = 0; i < axis; i++) sum += exp(x[start + i * inner] - top);
    float factor = 1.0f / sum;
    for (INDEX i = 0; i < axis; i++) y[start + i * inner] = exp(x[start + i * inner] - top) * factor;
  }
}
