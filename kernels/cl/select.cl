// z[i] = condition ? x : y, all three broadcast by strides. T is any type of the element size.
#ifndef T
#define T uint
#endif
#ifndef RANK
#define RANK 1
#endif

typedef struct {
  INDEX size[RANK];
  INDEX condition[RANK];
  INDEX x[RANK];
  INDEX y[RANK];
} Shape;

kernel void select_elements(global const uchar *condition, ulong condition0, global const T *x, ulong x0,
                            global const T *y, ulong y0, global T *z, ulong z0, Shape shape, INDEX count) {
  condition += condition0;
  x += x0;
  y += y0;
  z += z0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX rest = i, ci = 0, xi = 0, yi = 0;
    for (int d = RANK - 1; d > 0; d--) {
      INDEX place = rest % shape.size[d];
      rest /= shape.size[d];
      ci += place * shape.condition[d];
      xi += place * shape.x[d];
      yi += place * shape.y[d];
    }
    z[i] = condition[ci + rest * shape.condition[0]] ? x[xi + rest * shape.x[0]] : y[yi + rest * shape.y[0]];
  }
}
