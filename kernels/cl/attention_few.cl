// softmax(masks over scale Q K^T) V for few queries, as in a decoder step. It is bound by reading keys and values. A
// work-group takes GROUP keys of an item, a work-item one key for all M queries. A second launch combines the partial
// results of the groups. attention_form.cl precedes this source.
#ifndef M
#define M 1
#define DEPTH 64
#define WIDTH 64
#endif
// Neighboring work-items that take neighboring columns of the values: a power of two.
#ifndef LANES
#define LANES 64
#endif
#define SLICES (GROUP / LANES)
// A group's partial result for a query: weighted values, then the maximum score and the sum of the exponentials
// relative to it.
#define LEFT (WIDTH + 2)

#define ADD(a, b) (a + b)
GROUP_FOLD(group_max, float, fmax)
GROUP_FOLD(group_sum, float, ADD)

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void attention_part(
    global const ELEMENT(HALF_X) * query, ulong query0, global const ELEMENT(HALF_KEY) * key, ulong key0,
    global const ELEMENT(HALF_VALUE) * value, ulong value0, global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a,
    ulong mask_a0, global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b, ulong mask_b0, global float *left, ulong left0,
    Attention s, float scale, float fill_a, float fill_b) {
  local float queries[M * DEPTH];
  local float shares[M * GROUP];
  local float sums[M * GROUP];
  local float scratch[GROUP];
  int id = get_local_id(0);
  long part = get_group_id(0);
  long parts = (s.sources + GROUP - 1) / GROUP;
  long source = part * GROUP + id;
  int count = (int)min((long)GROUP, s.sources - part * GROUP);

  for (long item = get_group_id(1); item < s.items; item += get_num_groups(1)) {
    long key_place = key0 + begin(s.key, item);
    global const ELEMENT(HALF_X) * query_matrix = query + query0 + begin(s.query, item);
    global const ELEMENT(HALF_KEY) * row = key + key_place + min(source, s.sources - 1) * s.key.row;
    global const ELEMENT(HALF_VALUE) * values = value + value0 + begin(s.value, item) + part * GROUP * s.value.row;
    FIND_MASKS(item)
    bool is_aligned = (key_place & 7) == 0 && (s.key.row & 7) == 0;

    // Wait until the previous item's queries and attention weights are read.
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < M * DEPTH; i += GROUP) {
      queries[i] = scale * AT(HALF_X, query_matrix, i / DEPTH * s.query.row + i % DEPTH * s.query.column);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float scores[M];
#pragma unroll
    for (int m = 0; m < M; m++) scores[m] = 0.0f;
    int d = 0;
    if (s.key.column == 1) {
      for (; d + 8 <= DEPTH; d += 8) {
        float numbers[8];
        READ_EIGHT(HALF_KEY, numbers, row + d, is_aligned);
#pragma unroll
        for (int m = 0; m < M; m++) {
#pragma unroll
          for (int i = 0; i < 8; i++) scores[m] = fma(queries[m * DEPTH + d + i], numbers[i], scores[m]);
        }
      }
    }
    for (; d < DEPTH; d++) {
      float number = AT(HALF_KEY, row, d * s.key.column);
#pragma unroll
      for (int m = 0; m < M; m++) scores[m] = fma(queries[m * DEPTH + d], number, scores[m]);
    }
    float top[M], total[M];
#pragma unroll
    for (int m = 0; m < M; m++) {
      float score = -INFINITY;
      if (id < count) {
        score = scores[m];
        MASK_SCORE(score, m, source)
      }
      top[m] = group_max(score, scratch);
      float share = SHARE(score, top[m]);
      total[m] = group_sum(share, scratch);
      shares[m * GROUP + id] = share;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int lane = id % LANES;
    for (int first = 0; first < WIDTH; first += LANES) {
      int column = first + lane;
      float sum[M];
#pragma unroll
      for (int m = 0; m < M; m++) sum[m] = 0.0f;
      if (column < WIDTH) {
        for (int place = id / LANES; place < count; place += SLICES) {
          float number = AT(HALF_VALUE, values, place * s.value.row + column * s.value.column);
#pragma unroll
          for (int m = 0; m < M; m++) sum[m] = fma(shares[m * GROUP + place], number, sum[m]);
        }
      }
#pragma unroll
      for (int m = 0; m < M; m++) sums[m * GROUP + id] = sum[m];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (id < LANES && column < WIDTH) {
#pragma unroll
        for (int m = 0; m < M; m++) {
          for (int slice = 1; slice < SLICES; slice++) sum[m] += sums[m * GROUP + slice * LANES + lane];
          left[left0 + ((item * M + m) * parts + part) * LEFT + column] = sum[m];
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) {
#pragma unroll
      for (int m = 0; m < M; m++) {
        ulong place = left0 + ((item * M + m) * parts + part) * LEFT + WIDTH;
        left[place] = top[m];
        left[place + 1] = total[m];
      }
    }
  }
}

// Groups are (columns, queries of all items). One work-item computes one element of the result.
kernel void attention_whole(global const float *left, ulong left0, global ELEMENT(HALF_Y) * y, ulong y0, Attention s) {
  long parts = (s.sources + GROUP - 1) / GROUP;
  int column = get_global_id(0);
  if (column >= WIDTH) return;
  for (long row = get_global_id(1); row < s.items * M; row += get_global_size(1)) {
    global const float *found = left + left0 + row * parts * LEFT;
    float top = -INFINITY;
    for (long part = 0; part < parts; part++) top = fmax(top, found[part * LEFT + WIDTH]);
    float total = 0.0f;
    float sum = 0.0f;
    for (long part = 0; part < parts; part++) {
      float own = found[part * LEFT + WIDTH];
      float factor = FADED(own, top);
      total = fma(factor, found[part * LEFT + WIDTH + 1], total);
      sum = fma(factor, found[part * LEFT + column], sum);
    }
    long place = begin(s.output, row / M) + row % M * s.output.row + column * s.output.column;
    PUT(HALF_Y, y, y0 + place, sum / total);
  }
}
