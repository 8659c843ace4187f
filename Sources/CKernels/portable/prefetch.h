// Software prefetch for matrices of small weight types, which outrun the hardware prefetcher. For fp32 rows the
// hardware prefetcher already reaches the memory bandwidth, and for rows in a cache the prefetch instructions cost more
// than they save.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define CK_LINE 64

/// Prefetch distances in bytes. The long one goes to L2, which has more outstanding misses than L1, far enough ahead
/// for memory latency. The short one goes from L2 to L1.
enum { CK_AHEAD_OF_USE = 1024, CK_AHEAD_OF_MEMORY = 8192 };

/// The least matrix size for prefetching. Prefetches run past the end of the matrix; what follows is another thread's
/// part or the next matrix.
enum { CK_AHEAD_LEAST = 8 * CK_AHEAD_OF_MEMORY };

/// Prefetch state while a block of a matrix is read: the bytes that follow the block, one line for each line of the
/// block.
struct ahead {
  const char *next;
  bool is_any;
};

/// `bytes` is the size of the block, `all` that of the matrix.
static inline struct ahead ahead_of(const void *block, size_t bytes, size_t all) {
  return (struct ahead){(const char *)block + bytes, all >= CK_AHEAD_LEAST};
}

/// Prefetches into L2.
static inline void prefetch_later(const char *p) { __builtin_prefetch(p, 0, 2); }

static inline void fetch_ahead(struct ahead *a) {
  if (!a->is_any) return;
  __builtin_prefetch(a->next + CK_AHEAD_OF_USE, 0, 3);
  __builtin_prefetch(a->next + CK_AHEAD_OF_MEMORY, 0, 1);
  a->next += CK_LINE;
}
