// Shared test helpers: seeded random values, memory with guarded edges, and comparisons that report the compared
// kernel.
#pragma once
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CKernels.h"

/// SplitMix64.
uint64_t random_bits(void);
void random_seed(uint64_t seed);
/// least ... most.
size_t random_size(size_t least, size_t most);
double random_real(double low, double high);
static inline bool random_bool(void) {
  return random_bits() >> 63;
}

/// Allocates memory until `release`. Detects writes before it and accesses after it.
void *take(size_t bytes);
float *floats(size_t n, double low, double high);
double *reals(size_t n, double low, double high);
int32_t *integers(size_t n, int32_t low, int32_t high);
/// Output memory that a kernel must fill.
float *blank(size_t n);
/// Zeros, for expected values.
double *zeros(size_t n);
void release(void);

/// An expected value for an element that a kernel must leave as it was in `blank`.
#define UNTOUCHED 1e300

/// Names the next kernel call and its arguments for failure messages.
void at(const char *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// |found - expected| <= relative |expected| + absolute. NaN and infinities must be equal.
void expect(const double *expected, const float *found, size_t n, double relative, double absolute);
void expect_doubles(const double *expected, const double *found, size_t n, double relative, double absolute);
void expect_integers(const int32_t *expected, const int32_t *found, size_t n);
void expect_bytes(const void *expected, const void *found, size_t n);
void expect_true(bool holds, const char *what);

struct family {
  const char *name;
  void (*run)(void);
  /// Run once, because it does not depend on the instruction set.
  bool once;
};
extern const struct family families[];
/// Runs a family under every instruction set that this processor supports, and prints its line. Returns whether all
/// checks passed.
bool run_family(const struct family *family, uint64_t seed);
