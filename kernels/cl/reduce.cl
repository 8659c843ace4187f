// Reduces the middle dimension of [outer][axis][inner]: y = END(FOLD over MAP(x)).
#ifndef FOLD
#define FOLD fold_add
#define MAP map_identity
#define END end_identity
#define START 0.0f
#endif
// 1: subtracts the maximum before the fold and adds it to the result, for log(sum(exp(x))).
#ifndef SHIFT
#define SHIFT 0
#endif

static float fold_add(float a, float b) { return a + b; }
static float fold_multiply(float a, float b) { return a * b; }
static float fold_max(float a, float b) { return a != a || a > b ? a : b; }
static float fold_min(float a, float b) { return a != a || a < b ? a : b; }
static float map_identity(float x) { return x; }
static float map_abs(float x) { return fabs(x); }
static float map_square(float x) { return x * x; }
static float map_exp(float x) { return exp(x); }
static float end_identity(float sum, float n) { return sum; }
static float end_mean(float sum, float n) { return sum / n; }
static float end_sqrt(float sum, float n) { return sqrt(sum); }
static float end_log(float sum, float n) { return log(sum); }

GROUP_FOLD(group_fold, float, FOLD)
GROUP_FOLD(group_max, float, fold_max)

// Rows (inner is 1): one work-group per row.
kernel void reduce_rows(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX axis) {
  local float scratch[GROUP];
  INDEX row = get_group_id(0);
  x += x0 + row * axis;
  float shift = 0.0f;
  if (SHIFT) {
    float top = -INFINITY;
    for (INDEX i = get_local_id(0); i < axis; i += GROUP) top = fold_max(AT(HALF_X, x, i), top);
    top = group_max(top, scratch);
    shift = fabs(top) <= FLT_MAX ? top : 0.0f;
  }
  float value = START;
  for (INDEX i = get_local_id(0); i < axis; i += GROUP) value = FOLD(value, MAP(AT(HALF_X, x, i) - shift));
  value = group_fold(value, scratch);
  if (get_local_id(0) == 0) PUT(HALF_Y, y, y0 + row, END(value, (float)axis) + shift);
}

// Columns: one work-item per column.
kernel void reduce_columns(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX axis,
                           INDEX inner, INDEX count) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX column = (INDEX)get_global_id(0); column < count; column += step) {
    INDEX start = column / inner * axis * inner + column % inner;
    float shift = 0.0f;
    if (SHIFT) {
      float top = -INFINITY;
      for (INDEX i = 0; i < axis; i++) top = fold_max(AT(HALF_X, x, start + i * inner), top);
      shift = fabs(top) <= FLT_MAX ? top : 0.0f;
    }
    float value = START;
    for (INDEX i = 0; i < axis; i++) value = FOLD(value, MAP(AT(HALF_X, x, start + i * inner) - shift));
    PUT(HALF_Y, y, column, END(value, (float)axis) + shift);
  }
}
