// softmax(masks over scale Q K^T) V for each item of a batch, without a matrix of all scores (flash attention). A
// work-group takes QUERIES queries of one item and iterates over the keys, SOURCES at a time. For each query it keeps
// the running maximum, the sum of exponentials relative to it, and the weighted sum of values. A new maximum scales
// both sums down.
//
// attention_form.cl precedes this source. LANES neighboring work-items share the same EACH queries. Each takes every
// LANES-th of the keys and of the result's columns.
#ifndef QUERIES
#define QUERIES 16
#define EACH 1
#define SOURCES 32
#define DEPTH 64
#define WIDTH 64
#endif
#define ITEMS 64
#define LANES (ITEMS * EACH / QUERIES)
#define EACH_SOURCES ((SOURCES + LANES - 1) / LANES)
#define EACH_COLUMNS ((WIDTH + LANES - 1) / LANES)
// Odd pitches: neighbors in a column are in different banks.
#define PITCH ((DEPTH > WIDTH ? DEPTH : WIDTH) + 1)
#define PITCH_QUERY (DEPTH + 1)
#define PITCH_SHARE (SOURCES + 1)

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(
    global const ELEMENT(HALF_X) * query, ulong query0, global const ELEMENT(HALF_KEY) * key, ulong key0,
    global const ELEMENT(HALF_VALUE) * value, ulong value0, global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a,
    ulong mask_a0, global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b, ulong mask_b0, global ELEMENT(HALF_Y) * y,
    ulong y0, Attention s, float scale, float fill_a, float fill_b) {
  local float queries[QUERIES * PITCH_QUERY];
  local float cells[SOURCES * PITCH];
  local float shares[QUERIES * PITCH_SHARE];
  int id = get_local_id(0);
  int lane = id % LANES;
  int first = id / LANES * EACH;
  long row0 = (long)get_group_id(0) * QUERIES;

  for (long item = get_group_id(1); item < s.items; item += get_num_groups(1)) {
    global const ELEMENT(HALF_X) * query_matrix = query + query0 + begin(s.query, item);
    global const ELEMENT(HALF_KEY) * key_matrix = key + key0 + begin(s.key, item);
    global const ELEMENT(HALF_VALUE) * value_matrix = value + value0 + begin(s.value, item);
    FIND_MASKS(item)
    global ELEMENT(HALF_Y) * y_matrix = y + y0 + begin(s.output, item);

    // Wait until the previous item's queries are read.
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < QUERIES * DEPTH; i += ITEMS) {
      long row = row0 + i / DEPTH;
      int column = i % DEPTH;
      queries[i / DEPTH * PITCH_QUERY + column] =
          row < s.length ? scale * AT(HALF_X, query_matrix, row * s.query.row + column * s.query.column) : 0.0f;
    }
    float top[EACH], total[EACH], sums[EACH][EACH_COLUMNS];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      top[e] = -INFINITY;
      total[e] = 0.0f;
#pragma unroll
      for (int j = 0; j < EACH_COLUMNS; j++) sums[e][j] = 0.0f;
    }

    for (long source0 = 0; source0 < s.sources; source0 += SOURCES) {
      // Wait until the previous block's values and attention weights are read.
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = id; i < SOURCES * DEPTH; i += ITEMS) {
        // Coalesced loads, for either layout of the keys.
        int place = s.key.column <= s.key.row ? i / DEPTH : i % SOURCES;
        int column = s.key.column <= s.key.row ? i % DEPTH : i / SOURCES;
        long source = source0 + place;
        cells[place * PITCH + column] =
            source < s.sources ? AT(HALF_KEY, key_matrix, source * s.key.row + column * s.key.column) : 0.0f;
      }
      barrier(CLK_LOCAL_MEM_FENCE);

      float scores[EACH][EACH_SOURCES];
#pragma unroll
      for (int e = 0; e < EACH; e++) {
#pragma unroll
        for (int j = 0; j < EACH_SOURCES; j++) scores[e][j] = 0.0f;
      }
      for (int d = 0; d < DEPTH; d++) {
        float x[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) x[e] = queries[(first + e) * PITCH_QUERY + d];
#pragma unroll
        for (int j = 0; j < EACH_SOURCES; j++) {
          float other = cells[min(lane + j * LANES, SOURCES - 1) * PITCH + d];
#pragma unroll
          for (int e = 0; e < EACH; e++) scores[e][j] = fma(x[e], other, scores[e][j]);
        }
      }
#pragma unroll
      for (int j = 0; j < EACH_SOURCES; j++) {
        int place = lane + j * LANES;
        long source = source0 + place;
        if (place >= SOURCES) continue;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
          long row = row0 + first + e;
          float score = -INFINITY;
          if (source < s.sources && row < s.length) {
            score = scores[e][j];
            MASK_SCORE(score, row, source)
          }
          scores[e][j] = score;
          shares[(first + e) * PITCH_SHARE + place] = score;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
      for (int e = 0; e < EACH; e++) {
        float largest = top[e];
        for (int place = 0; place < SOURCES; place++) {
          largest = fmax(largest, shares[(first + e) * PITCH_SHARE + place]);
        }
        float factor = FADED(top[e], largest);
        top[e] = largest;
        total[e] *= factor;
#pragma unroll
        for (int j = 0; j < EACH_COLUMNS; j++) sums[e][j] *= factor;
      }
      for (int i = id; i < SOURCES * WIDTH; i += ITEMS) {
        int place = s.value.column <= s.value.row ? i / WIDTH : i % SOURCES;
        int column = s.value.column <= s.value.row ? i % WIDTH : i / SOURCES;
        long source = source0 + place;
        cells[place * PITCH + column] =
            source < s.sources ? AT(HALF_VALUE, value_matrix, source * s.value.row + column * s.value.column) : 0.0f;
      }
      // Wait until all scores are read; their memory is reused for the attention weights.
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (int j = 0; j < EACH_SOURCES; j++) {
        if (lane + j * LANES >= SOURCES) continue;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
          shares[(first + e) * PITCH_SHARE + lane + j * LANES] =
              SHARE(scores[e][j], top[e]);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);

      for (int place = 0; place < SOURCES; place++) {
        float share[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
          share[e] = shares[(first + e) * PITCH_SHARE + place];
          total[e] += share[e];
        }
#pragma unroll
        for (int j = 0; j < EACH_COLUMNS; j++) {
          float other = cells[place * PITCH + min(lane + j * LANES, WIDTH - 1)];
#pragma unroll
          for (int e = 0; e < EACH; e++) sums[e][j] = fma(share[e], other, sums[e][j]);
        }
      }
    }

#pragma unroll
    for (int e = 0; e < EACH; e++) {
      long row = row0 + first + e;
      if (row >= s.length) continue;
#pragma unroll
      for (int j = 0; j < EACH_COLUMNS; j++) {
        int column = lane + j * LANES;
        if (column >= WIDTH) continue;
        PUT(HALF_Y, y_matrix, row * s.output.row + column * s.output.column, sums[e][j] / total[e]);
      }
    }
  }
}
