#include "CAllocationCount.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <malloc.h>
#include <stdatomic.h>

// Allocated with the thread itself. A dynamic allocation would count itself.
static _Thread_local uint64_t count __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t bytes __attribute__((tls_model("initial-exec")));
static _Atomic int64_t held;

bool allocation_count_is_on(void) { return true; }
uint64_t allocation_count(void) { return count; }
uint64_t allocation_bytes(void) { return bytes; }
int64_t allocation_held_bytes(void) { return atomic_load_explicit(&held, memory_order_relaxed); }

int64_t allocation_system_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.arena + info.hblkhd);
}

// glibc's alternative names of its own malloc family.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void *take(void *memory, size_t size) {
  count++;
  bytes += size;
  if (memory) atomic_fetch_add_explicit(&held, (int64_t)malloc_usable_size(memory), memory_order_relaxed);
  return memory;
}

static void give(void *memory) {
  if (memory) atomic_fetch_sub_explicit(&held, (int64_t)malloc_usable_size(memory), memory_order_relaxed);
}

void *malloc(size_t size) { return take(__libc_malloc(size), size); }

void *calloc(size_t n, size_t size) { return take(__libc_calloc(n, size), n * size); }

void *realloc(void *memory, size_t size) {
  int64_t before = memory ? (int64_t)malloc_usable_size(memory) : 0;
  void *result = __libc_realloc(memory, size);
  // A failed realloc keeps the old memory, except for a size of 0, which frees it.
  if (result || size == 0) atomic_fetch_sub_explicit(&held, before, memory_order_relaxed);
  return take(result, size);
}

void *memalign(size_t alignment, size_t size) { return take(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return take(__libc_memalign(alignment, size), size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *memory = take(__libc_memalign(alignment, size), size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

void free(void *memory) {
  give(memory);
  __libc_free(memory);
}

#else

bool allocation_count_is_on(void) { return false; }
uint64_t allocation_count(void) { return 0; }
uint64_t allocation_bytes(void) { return 0; }
int64_t allocation_held_bytes(void) { return 0; }
int64_t allocation_system_bytes(void) { return 0; }

#endif
