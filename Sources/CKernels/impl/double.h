// Products and distances of rows of doubles. Each number of a result is summed in an order that its length alone settles, whatever rows are
// beside it.
#include "../vector.h"

typedef __attribute__((ext_vector_type(4))) double v4;

#define CK_SUM_OF(name, each)                                                                                         \
  CK_INLINE double name(const double *a, const double *b, size_t n) {                                                 \
    vd many = 0;                                                                                                      \
    v4 some = 0;                                                                                                      \
    double sum = 0;                                                                                                   \
    size_t i = 0;                                                                                                     \
    for (; i + CK_W <= n; i += CK_W) {                                                                                \
      vd x, y;                                                                                                        \
      memcpy(&x, a + i, sizeof x);                                                                                    \
      memcpy(&y, b + i, sizeof y);                                                                                    \
      many += each(x, y);                                                                                             \
    }                                                                                                                 \
    for (; i + 4 <= n; i += 4) {                                                                                      \
      v4 x, y;                                                                                                        \
      memcpy(&x, a + i, sizeof x);                                                                                    \
      memcpy(&y, b + i, sizeof y);                                                                                    \
      some += each(x, y);                                                                                             \
    }                                                                                                                 \
    for (; i < n; i++) sum += each(a[i], b[i]);                                                                       \
    return sum + ((some[0] + some[1]) + (some[2] + some[3])) + (n < CK_W ? 0 : vd_sum(many));                         \
  }
#define PRODUCT(x, y) ((x) * (y))
#define SQUARE_OF_DIFFERENCE(x, y) (((x) - (y)) * ((x) - (y)))
CK_SUM_OF(product_of, PRODUCT)
CK_SUM_OF(distance_of, SQUARE_OF_DIFFERENCE)

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
