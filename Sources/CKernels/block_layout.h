// Units of output channels of a blocked convolution, and the strips of positions that stay in registers.
#pragma once
#include "window.h"

// Positions of a strip: with two blocks of sums they fill the registers but for two weights and the number that is broadcast. By lanes, a
// vector of each position's numbers stays beside its sums: three registers a position, and eight for weights.
//
// Of one block they are CK_LONE: six sums would wait for each other, four cycles for a multiplication of which two begin in each.
#if defined(CK_TARGET_AVX512)
#define CK_STRIP 14
#elif defined(CK_TARGET_AVX2)
#define CK_STRIP 6
#define CK_LONE 12
#elif defined(CK_TARGET_NEON)
#define CK_STRIP 8
#else
#define CK_STRIP 6
#endif
#ifndef CK_LONE
#define CK_LONE CK_STRIP
#endif

/// One or two blocks of output channels and the input channels that they read.
struct unit {
  size_t out_block, blocks;          // where in the output, how many
  size_t in_block, first, channels;  // where in the input: a block, a channel in it, and how many channels from there
  size_t offset;                     // its weights: [channel, kernel_h, kernel_w, blocks * CK_W] in blocks of input channels
};

/// How groups and blocks meet: groups of whole blocks (one group is one); groups that share a block with others and have as many inputs as
/// outputs; or any others, where a block of the output reads all inputs of its groups, with weights of zero for what is not its own.
enum unit_kind { UNITS_WHOLE, UNITS_NARROW, UNITS_MIXED };

CK_INLINE enum unit_kind unit_kind_of(const ck_window *w) {
  size_t in = (size_t)(w->in_channels / w->groups), out = (size_t)(w->out_channels / w->groups);
  if (w->groups == 1 || (in % CK_W == 0 && out % CK_W == 0)) return UNITS_WHOLE;
  return in == out && CK_W % in == 0 ? UNITS_NARROW : UNITS_MIXED;
}

CK_INLINE size_t blocks_of(size_t channels) { return (channels + CK_W - 1) / CK_W; }

/// Blocks of output channels that lie together, units to cover them, and input channels that they have weights for.
struct unit_group {
  size_t blocks, units, channels, in_blocks;
};

CK_INLINE struct unit_group unit_group_of(const ck_window *w) {
  size_t groups = (size_t)w->groups, in = (size_t)w->in_channels / groups, out = (size_t)w->out_channels / groups;
  switch (unit_kind_of(w)) {
    case UNITS_NARROW: return (struct unit_group){1, 1, in, 1};
    case UNITS_MIXED: {
      size_t most = (CK_W + out - 2) / out + 1;
      return (struct unit_group){1, 1, (most < groups ? most : groups) * in, 1};
    }
    default: return (struct unit_group){blocks_of(out), (blocks_of(out) + 1) / 2, in, blocks_of(in)};
  }
}

CK_INLINE struct unit unit_at(const ck_window *w, size_t taps, size_t index) {
  struct unit_group g = unit_group_of(w);
  size_t group = index / g.units, pair = index % g.units;
  struct unit u = {.out_block = group * g.blocks + pair * 2, .channels = g.channels, .in_block = group * g.in_blocks};
  u.blocks = pair * 2 + 1 < g.blocks ? 2 : 1;
  u.offset = (group * g.blocks + pair * 2) * CK_W * g.channels * taps;
  if (unit_kind_of(w) == UNITS_MIXED) {
    size_t in = (size_t)(w->in_channels / w->groups), out = (size_t)(w->out_channels / w->groups);
    size_t begin = u.out_block * CK_W, end = begin + CK_W < (size_t)w->out_channels ? begin + CK_W : (size_t)w->out_channels;
    size_t channel = begin / out * in;
    u.in_block = channel / CK_W, u.first = channel % CK_W;
    u.channels = ((end - 1) / out + 1) * in - channel;
  }
  return u;
}

/// Where a run of n positions is cut: strips of at most `most`, as equal as can be.
CK_INLINE size_t strip_of(size_t left, size_t most) {
  size_t strips = (left + most - 1) / most;
  return (left + strips - 1) / strips;
}
