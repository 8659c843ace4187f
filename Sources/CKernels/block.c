// Channels in blocks, and back: see ck_move.h.
#include "include/ck_move.h"

// Positions moved at once: a block of them stays in the first level of the cache while each channel's run is read whole.
enum { POSITIONS = 64 };

void ck_block_channels_f32(const float *in, size_t channels, size_t area, size_t block, float *out) {
  for (size_t first = 0; first < area; first += POSITIONS) {
    size_t last = first + POSITIONS < area ? first + POSITIONS : area;
    for (size_t channel = 0; channel < channels; channel++)
      for (size_t i = first; i < last; i++) out[i * block + channel] = in[channel * area + i];
    for (size_t channel = channels; channel < block; channel++)
      for (size_t i = first; i < last; i++) out[i * block + channel] = 0;
  }
}

void ck_unblock_channels_f32(const float *in, size_t channels, size_t area, size_t block, float *out) {
  for (size_t first = 0; first < area; first += POSITIONS) {
    size_t last = first + POSITIONS < area ? first + POSITIONS : area;
    for (size_t channel = 0; channel < channels; channel++)
      for (size_t i = first; i < last; i++) out[channel * area + i] = in[i * block + channel];
  }
}
