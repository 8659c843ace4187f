// Counts the calls of each thread that take memory: malloc and its family are this target's own in every executable that holds it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether calls are counted at all: sanitizers bring allocators of their own, and other C libraries other names.
bool allocation_count_is_on(void);

/// Calls of this thread so far.
uint64_t allocation_count(void);
