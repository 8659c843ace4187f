// fp32 attention, softmax(masks over scale Q K^T) V, with TF32 tensor cores: operands and attention weights are rounded
// to ten fraction bits. Otherwise as warp_attention.cl. The functions of a warp (warp_ptx.cl or warp_plain.cl),
// attention_form.cl and warp_scores.cl precede this source.
//
// A warp has 16 queries of one item, in registers. All warps iterate over the keys, SOURCES at a time. SPLIT warps have
// the same queries and OWN keys of a block each; their results are combined at the end. Local memory holds one block of
// keys and one of values. The next keys are copied while the values are used, and vice versa. Every work-item rounds
// the elements that it copied.
// With ROLLED, loops around products are not unrolled (see warp_patch.cl).

// Chunks of four elements in a row, and the row pitch of a tile in chunks. The pitch is odd, so that a warp's reads are
// free of bank conflicts. A warp reads chunks of eight rows in a column, or of every second row in two columns.
#define CHUNKS_KEY (DEPTH_BLOCKS * 4)
#define CHUNKS_VALUE (WIDTH_BLOCKS * 4)
#define PITCH_KEY (CHUNKS_KEY + 1)
#define PITCH_VALUE (CHUNKS_VALUE + 1)
// FOUND is the number of floats in a lane's partial result. TILES and EXCHANGE are the local memory for tiles and for
// partial results, in 16-byte chunks.
#define FOUND (WIDTH_BLOCKS * 8 + 4)
#define TILES (SOURCES * (PITCH_KEY + PITCH_VALUE))
#define EXCHANGE (FOUND * (SPLIT - 1) * WARPS * 32 / 4)

#if SOURCES % (SPLIT * 8)
#error "an attention by warps that cannot be divided so"
#endif

// Whether all chunks of a matrix that begins at `place` are aligned and end within their rows.
static bool has_chunks(View view, long place, int columns) {
  return view.column == 1 && (view.row & 3) == 0 && (place & 3) == 0 && columns % 4 == 0;
}

// Starts to copy SOURCES rows of a matrix of `rows` by `columns` in chunks, from the row at `matrix` on. Fills with
// zeros beyond the matrix. `base` is any valid address.
static void copy_block(local uint4 *tile, int chunks, global const uint *base, global const uint *matrix, long step, long rows, int columns) {
  int item = later(get_local_id(0));
#pragma unroll
  for (int n = 0; n < (SOURCES * chunks + ITEMS - 1) / ITEMS; n++) {
    int place = (item + n * ITEMS) / chunks;
    int chunk = (item + n * ITEMS) % chunks;
    if (SOURCES * chunks % ITEMS != 0 && place >= SOURCES) continue;
    bool inside = place < rows && chunk * 4 < columns;
    copy_chunk(tile + place * (chunks + 1) + chunk, inside ? matrix + place * step + chunk * 4 : base, inside);
  }
}

// Rounds the chunks that this work-item copied, after they have arrived.
static void round_block(local uint4 *tile, int chunks) {
  int item = later(get_local_id(0));
#pragma unroll
  for (int n = 0; n < (SOURCES * chunks + ITEMS - 1) / ITEMS; n++) {
    int place = (item + n * ITEMS) / chunks;
    if (SOURCES * chunks % ITEMS != 0 && place >= SOURCES) continue;
    local uint4 *target = tile + place * (chunks + 1) + (item + n * ITEMS) % chunks;
    uint4 v = *target;
    *target = (uint4)(to_tf32(v.x), to_tf32(v.y), to_tf32(v.z), to_tf32(v.w));
  }
}

// Copies a matrix that is not aligned in chunks, and rounds it.
static void gather_block(local uint4 *tile, int chunks, global const uint *matrix, View view, long rows, int columns) {
  // Coalesced loads, for either layout of the matrix.
  bool along = view.column <= view.row;
#pragma unroll 1
  for (int i = get_local_id(0); i < SOURCES * chunks; i += ITEMS) {
    int place = along ? i / chunks : i % SOURCES;
    int chunk = along ? i % chunks : i / SOURCES;
    uint v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      bool inside = place < rows && chunk * 4 + k < columns;
      v[k] = inside ? to_tf32(matrix[place * view.row + (chunk * 4 + k) * view.column]) : 0;
    }
    tile[place * (chunks + 1) + chunk] = (uint4)(v[0], v[1], v[2], v[3]);
  }
}

