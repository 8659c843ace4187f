// C = then(A B + bias + add), where A B is given as PARTS partial sums, [batch][part][m][n]. GEMMs with a K-split
// across groups write them.
#ifndef PARTS
#define PARTS 2
#endif
// THEN is applied to a result before it is stored.
#ifndef THEN
#define THEN(x) (x)
#endif

kernel void sum_parts(global const float *parts, ulong parts0, global const float *bias, ulong bias0,
                      global const ELEMENT(HALF_ADD) * add, ulong add0, global ELEMENT(HALF_Y) * c, ulong c0, INDEX m,
                      INDEX n, Batch s) {
  long matrix = (long)m * n;
  for (long i = get_global_id(0); i < s.batches * matrix; i += get_global_size(0)) {
    long batch = i / matrix;
    long within = i % matrix;
    float sum = 0.0f;
    for (int part = 0; part < PARTS; part++) sum += parts[parts0 + (batch * PARTS + part) * matrix + within];
    if (BIAS) {
      long place = bias0 + (BIAS == 1 ? within / n : within % n);
      for (int d = 3; d >= 0; d--) {
        place += batch % s.size[d] * s.bias[d];
        batch /= s.size[d];
      }
      sum += bias[place];
    }
    if (RESIDUAL) sum += AT(HALF_ADD, add, add0 + i);
    PUT(HALF_Y, c, c0 + i, THEN(sum));
  }
}
