// Kernels that move elements unchanged. T is any type of the element size.
#ifndef T
#define T uint
#endif
#ifndef RANK
#define RANK 1
#endif

// The size of each dimension, and its stride in x and in y: negative if the dimension is reversed, 0 if x repeats.
typedef struct {
  INDEX size[RANK];
  INDEX x[RANK];
  INDEX y[RANK];
} Shape;

kernel void move(global const T *x, ulong x0, global T *y, ulong y0, Shape shape, long x_start, long y_start,
                 INDEX count) {
  x += x0 + x_start;
  y += y0 + y_start;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX rest = i, xi = 0, yi = 0;
    for (int d = RANK - 1; d > 0; d--) {
      INDEX place = rest % shape.size[d];
      rest /= shape.size[d];
      xi += place * shape.x[d];
      yi += place * shape.y[d];
    }
    y[yi + rest * shape.y[0]] = x[xi + rest * shape.x[0]];
  }
}

// Copies a few runs of elements at a time. Element i of all belongs to run p, the first with end[p] > i, and is element
// i - end[p - 1] of it.
typedef struct {
  INDEX end[5], source[5], target[5];
} Runs;

kernel void join(global const T *a, ulong a0, global const T *b, ulong b0, global const T *c, ulong c0, global const T *d,
                 ulong d0, global const T *e, ulong e0, global T *y, ulong y0, Runs runs, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    int p = 0;
    while (i >= runs.end[p]) p++;
    global const T *x = p == 0 ? a + a0 : p == 1 ? b + b0 : p == 2 ? c + c0 : p == 3 ? d + d0 : e + e0;
    INDEX within = p == 0 ? i : i - runs.end[p - 1];
    y[y0 + runs.target[p] + within] = x[runs.source[p] + within];
  }
}

// The inverse: column i of each row of x goes to part p, the first with end[p] > i.
typedef struct {
  INDEX end[5];
} Ends;

kernel void split(global const T *x, ulong x0, global T *a, ulong a0, global T *b, ulong b0, global T *c, ulong c0, global T *d,
                  ulong d0, global T *e, ulong e0, Ends ends, INDEX columns, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX row = i / columns;
    INDEX column = i % columns;
    int p = 0;
    while (column >= ends.end[p]) p++;
    global T *y = p == 0 ? a + a0 : p == 1 ? b + b0 : p == 2 ? c + c0 : p == 3 ? d + d0 : e + e0;
    INDEX begin = p == 0 ? 0 : ends.end[p - 1];
    y[row * (ends.end[p] - begin) + column - begin] = x[x0 + i];
  }
}

kernel void fill(global T *y, ulong y0, INDEX count, uint value) {
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) y[i] = (T)value;
}

// y[b][c][r] = x[b][r][c], through local memory, so that reads and writes are both coalesced. A group of 32 x 8
// work-items moves a 32 x 32 tile.
kernel void transpose(global const T *x, ulong x0, global T *y, ulong y0, INDEX rows, INDEX columns) {
  local T tile[32][33];
  ulong matrix = (ulong)get_global_id(2) * rows * columns;
  x += x0 + matrix;
  y += y0 + matrix;
  int i = get_local_id(0);
  INDEX column0 = (INDEX)get_group_id(0) * 32;
  INDEX row0 = (INDEX)get_group_id(1) * 32;
  for (int j = get_local_id(1); j < 32; j += 8) {
    if (row0 + j < rows && column0 + i < columns) tile[j][i] = x[(row0 + j) * columns + column0 + i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = get_local_id(1); j < 32; j += 8) {
    if (column0 + j < columns && row0 + i < rows) y[(column0 + j) * rows + row0 + i] = tile[i][j];
  }
}

// The index type, and whether a negative index is out of bounds instead of counted from the end.
#ifndef PICK
#define PICK int
#endif
#ifndef STRICT
#define STRICT 0
#endif
// Indices that select one position of gather_nd.
#ifndef DEPTH
#define DEPTH 1
#endif

// The position that an index denotes along an axis. If it is out of bounds, returns -1 and sets the fault word.
static INDEX picked(INDEX index, INDEX axis, global int *fault) {
  if (!STRICT && index < 0) index += axis;
  if (index >= 0 && index < axis) return index;
  atomic_or(fault, 1);
  return -1;
}

typedef struct {
  INDEX axis;     // elements of x along the axis
  INDEX picks;    // indices per batch
  INDEX inner;    // elements after the axis
  INDEX outer;    // elements between the batch and the axis
} Pick;

// y[b][o][p][i] = x[b][o][indices[b][p]][i]; 0 if an index is out of bounds.
kernel void gather(global const T *x, ulong x0, global const PICK *indices, ulong indices0, global T *y, ulong y0,
                   Pick pick, INDEX count, global int *fault) {
  x += x0;
  indices += indices0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX inner = i % pick.inner;
    INDEX rest = i / pick.inner;
    INDEX place = rest % pick.picks;
    rest /= pick.picks;
    INDEX batch = rest / pick.outer;
    INDEX index = picked(indices[batch * pick.picks + place], pick.axis, fault);
    y[i] = index >= 0 ? x[(rest * pick.axis + index) * pick.inner + inner] : (T)0;
  }
}

// y[o][p][i] = x[o][indices[o][p][i]][i]: every element has its own index.
kernel void gather_along(global const T *x, ulong x0, global const PICK *indices, ulong indices0, global T *y, ulong y0,
                         Pick pick, INDEX count, global int *fault) {
  x += x0;
  indices += indices0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX index = picked(indices[i], pick.axis, fault);
    y[i] = index >= 0 ? x[(i / pick.inner / pick.picks * pick.axis + index) * pick.inner + i % pick.inner] : (T)0;
  }
}

typedef struct {
  INDEX axes[DEPTH]; // sizes of the indexed axes of x
  INDEX extent;      // elements of x per batch
  INDEX rows;        // selected positions per batch
  INDEX inner;       // elements after the axes
} Place;

// y[b][r][i] = x[b][indices[b][r][0]]...[indices[b][r][DEPTH - 1]][i]; 0 if an index is out of bounds.
kernel void gather_nd(global const T *x, ulong x0, global const PICK *indices, ulong indices0, global T *y, ulong y0,
                      Place s, INDEX count, global int *fault) {
  x += x0;
  indices += indices0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX row = i / s.inner;
    INDEX place = 0;
    bool inside = true;
    for (int d = 0; d < DEPTH; d++) {
      INDEX index = picked(indices[row * DEPTH + d], s.axes[d], fault);
      inside = inside && index >= 0;
      place = place * s.axes[d] + index;
    }
    y[i] = inside ? x[row / s.rows * s.extent + place * s.inner + i % s.inner] : (T)0;
  }
}
