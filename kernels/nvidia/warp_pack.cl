// The weights of convolutions by warps. The definitions of warp_patch.cl stand in front of this.

// Puts the weights of [group][output][channel][tap] in the order in which `convolve` with the same definitions reads them: of every TILE_M outputs,
// of every SLICE channels, of every tap and block of 16 channels, a tile's rows as they lie in local memory. What is beyond outputs and channels
// is zero.
kernel void pack_weights(global const ushort *weights, ulong weights0, global ushort *packed, ulong packed0, int groups, int outputs,
                         int channels) {
  int tiles = (outputs + TILE_M - 1) / TILE_M;
  int slices = (channels + SLICE - 1) / SLICE;
  long count = (long)groups * tiles * slices * TAPS * BLOCKS * TILE_M * 16;
  for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
    long rest = i / (TILE_M * 16);
    int row = (int)(i / 16 % TILE_M);
    int column = (int)(i / 8 % 2);
    long block = rest % BLOCKS;
    rest /= BLOCKS;
    long tap = rest % TAPS;
    rest /= TAPS;
    long channel = rest % slices * SLICE + block * 16 + column * 8 + i % 8;
    rest /= slices;
    long output = rest % tiles * TILE_M + row;
    long group = rest / tiles;
    long from = ((group * outputs + output) * channels + channel) * TAPS + tap;
    long to = (i / (TILE_M * 16) * UNIT + weight_place(row, column)) * 8 + i % 8;
    packed[packed0 + to] = output < outputs && channel < channels ? weights[weights0 + from] : 0;
  }
}
