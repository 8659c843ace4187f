// Images resized by tables: for each output row and column the two input ones that it lies between, and how far it is
// from the first. With NEAREST the second ones are not read.
#ifndef NEAREST
#define NEAREST 0
#endif

// places holds low and high of the rows, then low and high of the columns; weights those of the rows, then the columns.
kernel void resample(global const float *x, ulong x0, global const int *places, global const float *weights,
                     global float *y, ulong y0, INDEX count, int height, int width, int output_height,
                     int output_width) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  global const int *columns = places + 2 * output_height;
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    int column = (int)(i % output_width);
    INDEX rest = i / output_width;
    int row = (int)(rest % output_height);
    global const float *image = x + rest / output_height * height * width;
    global const float *above = image + (INDEX)places[row] * width;
    int left = columns[column];
    if (NEAREST) {
      y[i] = above[left];
    } else {
      global const float *below = image + (INDEX)places[output_height + row] * width;
      int right = columns[output_width + column];
      float down = weights[row];
      float along = weights[output_height + column];
      float first = fma(along, above[right] - above[left], above[left]);
      float second = fma(along, below[right] - below[left], below[left]);
      y[i] = fma(down, second - first, first);
    }
  }
}
