// Units of output channels of a blocked convolution, and the strips of positions that stay in registers.
#pragma once
#include "window.h"

// Positions of a strip: with two blocks of sums they fill the registers but for two weights and the number that is broadcast.
#if defined(CK_TARGET_AVX512)
#define CK_STRIP 14
#elif defined(CK_TARGET_AVX2)
#define CK_STRIP 6
#elif defined(__aarch64__)
#define CK_STRIP 14
#else
#define CK_STRIP 6
#endif

/// One or two blocks of output channels and the input channels that they read.
struct unit {
  size_t out_block, blocks;   // where in the output, how many
  size_t in_block, channels;  // where in the input, how many channels
  size_t offset;              // its weights: [channel, kernel_h, kernel_w, blocks * CK_W] in blocks of input channels
};

/// Groups narrower than a block: a block of the output reads one block of the input, with weights of zero for other groups' channels.
CK_INLINE bool has_narrow_groups(const ck_window *w) { return w->groups > 1 && (w->in_channels / w->groups) % CK_W != 0; }

CK_INLINE size_t blocks_of(size_t channels) { return (channels + CK_W - 1) / CK_W; }

/// Blocks of output channels that lie together, units to cover them, and input channels that they read.
struct unit_group {
  size_t blocks, units, channels, in_blocks;
};

CK_INLINE struct unit_group unit_group_of(const ck_window *w) {
  if (has_narrow_groups(w)) return (struct unit_group){1, 1, CK_W, 1};
  size_t groups = (size_t)w->groups, blocks = blocks_of((size_t)w->out_channels / groups);
  size_t channels = (size_t)w->in_channels / groups;
  return (struct unit_group){blocks, (blocks + 1) / 2, channels, blocks_of(channels)};
}

CK_INLINE struct unit unit_at(const ck_window *w, size_t taps, size_t index) {
  struct unit_group g = unit_group_of(w);
  size_t group = index / g.units, pair = index % g.units;
  struct unit u = {.out_block = group * g.blocks + pair * 2, .channels = g.channels, .in_block = group * g.in_blocks};
  u.blocks = pair * 2 + 1 < g.blocks ? 2 : 1;
  u.offset = (group * g.blocks + pair * 2) * CK_W * g.channels * taps;
  return u;
}

/// Where a run of n positions is cut: strips as equal as can be.
CK_INLINE size_t strip_of(size_t left) {
  size_t strips = (left + CK_STRIP - 1) / CK_STRIP;
  return (left + strips - 1) / strips;
}
