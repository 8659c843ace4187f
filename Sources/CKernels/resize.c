// Nearest-neighbor resampling.
#include <string.h>

#include "table.h"

void ck_resize_nearest_f32(
    const float *in, size_t planes, size_t in_h, size_t in_w, const int32_t *rows, const int32_t *columns, float *out,
    size_t out_h, size_t out_w) {
  for (size_t p = 0; p < planes; p++, in += in_h * in_w) {
    for (size_t y = 0; y < out_h; y++, out += out_w) {
      if (y > 0 && rows[y] == rows[y - 1]) {
        memcpy(out, out - out_w, out_w * sizeof *out);
        continue;
      }
      const float *row = in + (size_t)rows[y] * in_w;
      for (size_t x = 0; x < out_w; x++) out[x] = row[columns[x]];
    }
  }
}
