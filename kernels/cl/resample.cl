// Resizes images by tables. For each output row and column the tables have the two neighboring input ones and the
// weight of the second. With NEAREST the second ones are not read.
#ifndef NEAREST
#define NEAREST 0
#endif

// `places` holds low and high of the rows, then low and high of the columns. `weights` holds those of the rows, then
// those of the columns.
kernel void resample(global const ELEMENT(HALF_X) * x, ulong x0, global const int *places, global const float *weights,
                     global ELEMENT(HALF_Y) * y, ulong y0, INDEX count, int height, int width, int output_height,
                     int output_width) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  global const int *columns = places + 2 * output_height;
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    int column = (int)(i % output_width);
    INDEX rest = i / output_width;
    int row = (int)(rest % output_height);
    global const ELEMENT(HALF_X) * image = x + rest / output_height * height * width;
    global const ELEMENT(HALF_X) * above = image + (INDEX)places[row] * width;
    int left = columns[column];
    if (NEAREST) {
      PUT(HALF_Y, y, i, AT(HALF_X, above, left));
    } else {
      global const ELEMENT(HALF_X) * below = image + (INDEX)places[output_height + row] * width;
      int right = columns[output_width + column];
      float down = weights[row];
      float along = weights[output_height + column];
      float corner = AT(HALF_X, above, left);
      float first = fma(along, AT(HALF_X, above, right) - corner, corner);
      corner = AT(HALF_X, below, left);
      float second = fma(along, AT(HALF_X, below, right) - corner, corner);
      PUT(HALF_Y, y, i, fma(down, second - first, first));
    }
  }
}
