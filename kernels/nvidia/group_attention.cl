// fp16 attention, softmax(masks over scale Q K^T) V, with warp-group MMA (wgmma). It has the parameters of
// warp_attention.cl. The functions of a warp, then those of a warp group (group_ptx.cl or group_plain.cl), then
// attention_form.cl precede this source.
//
// Each of the GROUPS warp groups has 64 queries of one item. All iterate over the keys, SOURCES at a time; STAGES
// blocks of keys and values are in local memory. A lane holds scores, attention weights and accumulators of two
// queries.
#ifndef GROUPS
#define GROUPS 1
#define SOURCES 64
#define STAGES 3
#define DEPTH 64
#define WIDTH 64
#endif
// fp16 parts of an attention weight. With two parts, products with the values are as accurate as in fp32.
#ifndef SHARE_PARTS
#define SHARE_PARTS (HALF_Y ? 1 : 2)
#endif

#define ITEMS (GROUPS * 128)
#define QUERIES (GROUPS * 64)
// Blocks of 64 elements: rows of 128 bytes.
#define DEPTH_BLOCKS ((DEPTH + 63) / 64)
#define WIDTH_BLOCKS ((WIDTH + 63) / 64)
#if WIDTH > 64
#define WIDE 128
#else
#define WIDE 64
#endif
#define BYTES_QUERY (QUERIES * 128 * DEPTH_BLOCKS)
#define BYTES_KEY (SOURCES * 128 * DEPTH_BLOCKS)
#define STAGE (BYTES_KEY + SOURCES * 128 * WIDTH_BLOCKS)
#define AT_ONCE (ITEMS / 8)
// Attention weights are scaled so that the largest is 2 to this power, which keeps small ones in the range of fp16. The
// final division cancels the scale.
#define WHOLE 14.0f
#define LOG2_E 1.44269504f

// Copies `count` rows of a matrix of `rows` by `columns` from row `first` on, in blocks of 64 columns. Fills with zeros
// beyond the matrix.
static void copy_rows(uint tile, int count, global const ushort *matrix, View view, long first, long rows, int columns,
                      bool is_aligned MEMORY_PARAMETER) {
  int item = get_local_id(0);
  int row = item / 8;
  uint target = tile + row * 128 + ((item ^ row) & 7) * 16;
  if (is_aligned) {
    global const ushort *source = matrix + (first + row) * view.row + item % 8 * 8;
#pragma unroll
    for (int block = 0; block < (columns + 63) / 64; block++) {
#pragma unroll
      for (int i = 0; i < count; i += AT_ONCE) {
        bool inside = first + row + i < rows && block * 64 + item % 8 * 8 < columns;
        copy_to(target + (block * count + i) * 128, inside ? source + i * view.row + block * 64 : matrix, inside MEMORY);
      }
    }
  } else {
    for (int i = 0; i < count * ((columns + 63) / 64); i += AT_ONCE) {
      long from = first + (row + i) % count;
      int column = (row + i) / count * 64 + item % 8 * 8;
      bool inside = from < rows && column < columns;
      global const ushort *source = matrix + (inside ? from * view.row + column * view.column : 0);
      put_to(target + i * 128, gather(source, view.column, inside ? min(columns - column, 8) : 0) MEMORY);
    }
  }
}

