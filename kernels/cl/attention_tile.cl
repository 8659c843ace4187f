// softmax(masks over scale Q K^T) V for many queries. A work-group takes ROWS queries of one item and iterates over the
// keys, SOURCES at a time. A work-item has four queries. For these it computes every eighth score, then every eighth
// chunk of four columns, so each local memory read serves at least four multiplications. The next keys and the values
// are prefetched to registers during the multiplications. attention_form.cl precedes this source.
#ifndef ROWS
#define ROWS 64
#define SOURCES 32
#define DEPTH 64
#define WIDTH 64
#endif
#define LANES 8
#define EACH 4
#define ROW_ITEMS (ROWS / EACH)
#define ITEMS (ROW_ITEMS * LANES)
#define KEYS (SOURCES / LANES)
// Chunks of four elements: of a query or a key, and of a value. Value columns are divided evenly among the lanes.
#define DEPTH_CHUNKS ((DEPTH + 3) / 4)
#define WIDTH_CHUNKS ((WIDTH + 4 * LANES - 1) / (4 * LANES) * LANES)
#define COLUMNS (WIDTH_CHUNKS / LANES)
// The row pitch is an odd number of chunks, so eight neighboring rows are in different banks.
#define PITCH (DEPTH_CHUNKS | 1)
#define PITCH_SHARE (SOURCES / 4 | 1)
#define CELLS (SOURCES * (PITCH > WIDTH_CHUNKS ? PITCH : WIDTH_CHUNKS))
#define KEY_LOADS ((SOURCES * DEPTH_CHUNKS + ITEMS - 1) / ITEMS)
#define VALUE_LOADS ((SOURCES * WIDTH_CHUNKS + ITEMS - 1) / ITEMS)

// Reads four elements of a row, `step` apart. Elements from `count` on are zero.
#define AS_FOUR_0(row) (*(global const float4 *)(row))
#define AS_FOUR_1(row) vload_half4(0, row)
#define READ_FOUR(is_half, row, step, count, is_whole)                                                                \
  ((is_whole) ? JOIN(AS_FOUR_, is_half)(row)                                                                          \
              : (float4)((count) > 0 ? AT(is_half, row, 0) : 0.0f, (count) > 1 ? AT(is_half, row, (step)) : 0.0f,     \
                         (count) > 2 ? AT(is_half, row, 2 * (step)) : 0.0f,                                           \
                         (count) > 3 ? AT(is_half, row, 3 * (step)) : 0.0f))

// Whether all chunks of a matrix that begins at `place` are complete and aligned to four elements.
static bool is_whole(View view, long place, int columns) {
  return view.column == 1 && (view.row & 3) == 0 && (place & 3) == 0 && columns % 4 == 0;
}

// The chunk that a work-item fetches in iteration `i`: coalesced for either layout of the matrix.
#define CHUNK(view, rows, chunks, i, place, chunk)                                                                    \
  int place = (view).column <= (view).row ? (i) / (chunks) : (i) % (rows);                                            \
  int chunk = (view).column <= (view).row ? (i) % (chunks) : (i) / (rows);

#define FETCH(is_half, fetched, loads, matrix, view, whole, chunks, columns, source0)                                 \
  _Pragma("unroll") for (int load = 0; load < loads; load++) {                                                        \
    int i = id + load * ITEMS;                                                                                        \
    CHUNK(view, SOURCES, chunks, i, place, chunk)                                                                     \
    long source = (source0) + place;                                                                                  \
    int count = i < SOURCES * chunks && source < s.sources ? columns - chunk * 4 : 0;                                 \
    fetched[load] = (float4)(0.0f);                                                                                   \
    if (count > 0) {                                                                                                  \
      fetched[load] = READ_FOUR(is_half, (matrix) + source * (view).row + chunk * 4 * (view).column, (view).column,   \
                                count, whole);                                                                        \
    }                                                                                                                 \
  }

