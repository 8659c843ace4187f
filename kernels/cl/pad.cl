// y = x with a border along the last RANK dimensions, filled from x. MODE 0 reflects without repeating the edge, MODE 1
// repeats the edge. T is any type of the element size.
#ifndef T
#define T uint
#endif
#ifndef RANK
#define RANK 1
#endif
#ifndef MODE
#define MODE 0
#endif

typedef struct {
  INDEX size[RANK];   // of x
  INDEX padded[RANK]; // of y
  INDEX before[RANK];
} Border;

kernel void pad(global const T *x, ulong x0, global T *y, ulong y0, Border border, INDEX count) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX rest = i, xi = 0, stride = 1;
    for (int d = RANK - 1; d >= 0; d--) {
      INDEX size = border.size[d];
      INDEX place = rest % border.padded[d] - border.before[d];
      rest /= border.padded[d];
      if (MODE == 0) {
        place = place < 0 ? -place : place;
        place = place >= size ? 2 * (size - 1) - place : place;
      }
      place = clamp(place, (INDEX)0, size - 1);
      xi += place * stride;
      stride *= size;
    }
    y[i] = x[rest * stride + xi];
  }
}
