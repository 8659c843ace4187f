#pragma once
#include "CImages.h"

/// The source samples that contribute to one resampled sample, and their weights.
typedef struct {
  int32_t first;
  int32_t count;
  const float *weights;
} Tap;

/// The taps of an axis. Their first and last samples never decrease from tap to tap.
typedef struct {
  Tap *taps;
  int32_t count;
  int32_t most;  // the maximum number of samples in one tap
  float *weights;
} Filter;

/// Returns false if there is no memory or the axis reaches beyond its samples. Call cimages_filter_free in either case.
bool cimages_filter_make(Filter *filter, CImagesAxis axis);
void cimages_filter_free(Filter *filter);
