// Weights of a triangle filter.
#include "filter.h"

#include <math.h>
#include <stdlib.h>

#pragma STDC FP_CONTRACT OFF

static double within(double place, int32_t size) { return fmin(fmax(place, 0), (double)size - 1); }

static void limits(Tap *tap, CImagesAxis axis, int32_t index, double *center, double *reach) {
  double step = axis.length / (double)axis.count;
  *reach = step > 1 ? step : 1;
  *center = axis.start + ((double)index + 0.5) * step - 0.5;
  double first = fmax(ceil(*center - *reach), 0), last = fmin(floor(*center + *reach), (double)axis.size - 1);
  // An axis whose start is a rounding error before its first sample still has that sample.
  if (!(first <= last)) first = last = within(round(*center), axis.size);
  tap->first = (int32_t)first;
  tap->count = (int32_t)last - (int32_t)first + 1;
}

/// Normalizes the weights to a sum of 1.
static void weigh(Tap *tap, float *weights, int32_t size, double center, double reach) {
  float sum = 0;
  for (int32_t i = 0; i < tap->count; i++) {
    weights[i] = (float)fmax(1 - fabs((double)(tap->first + i) - center) / reach, 0);
    sum += weights[i];
  }
  for (int32_t i = 0; i < tap->count; i++) weights[i] /= sum;
  if (!(sum > 0)) {
    tap->first = (int32_t)within(round(center), size);
    tap->count = 1;
    weights[0] = 1;
  }
  tap->weights = weights;
}

bool cimages_filter_make(Filter *filter, CImagesAxis axis) {
  *filter = (Filter){.count = axis.count};
  // Sums of positions must fit in 32 bits.
  if (axis.size <= 0 || axis.count <= 0 || axis.size > 1 << 28 || axis.count > 1 << 28) return false;
  if (!isfinite(axis.start) || !isfinite(axis.length) || axis.length <= 0) return false;
  filter->taps = malloc((size_t)axis.count * sizeof *filter->taps);
  if (filter->taps == NULL) return false;
  double center, reach;
  size_t total = 0;
  for (int32_t i = 0; i < axis.count; i++) {
    limits(&filter->taps[i], axis, i, &center, &reach);
    total += (size_t)filter->taps[i].count;
  }
  filter->weights = malloc(total * sizeof *filter->weights);
  if (filter->weights == NULL) return false;
  float *weights = filter->weights;
  for (int32_t i = 0; i < axis.count; i++) {
    Tap *tap = &filter->taps[i];
    int32_t reserved = tap->count;
    limits(tap, axis, i, &center, &reach);
    weigh(tap, weights, axis.size, center, reach);
    weights += reserved;
    if (i > 0 && (tap->first < tap[-1].first || tap->first + tap->count < tap[-1].first + tap[-1].count)) return false;
    if (tap->count > filter->most) filter->most = tap->count;
  }
  return true;
}

void cimages_filter_free(Filter *filter) {
  free(filter->taps);
  free(filter->weights);
}
