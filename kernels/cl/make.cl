// Kernels that create tensors from a few values or move elements by special rules. T is any type of the element size,
// PICK the type of indices and lengths.
#ifndef T
#define T uint
#endif
#ifndef PICK
#define PICK int
#endif

// y[o][p][i] = indices[o][i] == p ? on : off.
kernel void one_hot(global const PICK *indices, ulong indices0, global T *y, ulong y0, INDEX axis, INDEX inner, uint on,
                    uint off, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX rest = i / inner;
    INDEX index = indices[indices0 + rest / axis * inner + i % inner];
    y[y0 + i] = (T)(index == rest % axis ? on : off);
  }
}

// Keeps the diagonals of each matrix from `lower` below the main one to `upper` above it. A negative number keeps all
// diagonals on that side.
kernel void band_part(global const T *x, ulong x0, global T *y, ulong y0, INDEX rows, INDEX columns, long lower,
                      long upper, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    long below = (long)(i / columns % rows) - (long)(i % columns);
    bool is_kept = (lower < 0 || below <= lower) && (upper < 0 || -below <= upper);
    y[y0 + i] = is_kept ? x[x0 + i] : (T)0;
  }
}

// Reverses the first lengths[b] elements of each sequence along its axis. Sequence elements are `stride` apart, batches
// `batch_stride`. An invalid length gives 0 and sets the fault word.
kernel void reverse_sequence(global const T *x, ulong x0, global const PICK *lengths, ulong lengths0, global T *y,
                             ulong y0, INDEX size, INDEX stride, INDEX batch, INDEX batch_stride, INDEX count,
                             global int *fault) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX length = lengths[lengths0 + i / batch_stride % batch];
    if (length < 0 || length > size) {
      atomic_or(fault, 1);
      y[i] = (T)0;
    } else {
      INDEX place = i / stride % size;
      y[i] = x[place < length ? i + (length - 1 - 2 * place) * stride : i];
    }
  }
}

// Images [images][channels][height][width], at offset `top` and `left` in their padded or uncropped extent, and the
// same images as [part of a block][images][channels][rows][columns].
typedef struct {
  INDEX images, channels, height, width, rows, columns, block_height, block_width, top, left;
} Blocks;

kernel void space_to_batch(global const T *x, ulong x0, global T *y, ulong y0, Blocks s, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX rest = i / s.columns / s.rows;
    INDEX part = rest / s.channels / s.images;
    INDEX row = i / s.columns % s.rows * s.block_height + part / s.block_width - s.top;
    INDEX column = i % s.columns * s.block_width + part % s.block_width - s.left;
    bool is_inside = row >= 0 && row < s.height && column >= 0 && column < s.width;
    INDEX plane = rest % (s.channels * s.images);
    y[y0 + i] = is_inside ? x[x0 + (plane * s.height + row) * s.width + column] : (T)0;
  }
}

kernel void batch_to_space(global const T *x, ulong x0, global T *y, ulong y0, Blocks s, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX plane = i / s.width / s.height;
    INDEX row = i / s.width % s.height + s.top;
    INDEX column = i % s.width + s.left;
    INDEX part = row % s.block_height * s.block_width + column % s.block_width;
    INDEX place = (part * s.images * s.channels + plane) * s.rows + row / s.block_height;
    y[y0 + i] = x[x0 + place * s.columns + column / s.block_width];
  }
}