// Without masks, the scale is part of the exponent: `scale` is positive.
#define LOG2_SCALE (MASKS > 0 ? LOG2_E : log2_scale)
#if SHARE_PARTS == 1
#define SHARE(score, behind) native_exp2(fma(score, LOG2_SCALE, behind))
#else
#define SHARE(score, behind) native_exp2(fma((score) - (behind), LOG2_SCALE, WHOLE))
#endif
// Loads a mask's elements for a lane's scores. A row that all queries share is read once. In an incomplete block,
// elements beyond the end repeat the last one.
#define READ_MASK(name, NAME)                                                                                         \
  {                                                                                                                   \
    bool is_shared = s.mask_##name.row == 0;                                                                          \
    long step = s.mask_##name.column;                                                                                 \
    global const OR_HALF(HALF_MASK_##NAME, MASK_##NAME) *first =                                                      \
        mask_##name##_matrix + min(row0, s.length - 1) * s.mask_##name.row + (long)round * SOURCES * step;             \
    global const OR_HALF(HALF_MASK_##NAME, MASK_##NAME) *second =                                                     \
        first + (min(row0 + 8, s.length - 1) - min(row0, s.length - 1)) * s.mask_##name.row;                           \
    if (left == SOURCES && step == 1) {                                                                               \
      _Pragma("unroll") for (int i = 0; i < SOURCES / 4; i++) {                                                       \
        int column = i / 2 * 8 + lane % 4 * 2 + i % 2;                                                                \
        mask[i / 2 * 4 + i % 2] = AT(HALF_MASK_##NAME, first, column);                                                \
        mask[i / 2 * 4 + i % 2 + 2] =                                                                                 \
            is_shared ? mask[i / 2 * 4 + i % 2] : AT(HALF_MASK_##NAME, second, column);                               \
      }                                                                                                               \
    } else {                                                                                                          \
      _Pragma("unroll") for (int i = 0; i < SOURCES / 4; i++) {                                                       \
        int column = min(i / 2 * 8 + lane % 4 * 2 + i % 2, left - 1);                                                 \
        mask[i / 2 * 4 + i % 2] = AT(HALF_MASK_##NAME, first, column * step);                                         \
        mask[i / 2 * 4 + i % 2 + 2] =                                                                                 \
            is_shared ? mask[i / 2 * 4 + i % 2] : AT(HALF_MASK_##NAME, second, column * step);                        \
      }                                                                                                               \
    }                                                                                                                 \
  }
#define ADD_MASK(NAME, fill)                                                                                          \
  _Pragma("unroll") for (int i = 0; i < SOURCES / 2; i++) {                                                           \
    float score = NAME##_IS_FIRST ? scale * scores[i] : scores[i];                                                     \
    scores[i] = MASKED(score, KIND_##NAME, mask[i], fill);                                                             \
  }
#define A_IS_FIRST 1
#define B_IS_FIRST 0

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(
    global const half *query, ulong query0, global const half *key, ulong key0, global const half *value, ulong value0,
    global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a, ulong mask_a0, global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b,
    ulong mask_b0, global ELEMENT(HALF_Y) * y, ulong y0, Attention s, float scale, float fill_a, float fill_b) {
  GROUP_MEMORY(BYTES_QUERY + STAGES * STAGE)
  WARP_MEMORY(ITEMS)
  uint queries = group_memory();
  uint tiles = queries + BYTES_QUERY;
  int item = get_local_id(0);
  int lane = item % 32;
  float log2_scale = scale * LOG2_E;
  // A lane's queries are rows row0 and row0 + 8.
  long first_row = (long)get_group_id(0) * QUERIES;
  long row0 = first_row + item / 32 * 16 + lane / 4;
  int blocks = (int)((s.sources + SOURCES - 1) / SOURCES);

  for (long number = get_group_id(1); number < s.items; number += get_num_groups(1)) {
    long query_place = query0 + begin(s.query, number);
    long key_place = key0 + begin(s.key, number);
    long value_place = value0 + begin(s.value, number);
    global const ushort *query_matrix = (global const ushort *)query + query_place;
    global const ushort *key_matrix = (global const ushort *)key + key_place;
    global const ushort *value_matrix = (global const ushort *)value + value_place;
    FIND_MASKS(number)
    global ELEMENT(HALF_Y) * y_matrix = y + y0 + begin(s.output, number);
    bool keys_aligned = is_aligned(s.key, key_place, DEPTH);
    bool values_aligned = is_aligned(s.value, value_place, WIDTH);

    float top[2] = {-INFINITY, -INFINITY};
    float total[2] = {0.0f, 0.0f};
    float sums[WIDE / 2];
#pragma unroll
    for (int i = 0; i < WIDE / 2; i++) sums[i] = 0.0f;

    copy_rows(queries, QUERIES, query_matrix, s.query, first_row, s.length, DEPTH, is_aligned(s.query, query_place, DEPTH) MEMORY);
    for (int round = 1 - STAGES; round < blocks; round++) {
      if (round >= 0) {
        WAIT_FOR_BATCHES(STAGES - 2);
        publish();
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      int next = round + STAGES - 1;
      if (next < blocks) {
        uint stage = tiles + (uint)(next % STAGES) * STAGE;
        long first = (long)next * SOURCES;
        copy_rows(stage, SOURCES, key_matrix, s.key, first, s.sources, DEPTH, keys_aligned MEMORY);
        copy_rows(stage + BYTES_KEY, SOURCES, value_matrix, s.value, first, s.sources, WIDTH, values_aligned MEMORY);
      }
      end_batch();
      if (round < 0) continue;

      uint stage = tiles + (uint)(round % STAGES) * STAGE;
      ulong x = factor_at(queries + item / 128 * 64 * 128, 0);
      ulong z = factor_at(stage, 0);
      float scores[SOURCES / 2];
      begin_products();
      JOIN(multiply_, SOURCES)(scores, x, z MEMORY);
#pragma unroll
      for (int step = 1; step < (DEPTH + 15) / 16; step++) {
        int block = step / 4;
        JOIN(multiply_add_, SOURCES)
        (scores, x + block * QUERIES * 8 + step % 4 * 2, z + block * SOURCES * 8 + step % 4 * 2 MEMORY);
      }
      end_products();
      int left = (int)min(s.sources - (long)round * SOURCES, (long)SOURCES);
#if MASKS > 0
      // Positions beyond the block's last score read the last one's mask.
      float mask[SOURCES / 2];
      READ_MASK(a, A)
#endif
      WAIT_FOR_PRODUCTS(0);

#if MASKS > 0
      ADD_MASK(A, fill_a)
#if MASKS > 1
      READ_MASK(b, B)
      ADD_MASK(B, fill_b)
#endif
#endif
      if (left < SOURCES) {
#pragma unroll
        for (int i = 0; i < SOURCES / 2; i++) {
          if (i / 4 * 8 + lane % 4 * 2 + i % 2 >= left) scores[i] = -INFINITY;
        }
      }
      // The value that is subtracted from scores. If all scores are -inf, it is 0, so that the attention weights are 0.
      // With two parts per weight, the best key's weight is exact.
      float behind[2];
#pragma unroll
      for (int h = 0; h < 2; h++) {
        float largest = top[h];
#pragma unroll
        for (int j = 0; j < SOURCES / 8; j++) largest = fmax(largest, fmax(scores[j * 4 + h * 2], scores[j * 4 + h * 2 + 1]));
        // Four lanes share a query.
        largest = fmax(largest, across(largest, 1 WARP));
        largest = fmax(largest, across(largest, 2 WARP));
        float factor = top[h] == largest ? 1.0f : native_exp2((top[h] - largest) * LOG2_SCALE);
        top[h] = largest;
        behind[h] = largest == -INFINITY ? 0.0f : SHARE_PARTS == 1 ? WHOLE - largest * LOG2_SCALE : largest;
        total[h] *= factor;
#pragma unroll
        for (int j = 0; j < WIDE / 8; j++) {
          sums[j * 4 + h * 2] *= factor;
          sums[j * 4 + h * 2 + 1] *= factor;
        }
      }
      // The register layout of two score blocks is that of an MMA A operand.
      uint shares[SOURCES / 16][SHARE_PARTS][4];
#pragma unroll
      for (int i = 0; i < SOURCES / 4; i++) {
        int h = i % 2;
        float one = SHARE(scores[i * 2], behind[h]);
        float other = SHARE(scores[i * 2 + 1], behind[h]);
        total[h] += one + other;
#if SHARE_PARTS == 1
        shares[i / 4][0][i % 4] = two_halves(one, other);
#else
        float first = leading(one);
        float second = leading(other);
        shares[i / 4][0][i % 4] = two_halves(first, second);
        shares[i / 4][1][i % 4] = two_halves(one - first, other - second);
#endif
      }
      ulong v = factor_at(stage + BYTES_KEY, SOURCES * 128);
      begin_products();
#pragma unroll
      for (int step = 0; step < SOURCES / 16; step++) {
#pragma unroll
        for (int part = 0; part < SHARE_PARTS; part++) {
          JOIN(multiply_add_own_, WIDE)(sums, shares[step][part], v + step * (2048 / 16) MEMORY);
        }
      }
      end_products();
      WAIT_FOR_PRODUCTS(0);
    }
    // The next item overwrites the tiles.
    WAIT_FOR_BATCHES(0);
    barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
    for (int h = 0; h < 2; h++) {
      total[h] += across(total[h], 1 WARP);
      total[h] += across(total[h], 2 WARP);
    }
    // After the warp-wide operations, because some lanes have no query to store.
#pragma unroll
    for (int h = 0; h < 2; h++) {
      long row = row0 + h * 8;
      if (row >= s.length) continue;
      global ELEMENT(HALF_Y) *y_row = y_matrix + row * s.output.row;
#if HALF_Y
      float whole = 1.0f / total[h];
      // Pairs of consecutive elements, aligned to pairs.
      if (s.output.column == 1 && ((ulong)y_row & 3) == 0 && WIDTH % 8 == 0) {
#pragma unroll
        for (int j = 0; j < WIDTH / 8; j++) {
          *(global uint *)(y_row + j * 8 + lane % 4 * 2) = two_halves(sums[j * 4 + h * 2] * whole, sums[j * 4 + h * 2 + 1] * whole);
        }
        continue;
      }
#endif
#pragma unroll
      for (int i = 0; i < WIDE / 4; i++) {
        int column = i / 2 * 8 + lane % 4 * 2 + i % 2;
        if (column < WIDTH) PUT(HALF_Y, y_row, column * s.output.column, sums[i / 2 * 4 + h * 2 + i % 2] / total[h]);
      }
    }
  }
}
