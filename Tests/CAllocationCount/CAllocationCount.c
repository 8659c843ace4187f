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

// Allocated with the thread itself: taking memory for the count would take memory.
static _Thread_local uint64_t count __attribute__((tls_model("initial-exec")));

bool allocation_count_is_on(void) { return true; }
uint64_t allocation_count(void) { return count; }

// What glibc's own malloc and so on are called besides. `free` stays glibc's.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
  count++;
  return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size) {
  count++;
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  count++;
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

#else

bool allocation_count_is_on(void) { return false; }
uint64_t allocation_count(void) { return 0; }

#endif
