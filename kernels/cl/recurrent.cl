// One step of a recurrent layer. A GEMM has computed the input's contribution to the gates of all steps before. A
// work-group takes one hidden unit of one batch item. Its work-items share the dot products of the unit's weight rows
// with the state, and one of them computes the new state.
//
// States are `ld` apart from item to item and begin at `column`. In a bidirectional layer each direction has its half.
#ifndef GATE
#define GATE(x) (x)
#define CELL(x) (x)
#define OUTPUT(x) (x)
#endif
// Whether there are peepholes (lstm) or a bias of the recurrent part (gru). An absent one is passed as any valid
// pointer.
#ifndef EXTRA
#define EXTRA 0
#endif
// Whether the forget gate of an lstm is 1 minus the input gate.
#ifndef COUPLED
#define COUPLED 0
#endif

typedef struct {
  int batch, hidden, ld, column;
} Layer;

#define ADD(a, b) (a + b)
GROUP_FOLD(group_sum, float4, ADD)

// Dot products of a state with a unit's rows of weights, [gate][unit][hidden], for `gates` gates: `first`, `first` +
// `step`, and so on.
static float4 products(global const float *weights, global const float *state, int unit, int hidden, int first, int step,
                       int gates, local float4 *scratch) {
  global const float *row = weights + ((long)first * hidden + unit) * hidden;
  long next = (long)step * hidden * hidden;
  float4 sum = (float4)(0.0f);
  for (int k = get_local_id(0); k < hidden; k += GROUP) {
    float value = state[k];
    sum.x = fma(row[k], value, sum.x);
    if (gates > 1) sum.y = fma(row[next + k], value, sum.y);
    if (gates > 2) sum.z = fma(row[2 * next + k], value, sum.z);
    if (gates > 3) sum.w = fma(row[3 * next + k], value, sum.w);
  }
  return group_sum(sum, scratch);
}

// Gates i, f, o, z. Updates `cells` in place; peepholes are those of i, f, o.
kernel void lstm_step(global const float *gates, ulong gates0, global const float *before, ulong before0,
                      global const float *weights, ulong weights0, global float *cells, ulong cells0,
                      global float *after, ulong after0, global const float *peephole, ulong peephole0, Layer s,
                      float clip) {
  local float4 scratch[GROUP];
  int unit = get_group_id(0);
  for (int item = get_group_id(1); item < s.batch; item += get_num_groups(1)) {
    long place = (long)item * s.ld + s.column;
    float4 sums = products(weights + weights0, before + before0 + place, unit, s.hidden, 0, 1, 4, scratch);
    if (get_local_id(0) != 0) continue;
    global const float *input = gates + gates0 + (long)item * 4 * s.hidden + unit;
    float4 pre = sums + (float4)(input[0], input[s.hidden], input[2 * s.hidden], input[3 * s.hidden]);
    place += unit;
    float old = cells[cells0 + place];
    global const float *own = peephole + peephole0 + unit;
    if (EXTRA) {
      pre.x = fma(own[0], old, pre.x);
      pre.y = fma(own[s.hidden], old, pre.y);
    }
    float gate = GATE(pre.x);
    float cell = (COUPLED ? 1.0f - gate : GATE(pre.y)) * old + gate * CELL(pre.w);
    cell = cell > clip ? clip : cell < -clip ? -clip : cell;
    if (EXTRA) pre.z = fma(own[2 * s.hidden], cell, pre.z);
    cells[cells0 + place] = cell;
    after[after0 + place] = GATE(pre.z) * OUTPUT(cell);
  }
}

