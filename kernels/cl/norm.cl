// Normalization: of rows to mean 0 and variance 1, of rows to length 1, and of channels by given statistics.

// Whether there are factors (gamma) and offsets (beta). An absent one is passed as any pointer.
#ifndef GAMMA
#define GAMMA 0
#define BETA 0
#endif
// How factors are indexed: 0 by the position in the row (layer norm), 1 by the row modulo the channels (instance norm).
#ifndef BY_ROW
#define BY_ROW 0
#endif

#define ADD(a, b) (a + b)
GROUP_FOLD(group_sum, float, ADD)

// One work-group per row of n elements.
kernel void normalize_rows(global const ELEMENT(HALF_X) * x, ulong x0, global const float *gamma, ulong gamma0,
                           global const float *beta, ulong beta0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX n,
                           INDEX channels, float epsilon) {
  local float scratch[GROUP];
  INDEX row = get_group_id(0);
  x += x0 + row * n;
  y += y0 + row * n;
  gamma += gamma0;
  beta += beta0;
  float sum = 0.0f;
  for (INDEX i = get_local_id(0); i < n; i += GROUP) sum += AT(HALF_X, x, i);
  float mean = group_sum(sum, scratch) / (float)n;
  float squares = 0.0f;
  for (INDEX i = get_local_id(0); i < n; i += GROUP) {
    float apart = AT(HALF_X, x, i) - mean;
    squares = fma(apart, apart, squares);
  }
  float factor = 1.0f / sqrt(group_sum(squares, scratch) / (float)n + epsilon);
  for (INDEX i = get_local_id(0); i < n; i += GROUP) {
    INDEX place = BY_ROW ? row % channels : i;
    float value = (AT(HALF_X, x, i) - mean) * factor;
    if (GAMMA) value *= gamma[place];
    if (BETA) value += beta[place];
    PUT(HALF_Y, y, i, value);
  }
}

// y = x / sqrt(sum of squares + epsilon). One work-group per row.
kernel void l2_rows(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX n,
                    float epsilon) {
  local float scratch[GROUP];
  INDEX row = get_group_id(0);
  x += x0 + row * n;
  y += y0 + row * n;
  float squares = 0.0f;
  for (INDEX i = get_local_id(0); i < n; i += GROUP) {
    float value = AT(HALF_X, x, i);
    squares = fma(value, value, squares);
  }
  float factor = 1.0f / sqrt(group_sum(squares, scratch) + epsilon);
  for (INDEX i = get_local_id(0); i < n; i += GROUP) PUT(HALF_Y, y, i, AT(HALF_X, x, i) * factor);
}

// y = x / sqrt(mean of squares + epsilon), times gamma by position. One work-group per row.
kernel void rms_rows(global const ELEMENT(HALF_X) * x, ulong x0, global const float *gamma, ulong gamma0,
                     global ELEMENT(HALF_Y) * y, ulong y0, INDEX n, float epsilon) {
  local float scratch[GROUP];
  INDEX row = get_group_id(0);
  x += x0 + row * n;
  y += y0 + row * n;
  float squares = 0.0f;
  for (INDEX i = get_local_id(0); i < n; i += GROUP) {
    float value = AT(HALF_X, x, i);
    squares = fma(value, value, squares);
  }
  float factor = 1.0f / sqrt(group_sum(squares, scratch) / (float)n + epsilon);
  for (INDEX i = get_local_id(0); i < n; i += GROUP) {
    float value = AT(HALF_X, x, i) * factor;
    if (GAMMA) value *= gamma[gamma0 + i];
    PUT(HALF_Y, y, i, value);
  }
}

// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta by channel, on [image][channel][inner].
kernel void batch_norm(global const ELEMENT(HALF_X) * x, ulong x0, global const float *mean, ulong mean0,
                       global const float *variance, ulong variance0, global const float *gamma, ulong gamma0,
                       global const float *beta, ulong beta0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX count,
                       INDEX channels, INDEX inner, float epsilon) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX channel = i / inner % channels;
    float value = (AT(HALF_X, x, i) - mean[mean0 + channel]) / sqrt(variance[variance0 + channel] + epsilon);
    if (GAMMA) value *= gamma[gamma0 + channel];
    if (BETA) value += beta[beta0 + channel];
    PUT(HALF_Y, y, i, value);
  }
}
