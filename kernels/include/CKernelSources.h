#pragma once

#include <stddef.h>

/// The number of embedded OpenCL C sources of this directory.
size_t ck_source_count(void);
/// Name without directory and extension, or NULL if `index` is past the end.
const char *_Nullable ck_source_name(size_t index);
/// Zero-terminated text, or NULL if `index` is past the end.
const char *_Nullable ck_source_text(size_t index);
/// Length of the text in bytes without the terminator, or 0 if `index` is past the end.
size_t ck_source_length(size_t index);
