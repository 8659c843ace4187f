// Packs the weights of the tensor core convolution. The definitions of warp_patch.cl precede this source.

// Reorders weights [group][output][channel][tap] as `convolve` with the same definitions reads them. The order is:
// TILE_M outputs, SLICE channels, tap, block of channels, then a tile's rows in their local memory layout. Rounds fp32
// weights to TF32. Pads outputs and channels with zeros.
kernel void pack_weights(global const NUMBER *weights, ulong weights0, global NUMBER *packed, ulong packed0, int groups, int outputs,
                         int channels) {
  int tiles = (outputs + TILE_M - 1) / TILE_M;
  int slices = (channels + SLICE - 1) / SLICE;
  long count = (long)groups * tiles * slices * TAPS * BLOCKS * TILE_M * (2 * PER_CHUNK);
  for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
    long rest = i / (TILE_M * 2 * PER_CHUNK);
    int row = (int)(i / (2 * PER_CHUNK) % TILE_M);
    int column = (int)(i / PER_CHUNK % 2);
    long block = rest % BLOCKS;
    rest /= BLOCKS;
    long tap = rest % TAPS;
    rest /= TAPS;
    long channel = rest % slices * SLICE + block * (2 * PER_CHUNK) + column * PER_CHUNK + i % PER_CHUNK;
    rest /= slices;
    long output = rest % tiles * TILE_M + row;
    long group = rest / tiles;
    long from = ((group * outputs + output) * channels + channel) * TAPS + tap;
    long to = (i / (TILE_M * 2 * PER_CHUNK) * UNIT + weight_place(row, column)) * PER_CHUNK + i % PER_CHUNK;
    NUMBER weight = output < outputs && channel < channels ? weights[weights0 + from] : 0;
#if FLOATS
    weight = to_tf32(weight);
#endif
    packed[packed0 + to] = weight;
  }
}
