// Direct 2-D convolutions. A work-item computes one pixel of BLOCK output channels. For few channels per group
// (depthwise), where a GEMM would be mostly empty. Images are [image][channel][row][column].
// THEN is applied to a result before it is stored.
#ifndef THEN
#define THEN(x) (x)
#endif
#ifndef BLOCK
#define BLOCK 4
#endif
// Whether weights are fp16.
#ifndef HALF_WEIGHTS
#define HALF_WEIGHTS 0
#endif
#ifndef KERNEL_H
#define KERNEL_H 3
#define KERNEL_W 3
#endif

// Channel counts are those of one group.
typedef struct {
  int images, groups, inputs, outputs;
  int height, width, output_height, output_width;
  int stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
} Convolution;

// Weights are [output channel of all groups][input channel][KERNEL_H][KERNEL_W].
kernel void convolution(global const ELEMENT(HALF_X) * x, ulong x0, global const ELEMENT(HALF_WEIGHTS) * weights,
                        ulong weights0, global const float *bias, ulong bias0, global const ELEMENT(HALF_ADD) * add,
                        ulong add0, global ELEMENT(HALF_Y) * y, ulong y0, Convolution s) {
  int pixel = get_global_id(0);
  int area = s.output_height * s.output_width;
  if (pixel >= area) return;
  int blocks = (s.outputs + BLOCK - 1) / BLOCK;
  int top = pixel / s.output_width * s.stride_h - s.pad_top;
  int left = pixel % s.output_width * s.stride_w - s.pad_left;
  for (int block = get_global_id(1); block < blocks * s.groups; block += get_global_size(1)) {
    int group = block / blocks;
    int first = block % blocks * BLOCK;
    for (int image = get_global_id(2); image < s.images; image += get_global_size(2)) {
      global const ELEMENT(HALF_X) * plane = x + x0 + ((long)image * s.groups + group) * s.inputs * s.height * s.width;
      float sums[BLOCK];
#pragma unroll
      for (int i = 0; i < BLOCK; i++) sums[i] = 0.0f;
      for (int channel = 0; channel < s.inputs; channel++, plane += (long)s.height * s.width) {
        for (int r = 0; r < KERNEL_H; r++) {
          int row = top + r * s.dilation_h;
          if (row < 0 || row >= s.height) continue;
          for (int t = 0; t < KERNEL_W; t++) {
            int column = left + t * s.dilation_w;
            if (column < 0 || column >= s.width) continue;
            float value = AT(HALF_X, plane, (long)row * s.width + column);
#pragma unroll
            for (int i = 0; i < BLOCK; i++) {
              // Beyond the group's last channel, the last one is computed again and not stored.
              long output = (long)group * s.outputs + min(first + i, s.outputs - 1);
              long weight = ((output * s.inputs + channel) * KERNEL_H + r) * KERNEL_W + t;
              sums[i] = fma(value, AT(HALF_WEIGHTS, weights, weights0 + weight), sums[i]);
            }
          }
        }
      }
      for (int i = 0; i < BLOCK && first + i < s.outputs; i++) {
        long output = (long)group * s.outputs + first + i;
        float sum = sums[i];
        long place = ((long)image * s.groups * s.outputs + output) * area + pixel;
        if (BIAS) sum += bias[bias0 + output];
        if (RESIDUAL) sum += AT(HALF_ADD, add, add0 + place);
        PUT(HALF_Y, y, y0 + place, THEN(sum));
      }
    }
  }
}

// The adjoint: every output pixel gathers the input pixels that contribute to it. Weights are [input channel of all
// groups][output channel][KERNEL_H][KERNEL_W].
kernel void transposed(global const ELEMENT(HALF_X) * x, ulong x0, global const ELEMENT(HALF_WEIGHTS) * weights,
                       ulong weights0, global const float *bias, ulong bias0, global const ELEMENT(HALF_ADD) * add,
                       ulong add0, global ELEMENT(HALF_Y) * y, ulong y0, Convolution s) {
  int pixel = get_global_id(0);
  int area = s.output_height * s.output_width;
  if (pixel >= area) return;
  int bottom = pixel / s.output_width + s.pad_top;
  int right = pixel % s.output_width + s.pad_left;
  for (int output = get_global_id(1); output < s.outputs * s.groups; output += get_global_size(1)) {
    int group = output / s.outputs;
    for (int image = get_global_id(2); image < s.images; image += get_global_size(2)) {
      long channel0 = (long)group * s.inputs;
      float sum = 0.0f;
      for (int r = 0; r < KERNEL_H; r++) {
        int row = bottom - r * s.dilation_h;
        if (row < 0 || row % s.stride_h != 0 || row / s.stride_h >= s.height) continue;
        for (int t = 0; t < KERNEL_W; t++) {
          int column = right - t * s.dilation_w;
          if (column < 0 || column % s.stride_w != 0 || column / s.stride_w >= s.width) continue;
          long source = (long)(row / s.stride_h) * s.width + column / s.stride_w;
          for (int channel = 0; channel < s.inputs; channel++) {
            long input = channel0 + channel;
            long place = x0 + ((long)image * s.groups * s.inputs + input) * s.height * s.width + source;
            float value = AT(HALF_X, x, place);
            long weight = ((input * s.outputs + output % s.outputs) * KERNEL_H + r) * KERNEL_W + t;
            sum = fma(value, AT(HALF_WEIGHTS, weights, weights0 + weight), sum);
          }
        }
      }
      long place = ((long)image * s.groups * s.outputs + output) * area + pixel;
      if (BIAS) sum += bias[bias0 + output];
      if (RESIDUAL) sum += AT(HALF_ADD, add, add0 + place);
      PUT(HALF_Y, y, y0 + place, THEN(sum));
    }
  }
}
