#pragma once
#include <stddef.h>

/// Bytes of the heap that are in use, of all arenas.
size_t soak_heap_bytes(void);
