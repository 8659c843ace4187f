// C = then(A B + bias) for few rows of A, bound by reading B once. For one row of A a work-group takes one column (B
// stored as [n][k]) or a range of neighboring columns (B stored as [k][n]).
// THEN is applied to a result before it is stored.
#ifndef THEN
#define THEN(x) (x)
#endif

// As Batch in common.cl, without a bias that changes from matrix to matrix.
typedef struct {
  long m, n, k, batches;
  long size[4];
  long a[4];
  long b[4];
} Product;

#define ADD(a, b) (a + b)
GROUP_FOLD(group_sum, float, ADD)

// B as [n][k]: work-items iterate along k with coalesced reads. Groups are (column, row, batch).
kernel void product_rows(global const ELEMENT(HALF_A) * a, ulong a0, global const ELEMENT(HALF_B) * b, ulong b0,
                         global const float *bias, ulong bias0, global const ELEMENT(HALF_ADD) * add, ulong add0,
                         global ELEMENT(HALF_Y) * c, ulong c0, Product p) {
  local float scratch[GROUP];
  long column = get_group_id(0);
  for (long batch = get_group_id(2); batch < p.batches; batch += get_num_groups(2)) {
    long x = a0;
    long y = b0;
    long rest = batch;
    for (int d = 3; d >= 0; d--) {
      long place = rest % p.size[d];
      rest /= p.size[d];
      x += place * p.a[d];
      y += place * p.b[d];
    }
    y += column * p.k;
    for (long row = get_group_id(1); row < p.m; row += get_num_groups(1)) {
      float sum = 0.0f;
      for (long k = get_local_id(0); k < p.k; k += GROUP) {
        sum = fma(AT(HALF_A, a, x + row * p.k + k), AT(HALF_B, b, y + k), sum);
      }
      sum = group_sum(sum, scratch);
      if (get_local_id(0) == 0) {
        long place = (batch * p.m + row) * p.n + column;
        if (BIAS) sum += bias[bias0 + column];
        if (RESIDUAL) sum += AT(HALF_ADD, add, add0 + place);
        PUT(HALF_Y, c, c0 + place, THEN(sum));
      }
    }
  }
}

// B as [k][n]: work-items take neighboring columns, and the group's second dimension splits K.
#define COLUMNS 32
#define SHARES (GROUP / COLUMNS)
kernel void product_columns(global const ELEMENT(HALF_A) * a, ulong a0, global const ELEMENT(HALF_B) * b, ulong b0,
                            global const float *bias, ulong bias0, global const ELEMENT(HALF_ADD) * add, ulong add0,
                            global ELEMENT(HALF_Y) * c, ulong c0, Product p) {
  local float scratch[SHARES][COLUMNS];
  long column = get_global_id(0);
  int lane = get_local_id(0);
  int share = get_local_id(1);
  for (long batch = get_group_id(2); batch < p.batches; batch += get_num_groups(2)) {
    long x = a0;
    long y = b0;
    long rest = batch;
    for (int d = 3; d >= 0; d--) {
      long place = rest % p.size[d];
      rest /= p.size[d];
      x += place * p.a[d];
      y += place * p.b[d];
    }
    for (long row = get_group_id(1); row < p.m; row += get_num_groups(1)) {
      float sum = 0.0f;
      if (column < p.n) {
        for (long k = share; k < p.k; k += SHARES) {
          sum = fma(AT(HALF_A, a, x + row * p.k + k), AT(HALF_B, b, y + k * p.n + column), sum);
        }
      }
      scratch[share][lane] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (share == 0 && column < p.n) {
        for (int i = 1; i < SHARES; i++) sum += scratch[i][lane];
        long place = (batch * p.m + row) * p.n + column;
        if (BIAS) sum += bias[bias0 + column];
        if (RESIDUAL) sum += AT(HALF_ADD, add, add0 + place);
        PUT(HALF_Y, c, c0 + place, THEN(sum));
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}
