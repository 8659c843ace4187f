// Reading a matrix of small weights from memory faster than the processor's own prefetching brings it. Rows of floats it brings as fast as
// memory gives them.
#pragma once
#include <stddef.h>

#define CK_LINE 64

/// What to fetch while a block of `rows` rows from `block` on, `bytes` each, is read: what lies after it, line by line, and so far ahead that
/// memory answers in time.
static inline const char *next_block(const void *block, size_t bytes, size_t rows) {
  return (const char *)block + rows * bytes + 2048;
}

static inline void prefetch(const char *p) { __builtin_prefetch(p, 0, 0); }

/// Into the second-level cache, for later.
static inline void prefetch_later(const char *p) { __builtin_prefetch(p, 0, 2); }
