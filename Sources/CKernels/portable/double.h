// Products and distances of float64 rows. The order of each summation depends on the length only, so a row's result
// does not depend on the other rows.
#include "../vector.h"

typedef __attribute__((ext_vector_type(4))) double v4;
typedef __attribute__((ext_vector_type(4))) float v4f;

// `number` is the element type of b; `wide` and `narrow` are its vector types.
#define CK_SUM_OF(name, each, number, wide, narrow)                                                                   \
  CK_INLINE double name(const double *a, const number *b, size_t n) {                                                 \
    vd many = 0;                                                                                                      \
    v4 some = 0;                                                                                                      \
    double sum = 0;                                                                                                   \
    size_t i = 0;                                                                                                     \
    for (; i + CK_W <= n; i += CK_W) {                                                                                \
      vd x;                                                                                                           \
      wide y;                                                                                                         \
      memcpy(&x, a + i, sizeof x);                                                                                    \
      memcpy(&y, b + i, sizeof y);                                                                                    \
      many += each(x, __builtin_convertvector(y, vd));                                                                \
    }                                                                                                                 \
    for (; i + 4 <= n; i += 4) {                                                                                      \
      v4 x;                                                                                                           \
      narrow y;                                                                                                       \
      memcpy(&x, a + i, sizeof x);                                                                                    \
      memcpy(&y, b + i, sizeof y);                                                                                    \
      some += each(x, __builtin_convertvector(y, v4));                                                                \
    }                                                                                                                 \
    for (; i < n; i++) sum += each(a[i], (double)b[i]);                                                               \
    return sum + ((some[0] + some[1]) + (some[2] + some[3])) + (n < CK_W ? 0 : vd_sum(many));                         \
  }
#define PRODUCT(x, y) ((x) * (y))
#define SQUARE_OF_DIFFERENCE(x, y) (((x) - (y)) * ((x) - (y)))
CK_SUM_OF(product_of, PRODUCT, double, vd, v4)
CK_SUM_OF(distance_of, SQUARE_OF_DIFFERENCE, double, vd, v4)
CK_SUM_OF(distance_of_sample, SQUARE_OF_DIFFERENCE, float, vf, v4f)

void CK_FN(linear_f64)(
    const double *x, const double *weight, const double *bias, double *out, size_t rows, size_t columns, size_t depth) {
  for (size_t r = 0; r < rows; r++) {
    for (size_t c = 0; c < columns; c++) {
      out[r * columns + c] = product_of(x + r * depth, weight + c * depth, depth) + (bias ? bias[c] : 0);
    }
  }
}

void CK_FN(distances_f64)(
    const double *x, const double *points, double *out, size_t rows, size_t columns, size_t depth) {
  for (size_t r = 0; r < rows; r++) {
    for (size_t c = 0; c < columns; c++) out[r * columns + c] = distance_of(x + r * depth, points + c * depth, depth);
  }
}

void CK_FN(sample_distances_f64)(const double *x, const float *samples, double *out, size_t count, size_t depth) {
  for (size_t s = 0; s < count; s++) out[s] = distance_of_sample(x, samples + s * depth, depth);
}
