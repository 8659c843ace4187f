// fp16 attention, softmax(masks over scale Q K^T) V, with tensor cores (mma). It has the parameters of attention.cl.
// The functions of a warp (warp_ptx.cl or warp_plain.cl), attention_form.cl and warp_scores.cl precede this source.
//
// Each of the WARPS warps has 16 queries of one item, in registers. All iterate over the keys, SOURCES at a time, a
// multiple of 16. One block is used while the next is copied. A lane holds scores, attention weights and accumulators
// of two queries.
// SHARE_PARTS is the number of fp16 parts of an attention weight. With two, products with the values are as accurate as
// in fp32.
#ifndef SHARE_PARTS
#define SHARE_PARTS 2
#endif

// The row pitch of a tile in chunks: an odd number, so that chunks of eight rows in one column are in different banks.
#define PITCH_KEY (DEPTH_BLOCKS * 2 + 1)
#define PITCH_VALUE (WIDTH_BLOCKS * 2 + 1)
#define CHUNKS_KEY (SOURCES * PITCH_KEY)
#define CHUNKS_VALUE (SOURCES * PITCH_VALUE)
// Attention weights are scaled so that this is the largest, which keeps small ones in the range of fp16. The final
// division cancels the scale.
#define WHOLE 16384.0f

// Copies SOURCES rows of a matrix of `rows` by `columns` from row `first` on. Fills with zeros beyond the matrix.
static void copy_rows(local uint4 *tile, int pitch, global const ushort *matrix, View view, long first, long rows,
                      int columns, bool is_aligned) {
  int chunks = pitch - 1;
  // Coalesced loads, for either layout of the matrix.
  bool along = is_aligned || view.column <= view.row;
  for (int i = get_local_id(0); i < SOURCES * chunks; i += ITEMS) {
    int place = along ? i / chunks : i % SOURCES;
    int chunk = along ? i % chunks : i / SOURCES;
    long row = first + place;
    bool inside = row < rows && chunk * 8 < columns;
    local uint4 *target = tile + place * pitch + chunk;
    global const ushort *source = matrix + (inside ? row * view.row + chunk * 8 * view.column : 0);
    if (is_aligned) {
      copy_chunk(target, source, inside);
    } else {
      *target = gather(source, view.column, inside ? min(columns - chunk * 8, 8) : 0);
    }
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(
    global const half *query, ulong query0, global const half *key, ulong key0, global const half *value, ulong value0,
    global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a, ulong mask_a0, global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b,
    ulong mask_b0, global ELEMENT(HALF_Y) * y, ulong y0, Attention s, float scale, float fill_a, float fill_b) {
  local uint4 key_tiles[2 * CHUNKS_KEY];
  local uint4 value_tiles[2 * CHUNKS_VALUE];
  WARP_MEMORY(ITEMS)
  int lane = get_local_id(0) % 32;
  // A lane's queries are rows row0 and row0 + 8.
  long row0 = (long)get_group_id(0) * QUERIES + get_local_id(0) / 32 * 16 + lane / 4;
  long blocks = (s.sources + SOURCES - 1) / SOURCES;

  for (long item = get_group_id(1); item < s.items; item += get_num_groups(1)) {
    long key_place = key0 + begin(s.key, item);
    long value_place = value0 + begin(s.value, item);
    global const ushort *query_matrix = (global const ushort *)query + query0 + begin(s.query, item);
    global const ushort *key_matrix = (global const ushort *)key + key_place;
    global const ushort *value_matrix = (global const ushort *)value + value_place;
    FIND_MASKS(item)
    global ELEMENT(HALF_Y) * y_matrix = y + y0 + begin(s.output, item);
    bool keys_aligned = is_aligned(s.key, key_place, DEPTH);
    bool values_aligned = is_aligned(s.value, value_place, WIDTH);

    uint x[DEPTH_BLOCKS][4];
#pragma unroll
    for (int i = 0; i < DEPTH_BLOCKS; i++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        long row = row0 + e % 2 * 8;
        int column = i * 16 + e / 2 * 8 + lane % 4 * 2;
        global const ushort *source = query_matrix + row * s.query.row + column * s.query.column;
        uint first = row < s.length && column < DEPTH ? source[0] : 0;
        uint second = row < s.length && column + 1 < DEPTH ? source[s.query.column] : 0;
        x[i][e] = first | second << 16;
      }
    }
    float top[2] = {-INFINITY, -INFINITY};
    float total[2] = {0.0f, 0.0f};
    float sums[WIDTH_BLOCKS * 2][4];
#pragma unroll
    for (int j = 0; j < WIDTH_BLOCKS * 2; j++) {
#pragma unroll
      for (int e = 0; e < 4; e++) sums[j][e] = 0.0f;
    }

    for (long round = -1; round < blocks; round++) {
      if (round >= 0) {
        WAIT_FOR_BATCHES(0);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (round + 1 < blocks) {
        int stage = (int)((round + 1) % 2);
        long first = (round + 1) * SOURCES;
        copy_rows(key_tiles + stage * CHUNKS_KEY, PITCH_KEY, key_matrix, s.key, first, s.sources, DEPTH, keys_aligned);
        copy_rows(value_tiles + stage * CHUNKS_VALUE, PITCH_VALUE, value_matrix, s.value, first, s.sources, WIDTH,
                  values_aligned);
      }
      end_batch();
      if (round < 0) continue;

      local const uint4 *keys = key_tiles + round % 2 * CHUNKS_KEY;
      local const uint4 *values = value_tiles + round % 2 * CHUNKS_VALUE;
      float scores[SOURCES / 8][4];
#pragma unroll
      for (int j = 0; j < SOURCES / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) scores[j][e] = 0.0f;
      }
#pragma unroll
      for (int i = 0; i < DEPTH_BLOCKS; i++) {
#pragma unroll
        for (int j = 0; j < SOURCES / 16; j++) {
          uint other[4];
          int row = j * 16 + lane / 16 * 8 + lane % 8;
          load_matrices(other, keys, row * PITCH_KEY + i * 2 + lane / 8 % 2 WARP);
          multiply_add(scores[j * 2], x[i], other WARP);
          multiply_add(scores[j * 2 + 1], x[i], other + 2 WARP);
        }
      }
#pragma unroll
      for (int j = 0; j < SOURCES / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          long row = row0 + e / 2 * 8;
          long source = round * SOURCES + j * 8 + lane % 4 * 2 + e % 2;
          float score = -INFINITY;
          if (source < s.sources && row < s.length) {
            score = scale * scores[j][e];
            MASK_SCORE(score, row, source)
          }
          scores[j][e] = score;
        }
      }
      raise_top(top, total, scores, sums WARP);
#pragma unroll
      for (int j = 0; j < SOURCES / 16; j++) {
        // The register layout of two score blocks is that of an MMA A operand.
        uint shares[SHARE_PARTS][4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
          float share[2];
#pragma unroll
          for (int i = 0; i < 2; i++) {
            float score = scores[j * 2 + e / 2][e % 2 * 2 + i];
            share[i] = top[e % 2] == -INFINITY && !isnan(score) ? 0.0f : native_exp(score - top[e % 2]) * WHOLE;
            total[e % 2] += share[i];
          }
#if SHARE_PARTS == 1
          shares[0][e] = two_halves(share[0], share[1]);
#else
          float first = leading(share[0]);
          float second = leading(share[1]);
          shares[0][e] = two_halves(first, second);
          shares[1][e] = two_halves(share[0] - first, share[1] - second);
#endif
        }
#pragma unroll
        for (int n = 0; n < WIDTH_BLOCKS; n++) {
          uint other[4];
          int row = j * 16 + lane / 8 % 2 * 8 + lane % 8;
          load_transposed(other, values, row * PITCH_VALUE + n * 2 + lane / 16 WARP);
#pragma unroll
          for (int part = 0; part < SHARE_PARTS; part++) {
            multiply_add(sums[n * 2], shares[part], other WARP);
            multiply_add(sums[n * 2 + 1], shares[part], other + 2 WARP);
          }
        }
      }
    }
    // The next item overwrites the tiles.
    WAIT_FOR_BATCHES(0);
    barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
    for (int h = 0; h < 2; h++) {
      total[h] += across(total[h], 1 WARP);
      total[h] += across(total[h], 2 WARP);
    }
#pragma unroll
    for (int j = 0; j < WIDTH_BLOCKS * 2; j++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        long row = row0 + e / 2 * 8;
        int column = j * 8 + lane % 4 * 2 + e % 2;
        if (row >= s.length || column >= WIDTH) continue;
        PUT(HALF_Y, y_matrix, row * s.output.row + column * s.output.column, sums[j][e] / total[e / 2]);
      }
    }
  }
}