// Copies a block of rows from `first` on to local memory, or starts to.
static void bring_block(local uint4 *tile, int chunks, global const uint *matrix, View view, long first, long rows, int columns, bool has_chunks) {
  if (has_chunks) {
    copy_block(tile, chunks, matrix, matrix + first * view.row, view.row, rows - first, columns);
  } else {
    gather_block(tile, chunks, matrix + first * view.row, view, rows - first, columns);
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(
    global const uint *query, ulong query0, global const uint *key, ulong key0, global const uint *value, ulong value0,
    global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a, ulong mask_a0, global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b,
    ulong mask_b0, global ELEMENT(HALF_Y) * y, ulong y0, Attention s, float scale, float fill_a, float fill_b) {
  local uint4 tiles[TILES > EXCHANGE ? TILES : EXCHANGE];
  local uint4 *keys = tiles;
  local uint4 *values = tiles + SOURCES * PITCH_KEY;
  WARP_MEMORY(ITEMS)
  int lane = get_local_id(0) % 32;
  int own = (int)get_local_id(0) / 32 % SPLIT;
  // A lane's queries are rows row0 and row0 + 8.
  long row0 = (long)get_group_id(0) * QUERIES + get_local_id(0) / (32 * SPLIT) * 16 + lane / 4;
  long blocks = (s.sources + SOURCES - 1) / SOURCES;

  for (long item = get_group_id(1); item < s.items; item += get_num_groups(1)) {
    long key_place = key0 + begin(s.key, item);
    long value_place = value0 + begin(s.value, item);
    global const uint *query_matrix = query + query0 + begin(s.query, item);
    global const uint *key_matrix = key + key_place;
    global const uint *value_matrix = value + value_place;
    FIND_MASKS(item)
    global ELEMENT(HALF_Y) * y_matrix = y + y0 + begin(s.output, item);
    bool key_chunks = has_chunks(s.key, key_place, DEPTH);
    bool value_chunks = has_chunks(s.value, value_place, WIDTH);

    bring_block(keys, CHUNKS_KEY, key_matrix, s.key, 0, s.sources, DEPTH, key_chunks);
    end_batch();
    bring_block(values, CHUNKS_VALUE, value_matrix, s.value, 0, s.sources, WIDTH, value_chunks);
    end_batch();

    uint x[DEPTH_BLOCKS * 2][4];
#pragma unroll
    for (int i = 0; i < DEPTH_BLOCKS * 2; i++) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        long row = row0 + e % 2 * 8;
        int column = i * 8 + e / 2 * 4 + lane % 4;
        x[i][e] = row < s.length && column < DEPTH ? to_tf32(query_matrix[row * s.query.row + column * s.query.column]) : 0;
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

    for (long block = 0; block < blocks; block++) {
      long next = (block + 1) * SOURCES;
      WAIT_FOR_BATCHES(1);
      if (key_chunks) round_block(keys, CHUNKS_KEY);
      barrier(CLK_LOCAL_MEM_FENCE);
      float scores[OWN / 8][4];
#pragma unroll
      for (int j = 0; j < OWN / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) scores[j][e] = 0.0f;
      }
#ifndef ROLLED
#pragma unroll
#endif
      for (int i = 0; i < DEPTH_BLOCKS; i++) {
#ifndef ROLLED
#pragma unroll
#endif
        for (int j = 0; j < OWN / 8; j++) {
          uint other[4];
          load_matrices(other, keys, (own * OWN + j * 8 + lane % 8) * PITCH_KEY + i * 4 + lane / 8 WARP);
          multiply_add_tf32(scores[j], x[i * 2], other WARP);
          multiply_add_tf32(scores[j], x[i * 2 + 1], other + 2 WARP);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (next < s.sources) bring_block(keys, CHUNKS_KEY, key_matrix, s.key, next, s.sources, DEPTH, key_chunks);
      // Also if nothing was copied, because WAIT_FOR_BATCHES counts batches.
      end_batch();

#pragma unroll
      for (int j = 0; j < OWN / 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
          long row = row0 + e / 2 * 8;
          long source = block * SOURCES + own * OWN + j * 8 + lane % 4 * 2 + e % 2;
          float score = -INFINITY;
          if (source < s.sources && row < s.length) {
            score = scale * scores[j][e];
            MASK_SCORE(score, row, source)
          }
          scores[j][e] = score;
        }
      }
      raise_top(top, total, scores, sums WARP);

      WAIT_FOR_BATCHES(1);
      if (value_chunks) round_block(values, CHUNKS_VALUE);
      barrier(CLK_LOCAL_MEM_FENCE);
#ifndef ROLLED
#pragma unroll
#endif
      for (int j = 0; j < OWN / 8; j++) {
        // A lane's scores belong to two neighboring keys, but an A operand needs keys four apart. So the keys have the
        // order of the scores in both operands.
        uint shares[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
          float score = scores[j][e % 2 * 2 + e / 2];
          float share = SHARE(score, top[e % 2]);
          shares[e] = to_tf32(as_uint(share));
          total[e % 2] += as_float(shares[e]);
        }
        // Likewise every second column belongs to one block, and the columns next to them to the next block.
        local const uint2 *pairs = (local const uint2 *)(values + (own * OWN + j * 8 + lane % 4 * 2) * PITCH_VALUE) + lane / 4;
#ifndef ROLLED
#pragma unroll
#endif
        for (int n = 0; n < WIDTH_BLOCKS; n++) {
          uint2 first = pairs[n * 8];
          uint2 second = pairs[n * 8 + PITCH_VALUE * 2];
          uint even[2] = {first.x, second.x};
          uint odd[2] = {first.y, second.y};
          multiply_add_tf32(sums[n * 2], shares, even WARP);
          multiply_add_tf32(sums[n * 2 + 1], shares, odd WARP);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (next < s.sources) bring_block(values, CHUNKS_VALUE, value_matrix, s.value, next, s.sources, WIDTH, value_chunks);
      end_batch();
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
      total[h] += across(total[h], 1 WARP);
      total[h] += across(total[h], 2 WARP);
    }

#if SPLIT > 1
    // The same element of all lanes is contiguous.
    local float *exchange = (local float *)tiles + get_local_id(0) / (32 * SPLIT) * 32 + lane;
    if (own > 0) {
      local float *found = exchange + (own - 1) * FOUND * WARPS * 32;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        found[h * WARPS * 32] = top[h];
        found[(2 + h) * WARPS * 32] = total[h];
      }
#pragma unroll
      for (int e = 0; e < WIDTH_BLOCKS * 8; e++) found[(4 + e) * WARPS * 32] = sums[e / 4][e % 4];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own == 0) {
      for (int other = 0; other < SPLIT - 1; other++) {
        local const float *found = exchange + other * FOUND * WARPS * 32;
#pragma unroll
        for (int h = 0; h < 2; h++) {
          float largest = fmax(top[h], found[h * WARPS * 32]);
          float ours = FADED(top[h], largest);
          float theirs = FADED(found[h * WARPS * 32], largest);
          top[h] = largest;
          total[h] = total[h] * ours + found[(2 + h) * WARPS * 32] * theirs;
#pragma unroll
          for (int j = 0; j < WIDTH_BLOCKS * 2; j++) {
#pragma unroll
            for (int e = h * 2; e < h * 2 + 2; e++) sums[j][e] = sums[j][e] * ours + found[(4 + j * 4 + e) * WARPS * 32] * theirs;
          }
        }
      }
    }
    // The next item overwrites the memory.
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own > 0) continue;
#endif

    int last_lane = later(lane);
#pragma unroll
    for (int n = 0; n < WIDTH_BLOCKS; n++) {
#pragma unroll
      for (int h = 0; h < 2; h++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          long row = row0 + h * 8;
          int column = n * 16 + last_lane % 4 * 4 + i;
          if (row >= s.length || column >= WIDTH) continue;
          PUT(HALF_Y, y_matrix, row * s.output.row + column * s.output.column, sums[n * 2 + i % 2][h * 2 + i / 2] / total[h]);
        }
      }
    }
  }
}
