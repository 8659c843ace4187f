#pragma once
#include "CImages.h"

/// The samples that make up one sample of another size, and their weights.
typedef struct {
  int32_t first;
  int32_t count;
  const float *weights;
} Tap;

/// The taps of an axis: neither their first nor their last samples ever go back.
typedef struct {
  Tap *taps;
  int32_t count;
  int32_t most;  // samples in one tap
  float *weights;
} Filter;

/// False when there is no memory, or the axis reaches beyond its samples. Free it in either case.
bool cimages_filter_make(Filter *filter, CImagesAxis axis);
void cimages_filter_free(Filter *filter);
