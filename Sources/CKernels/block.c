// Conversion of dense channels to NCHWc blocks and back: see ck_move.h. A block is a transposed plane.
#include "table.h"

void ck_block_channels_f32(const float *in, size_t channels, size_t area, size_t block, float *out) {
  ck_transpose(sizeof(float), in, (ptrdiff_t)area, out, (ptrdiff_t)block, channels, area);
  for (size_t channel = channels; channel < block; channel++) {
    for (size_t i = 0; i < area; i++) out[i * block + channel] = 0;
  }
}

void ck_unblock_channels_f32(const float *in, size_t channels, size_t area, size_t block, float *out) {
  ck_transpose(sizeof(float), in, (ptrdiff_t)block, out, (ptrdiff_t)area, area, channels);
}