// Gates r, o, z. The reset gate multiplies the recurrent part of the candidate, after its bias.
kernel void gru_step(global const float *gates, ulong gates0, global const float *before, ulong before0,
                     global const float *weights, ulong weights0, global const float *bias, ulong bias0,
                     global float *after, ulong after0, Layer s) {
  local float4 scratch[GROUP];
  int unit = get_group_id(0);
  for (int item = get_group_id(1); item < s.batch; item += get_num_groups(1)) {
    long place = (long)item * s.ld + s.column;
    float4 sums = products(weights + weights0, before + before0 + place, unit, s.hidden, 0, 1, 3, scratch);
    if (get_local_id(0) != 0) continue;
    if (EXTRA) {
      global const float *own = bias + bias0 + unit;
      sums += (float4)(own[0], own[s.hidden], own[2 * s.hidden], 0.0f);
    }
    global const float *input = gates + gates0 + (long)item * 3 * s.hidden + unit;
    float reset = GATE(input[0] + sums.x);
    float keep = GATE(input[2 * s.hidden] + sums.z);
    float candidate = CELL(input[s.hidden] + reset * sums.y);
    after[after0 + place + unit] = (1.0f - keep) * candidate + keep * before[before0 + place + unit];
  }
}

// The GRU where the reset gate multiplies the state, in two kernels. This one computes the gates r and z. It stores the
// product of r and the state for all items, then z for all items.
kernel void gru_gates(global const float *gates, ulong gates0, global const float *before, ulong before0,
                      global const float *weights, ulong weights0, global const float *bias, ulong bias0,
                      global float *work, ulong work0, Layer s) {
  local float4 scratch[GROUP];
  int unit = get_group_id(0);
  for (int item = get_group_id(1); item < s.batch; item += get_num_groups(1)) {
    long place = (long)item * s.ld + s.column;
    float4 sums = products(weights + weights0, before + before0 + place, unit, s.hidden, 0, 2, 2, scratch);
    if (get_local_id(0) != 0) continue;
    if (EXTRA) {
      sums.x += bias[bias0 + unit];
      sums.y += bias[bias0 + 2 * s.hidden + unit];
    }
    global const float *input = gates + gates0 + (long)item * 3 * s.hidden + unit;
    long own = (long)item * s.hidden + unit;
    work[work0 + own] = GATE(input[0] + sums.x) * before[before0 + place + unit];
    work[work0 + (long)s.batch * s.hidden + own] = GATE(input[2 * s.hidden] + sums.y);
  }
}

// The second kernel computes the candidate and the new state.
kernel void gru_candidate(global const float *gates, ulong gates0, global const float *before, ulong before0,
                          global const float *weights, ulong weights0, global const float *bias, ulong bias0,
                          global const float *work, ulong work0, global float *after, ulong after0, Layer s) {
  local float4 scratch[GROUP];
  int unit = get_group_id(0);
  for (int item = get_group_id(1); item < s.batch; item += get_num_groups(1)) {
    long own = (long)item * s.hidden;
    float sum = products(weights + weights0, work + work0 + own, unit, s.hidden, 1, 1, 1, scratch).x;
    if (get_local_id(0) != 0) continue;
    if (EXTRA) sum += bias[bias0 + s.hidden + unit];
    long place = (long)item * s.ld + s.column + unit;
    float keep = work[work0 + (long)s.batch * s.hidden + own + unit];
    float candidate = CELL(gates[gates0 + (long)item * 3 * s.hidden + s.hidden + unit] + sum);
    after[after0 + place] = (1.0f - keep) * candidate + keep * before[before0 + place];
  }
}

kernel void rnn_step(global const float *gates, ulong gates0, global const float *before, ulong before0,
                     global const float *weights, ulong weights0, global float *after, ulong after0, Layer s) {
  local float4 scratch[GROUP];
  int unit = get_group_id(0);
  for (int item = get_group_id(1); item < s.batch; item += get_num_groups(1)) {
    long place = (long)item * s.ld + s.column;
    float sum = products(weights + weights0, before + before0 + place, unit, s.hidden, 0, 1, 1, scratch).x;
    if (get_local_id(0) != 0) continue;
    after[after0 + place + unit] = CELL(gates[gates0 + (long)item * s.hidden + unit] + sum);
  }
}
