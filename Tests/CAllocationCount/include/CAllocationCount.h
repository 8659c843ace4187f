// Counts the allocations of each thread and the held bytes. This target replaces malloc and its family in every
// executable that links it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted. Sanitizers have their own allocators, and other C libraries have other internal
/// names.
bool allocation_count_is_on(void);

/// The number of allocations by this thread so far.
uint64_t allocation_count(void);

/// The number of bytes that this thread has allocated so far.
uint64_t allocation_bytes(void);

/// The number of bytes that all threads have allocated and not freed. Unlike the allocator's own statistics, it
/// excludes memory that the allocator caches for threads.
int64_t allocation_held_bytes(void);

/// The number of bytes that the allocator has from the system, allocated or free.
int64_t allocation_system_bytes(void);
