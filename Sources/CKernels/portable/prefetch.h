// Reading a matrix of small weights from memory faster than the processor's own prefetching brings it. Rows of floats it brings as fast as
// memory gives them, and where they are in a cache asking for them takes longer than reading them.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define CK_LINE 64

/// How far ahead lines are asked for, in bytes: for the second-level cache, which may wait for more of them than the first may, and so far that
/// memory answers in time; and from there for the first.
enum { CK_AHEAD_OF_USE = 1024, CK_AHEAD_OF_MEMORY = 8192 };

/// Matrices that are worth it. What comes behind them is fetched as well: it is another thread's part, or the next matrix.
enum { CK_AHEAD_LEAST = 8 * CK_AHEAD_OF_MEMORY };

/// What is fetched while a block of a matrix is read: what lies behind it, a line for each of the block.
struct ahead {
  const char *next;
  bool is_any;
};

/// `bytes` of the block, and `all` of the matrix.
static inline struct ahead ahead_of(const void *block, size_t bytes, size_t all) {
  return (struct ahead){(const char *)block + bytes, all >= CK_AHEAD_LEAST};
}

/// Into the second-level cache, for later.
static inline void prefetch_later(const char *p) { __builtin_prefetch(p, 0, 2); }

/// The next line.
static inline void fetch_ahead(struct ahead *a) {
  if (!a->is_any) return;
  __builtin_prefetch(a->next + CK_AHEAD_OF_USE, 0, 3);
  __builtin_prefetch(a->next + CK_AHEAD_OF_MEMORY, 0, 1);
  a->next += CK_LINE;
}
