#include "plain.h"

size_t random_shape(size_t *rank, ptrdiff_t *shape) {
  *rank = random_size(0, 4);
  size_t count = 1;
  for (size_t d = 0; d < *rank; d++) {
    size_t most = d + 1 == *rank ? 40 : 4;
    shape[d] = (ptrdiff_t)random_size(random_size(0, 12) == 0 ? 0 : 1, most);
    count *= (size_t)shape[d];
  }
  return count;
}

struct view random_view(size_t rank, const ptrdiff_t *shape, enum view_kind kind) {
  struct view v = {.span = 1};
  size_t order[CK_MAX_RANK];
  for (size_t d = 0; d < rank; d++) order[d] = rank - 1 - d;
  if (kind == VIEW_DISTINCT && rank > 1 && random_bool()) {  // axes in another order
    size_t a = random_size(0, rank - 1), b = random_size(0, rank - 1), t = order[a];
    order[a] = order[b], order[b] = t;
  }
  ptrdiff_t step = 1;
  for (size_t i = 0; i < rank; i++) {
    size_t d = order[i];
    ptrdiff_t stride = step, last = shape[d] > 0 ? shape[d] - 1 : 0;
    if (kind != VIEW_WHOLE && random_size(0, 3) == 0) stride *= (ptrdiff_t)random_size(1, 3);
    step = stride * (last + 1);
    if (kind != VIEW_WHOLE && random_size(0, 3) == 0) stride = -stride, v.base += (size_t)(last * -stride);
    if (kind == VIEW_REPEATS && random_size(0, 2) == 0) {
      if (stride < 0) v.base -= (size_t)(last * -stride);
      stride = 0;
    }
    v.strides[d] = stride;
    v.span += (size_t)(last * (stride < 0 ? -stride : stride));
  }
  return v;
}

size_t place_in(const struct view *v, size_t rank, const ptrdiff_t *shape, size_t index) {
  ptrdiff_t place = (ptrdiff_t)v->base;
  for (size_t d = rank; d-- > 0; index /= (size_t)shape[d])
    place += (ptrdiff_t)(index % (size_t)shape[d]) * v->strides[d];
  return (size_t)place;
}

const char *shape_in_words(size_t rank, const ptrdiff_t *shape) {
  static char text[100];
  size_t used = (size_t)snprintf(text, sizeof text, "[");
  for (size_t d = 0; d < rank; d++)
    used += (size_t)snprintf(text + used, sizeof text - used, d == 0 ? "%td" : ", %td", shape[d]);
  snprintf(text + used, sizeof text - used, "]");
  return text;
}