#define STORE(fetched, loads, view, chunks, pitch)                                                                    \
  _Pragma("unroll") for (int load = 0; load < loads; load++) {                                                        \
    int i = id + load * ITEMS;                                                                                        \
    CHUNK(view, SOURCES, chunks, i, place, chunk)                                                                     \
    if (i < SOURCES * chunks) cells[place * (pitch) + chunk] = fetched[load];                                         \
  }

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(
    global const ELEMENT(HALF_X) * query, ulong query0, global const ELEMENT(HALF_KEY) * key, ulong key0,
    global const ELEMENT(HALF_VALUE) * value, ulong value0, global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a,
    ulong mask_a0, global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b, ulong mask_b0, global ELEMENT(HALF_Y) * y,
    ulong y0, Attention s, float scale, float fill_a, float fill_b) {
  local float4 queries[ROWS * PITCH];
  // Keys, then values.
  local float4 cells[CELLS];
  local float4 shares[ROWS * PITCH_SHARE];
  local float found[ROWS * LANES];
  int id = get_local_id(0);
  int lane = id % LANES;
  int first = id / LANES;
  long row0 = (long)get_group_id(0) * ROWS;

  for (long item = get_group_id(1); item < s.items; item += get_num_groups(1)) {
    long query_place = query0 + begin(s.query, item);
    long key_place = key0 + begin(s.key, item);
    long value_place = value0 + begin(s.value, item);
    global const ELEMENT(HALF_X) * query_matrix = query + query_place;
    global const ELEMENT(HALF_KEY) * key_matrix = key + key_place;
    global const ELEMENT(HALF_VALUE) * value_matrix = value + value_place;
    FIND_MASKS(item)
    global ELEMENT(HALF_Y) * y_matrix = y + y0 + begin(s.output, item);
    bool has_whole_keys = is_whole(s.key, key_place, DEPTH);
    bool has_whole_values = is_whole(s.value, value_place, WIDTH);
    bool has_whole_queries = is_whole(s.query, query_place, DEPTH);

    // Wait until the previous item's queries are read.
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < ROWS * DEPTH_CHUNKS; i += ITEMS) {
      CHUNK(s.query, ROWS, DEPTH_CHUNKS, i, place, chunk)
      int count = row0 + place < s.length ? DEPTH - chunk * 4 : 0;
      float4 four = (float4)(0.0f);
      if (count > 0) {
        four = READ_FOUR(HALF_X, query_matrix + (row0 + place) * s.query.row + chunk * 4 * s.query.column,
                         s.query.column, count, has_whole_queries);
      }
      queries[place * PITCH + chunk] = scale * four;
    }
    float4 next_keys[KEY_LOADS], next_values[VALUE_LOADS];
    FETCH(HALF_KEY, next_keys, KEY_LOADS, key_matrix, s.key, has_whole_keys, DEPTH_CHUNKS, DEPTH, 0L)
    float top[EACH], total[EACH];
    float4 sums[EACH][COLUMNS];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      top[e] = -INFINITY;
      total[e] = 0.0f;
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) sums[e][j] = (float4)(0.0f);
    }

    for (long source0 = 0; source0 < s.sources; source0 += SOURCES) {
      // Wait until the previous block's values and attention weights are read.
      barrier(CLK_LOCAL_MEM_FENCE);
      STORE(next_keys, KEY_LOADS, s.key, DEPTH_CHUNKS, PITCH)
      FETCH(HALF_VALUE, next_values, VALUE_LOADS, value_matrix, s.value, has_whole_values, WIDTH_CHUNKS, WIDTH, source0)
      barrier(CLK_LOCAL_MEM_FENCE);

      float scores[EACH][KEYS];
#pragma unroll
      for (int e = 0; e < EACH; e++) {
#pragma unroll
        for (int j = 0; j < KEYS; j++) scores[e][j] = 0.0f;
      }
#pragma unroll 4
      for (int d = 0; d < DEPTH_CHUNKS; d++) {
        float4 x[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) x[e] = queries[(first + e * ROW_ITEMS) * PITCH + d];
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
          float4 other = cells[(lane + j * LANES) * PITCH + d];
#pragma unroll
          for (int e = 0; e < EACH; e++) {
            float score = fma(x[e].x, other.x, scores[e][j]);
            score = fma(x[e].y, other.y, score);
            score = fma(x[e].z, other.z, score);
            scores[e][j] = fma(x[e].w, other.w, score);
          }
        }
      }
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        int own = first + e * ROW_ITEMS;
        long row = row0 + own;
        float largest = -INFINITY;
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
          long source = source0 + lane + j * LANES;
          float score = -INFINITY;
          if (source < s.sources && row < s.length) {
            score = scores[e][j];
            MASK_SCORE(score, row, source)
          }
          scores[e][j] = score;
          largest = fmax(largest, score);
        }
        found[own * LANES + lane] = largest;
      }
      // Wait until the keys are read, too; values replace them.
      barrier(CLK_LOCAL_MEM_FENCE);
      STORE(next_values, VALUE_LOADS, s.value, WIDTH_CHUNKS, WIDTH_CHUNKS)
      if (source0 + SOURCES < s.sources) {
        FETCH(HALF_KEY, next_keys, KEY_LOADS, key_matrix, s.key, has_whole_keys, DEPTH_CHUNKS, DEPTH, source0 + SOURCES)
      }
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        int own = first + e * ROW_ITEMS;
        float largest = top[e];
#pragma unroll
        for (int other = 0; other < LANES; other++) largest = fmax(largest, found[own * LANES + other]);
        float factor = FADED(top[e], largest);
        top[e] = largest;
        total[e] *= factor;
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) sums[e][j] *= factor;
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
          float share = SHARE(scores[e][j], largest);
          total[e] += share;
          ((local float *)shares)[own * PITCH_SHARE * 4 + lane + j * LANES] = share;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);

#define ADD_WEIGHED(place, part)                                                                                      \
  _Pragma("unroll") for (int j = 0; j < COLUMNS; j++) {                                                               \
    float4 other = cells[(place)*WIDTH_CHUNKS + lane + j * LANES];                                                    \
    _Pragma("unroll") for (int e = 0; e < EACH; e++) sums[e][j] = fma((float4)(share[e].part), other, sums[e][j]);    \
  }
#pragma unroll 2
      for (int chunk = 0; chunk < SOURCES / 4; chunk++) {
        float4 share[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) share[e] = shares[(first + e * ROW_ITEMS) * PITCH_SHARE + chunk];
        ADD_WEIGHED(chunk * 4, x)
        ADD_WEIGHED(chunk * 4 + 1, y)
        ADD_WEIGHED(chunk * 4 + 2, z)
        ADD_WEIGHED(chunk * 4 + 3, w)
      }
    }

#pragma unroll
    for (int e = 0; e < EACH; e++) found[(first + e * ROW_ITEMS) * LANES + lane] = total[e];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int own = first + e * ROW_ITEMS;
      long row = row0 + own;
      if (row >= s.length) continue;
      float whole = 0.0f;
#pragma unroll
      for (int other = 0; other < LANES; other++) whole += found[own * LANES + other];
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) {
        float4 four = sums[e][j] / whole;
        float numbers[4] = {four.x, four.y, four.z, four.w};
        int column = (lane + j * LANES) * 4;
#pragma unroll
        for (int i = 0; i < 4; i++) {
          if (column + i < WIDTH) {
            PUT(HALF_Y, y_matrix, row * s.output.row + (column + i) * s.output.column, numbers[i]);
          }
        }
      }
    }
  }
}
