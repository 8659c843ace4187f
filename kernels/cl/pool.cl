// y = the maximum, mean, or Euclidean length of each window of x. Images are [plane][row][column], one plane per image
// and channel. MODE 0: maximum, 1: average, 2: length.
#ifndef MODE
#define MODE 0
#endif

typedef struct {
  int planes;
  int height, width, output_height, output_width;
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  int counts_padding; // whether an average counts positions outside of the image, as zeros
} Pool;

kernel void pool(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, Pool s) {
  int pixel = get_global_id(0);
  int area = s.output_height * s.output_width;
  if (pixel >= area) return;
  int top = pixel / s.output_width * s.stride_h - s.pad_top;
  int left = pixel % s.output_width * s.stride_w - s.pad_left;
  for (int plane = get_global_id(1); plane < s.planes; plane += get_global_size(1)) {
    global const ELEMENT(HALF_X) * image = x + x0 + (long)plane * s.height * s.width;
    float result = MODE == 0 ? -INFINITY : 0.0f;
    int count = 0;
    for (int r = 0; r < s.kernel_h; r++) {
      int row = top + r * s.dilation_h;
      if (row < 0 || row >= s.height) continue;
      for (int t = 0; t < s.kernel_w; t++) {
        int column = left + t * s.dilation_w;
        if (column < 0 || column >= s.width) continue;
        float value = AT(HALF_X, image, (long)row * s.width + column);
        if (MODE == 0) result = value != value || value > result ? value : result;
        if (MODE == 1) result += value;
        if (MODE == 2) result = fma(value, value, result);
        count++;
      }
    }
    if (MODE == 1) result /= (float)(s.counts_padding ? s.kernel_h * s.kernel_w : max(count, 1));
    if (MODE == 2) result = sqrt(result);
    PUT(HALF_Y, y, y0 + (long)plane * area + pixel, result);
  }
}
