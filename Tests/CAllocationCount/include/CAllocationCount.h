// Counts the calls of each thread that take memory, and the bytes that are held: malloc and its family are this target's own in every
// executable that holds it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether anything is counted at all: sanitizers bring allocators of their own, and other C libraries other names.
bool allocation_count_is_on(void);

/// Calls of this thread so far.
uint64_t allocation_count(void);

/// Bytes that this thread asked for so far.
uint64_t allocation_bytes(void);

/// Bytes that all threads took and nobody gave back. Unlike what the allocator calls in use, these leave out what it keeps for threads
/// to take again.
int64_t allocation_held_bytes(void);

/// Bytes that the allocator has from the system, whether they are held or free.
int64_t allocation_system_bytes(void);
