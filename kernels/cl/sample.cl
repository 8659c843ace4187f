// Samples images at given positions. Each output pixel is a weighted sum of four input pixels of a plane, with the same
// positions for all channels.

#define BESIDE -1
#define NONE -2

// `images` has the image of x for each image of y. `places` and `weights` are [image][pixel][4].
kernel void sample(global const ELEMENT(HALF_X) * x, ulong x0, global const int *images, global const int *places,
                   global const float *weights, global ELEMENT(HALF_Y) * y, ulong y0, INDEX plane, INDEX channels,
                   INDEX area, float outside, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX image = i / area / channels;
    INDEX tap = (image * area + i % area) * 4;
    global const ELEMENT(HALF_X) * source = x + x0 + (images[image] * channels + i / area % channels) * plane;
    float sum = 0.0f;
    for (int t = 0; t < 4; t++) {
      int place = places[tap + t];
      if (place != NONE) sum = fma(weights[tap + t], place == BESIDE ? outside : AT(HALF_X, source, place), sum);
    }
    PUT(HALF_Y, y, y0 + i, sum);
  }
}
