// Units of output channels of an NCHWc convolution, and the register tiles of positions.
#pragma once
#include "window.h"

// CK_STRIP: positions of a register tile. With two blocks of accumulators they fill the registers, except two for
// weights and one for the broadcast input. With lane-indexed FMA (NEON), a vector of each position's input stays in
// registers too: three registers per position, and eight for weights.
//
// CK_LONE: positions with one block of accumulators. Six accumulators would be bound by latency: an FMA takes four
// cycles, and two start in each cycle.
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
  size_t out_block, blocks;          // first block of the output, number of blocks
  size_t in_block, first, channels;  // location in the input: a block, a channel in it, and the number of channels
  // Start of its weights: [channel, kernel_h, kernel_w, blocks * CK_W] in blocks of input channels.
  size_t offset;
};

/// How groups and blocks relate.
/// - UNITS_WHOLE: each group has whole blocks, or there is one group.
/// - UNITS_NARROW: several groups share a block and have as many inputs as outputs.
/// - UNITS_MIXED: any other case. An output block reads all inputs of its groups, with zero weights for inputs of other
///   groups.
enum unit_kind { UNITS_WHOLE, UNITS_NARROW, UNITS_MIXED };

CK_INLINE enum unit_kind unit_kind_of(const ck_window *w) {
  size_t in = (size_t)(w->in_channels / w->groups), out = (size_t)(w->out_channels / w->groups);
  if (w->groups == 1 || (in % CK_W == 0 && out % CK_W == 0)) return UNITS_WHOLE;
  return in == out && CK_W % in == 0 ? UNITS_NARROW : UNITS_MIXED;
}

CK_INLINE size_t blocks_of(size_t channels) { return (channels + CK_W - 1) / CK_W; }

/// Consecutive blocks of output channels, the units that cover them, and the input channels that they have weights for.
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

/// The length of the next register tile: at most `most` positions, with tiles as equal as possible.
CK_INLINE size_t strip_of(size_t left, size_t most) {
  size_t strips = (left + most - 1) / most;
  return (left + strips - 1) / strips;
}
